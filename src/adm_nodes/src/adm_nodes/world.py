"""World node: the simulated robot, its cameras and the mission's announcement."""

from __future__ import annotations

import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adm_core.errors import MissionError
from adm_core.memory.audit import AuditLog
from adm_core.missions.mission_file import MissionFile, load_mission_file
from adm_core.missions.recycling import prepare
from adm_core.missions.setup import MissionConfig, MissionSetup
from adm_core.missions.spec import NOTHING_ELSE, MissionSpec
from adm_core.planning.plain import command_to_plain
from adm_core.planning.ports import Command, Primitive, WorldReport
from adm_core.planning.recall import journaled_commands
from adm_core.simulation.recycling import SimulatedWorld
from nav_msgs.msg import OccupancyGrid

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.common import conversions, params, qos, runner
from adm_nodes.common.errors import RefusedError
from adm_nodes.common.evidence_sender import EvidenceSender
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.run_config import RunConfig
from adm_nodes.common.run_log import RUN_ID, open_run_log
from adm_nodes.common.world_facts import fill_facts

#: Fact of the first log: the mission that was loaded since.
LOADED = "loaded"
_NOT_OF_THE_WORLD = ("memory.", "attention.")


@dataclass
class _Answer:
    """What a numbered command was, and what became of it."""

    command: Any  # as plain data
    report: WorldReport


class WorldNode(AdmNode):
    """Announce a mission, carry actions out, publish what the cameras see.

    A world that was killed comes back to where it was: it carries the commands of the mission's
    journal out again. It answers a command number that it knows with the report it gave.

    Parameters
    ----------
    scenario, method, seed, map, ... : see MissionConfig
        What to simulate.
    audit : string
        Audit log of the mission; without one a killed world cannot come back.

    Topics
    ------
    mission : Mission, map : OccupancyGrid, published, latched
        Static memory, when activated.
    evidence : EvidenceBatch, published, kept for late subscribers
        Everything that cameras report.
    mission_result : MissionResult, subscribed
        Tells that another mission may be loaded.

    Services
    --------
    act : Act
        One action, one step.
    get_evidence : GetEvidence
        Batches again that did not arrive; all of the mission are kept.
    load_mission : LoadMission
        Another mission, once this one has ended.
    world_facts : GetWorldFacts
        The truth, for summaries.
    """

    def __init__(self, **kwargs: object) -> None:
        super().__init__("world", **kwargs)
        params.declare(self, MissionConfig)
        params.declare(self, RunConfig, names=["audit"])
        self.reset()

    def setup(self) -> None:
        """Build the world, and bring it to where its mission's journal ends."""
        self._publish_mission = self.add_publisher(msgs.Mission, "mission", qos.LATCHED)
        self._publish_map = self.add_publisher(OccupancyGrid, "map", qos.LATCHED)
        self._evidence = EvidenceSender(self)
        self._log = params.read(self, RunConfig, names=["audit"]).audit
        facts = _facts(self._log)
        if facts.get(LOADED):
            self._make(*_loaded(facts[LOADED]["mission"]))
            self._run_id, self._replaces = facts[LOADED][RUN_ID], facts[LOADED]["replaces"]
        else:
            self._make(params.read(self, MissionConfig), NOTHING_ELSE)
            self._run_id = facts.get(RUN_ID) or secrets.token_hex(8)
        self._take_up_journal()
        self.add_service(srvs.Act, "act", self._on_act)
        self.add_service(srvs.LoadMission, "load_mission", self._on_load)
        self.add_service(srvs.GetWorldFacts, "world_facts", self._on_facts)
        self.add_subscription(msgs.MissionResult, "mission_result", qos.LATCHED, self._on_result)

    def start(self) -> None:
        """Announce the mission."""
        assert self._setup is not None
        grid = self._setup.terrain.grid_map
        self._publish_map(conversions.grid_to_msg(grid))
        self._publish_mission(
            conversions.mission_to_msg(self._setup.mission, grid, self._run_id, self._replaces)
        )

    def reset(self) -> None:
        """Drop the world."""
        self._setup: MissionSetup | None = None
        self._world: SimulatedWorld | None = None
        self._run_id = self._replaces = ""
        self._answers: dict[int, _Answer] = {}
        self._ended = False

    # -- making ---------------------------------------------------------------------------------

    def _make(self, config: MissionConfig, spec: MissionSpec) -> None:
        """Build the world of a mission; a map mission measures its budget here."""
        self._setup = prepare(config, spec=spec)
        self._answers, self._ended = {}, False
        self._evidence.forget()
        self._world = self._setup.world(self._evidence.send)

    def _take_up_journal(self) -> None:
        """Carry out again what had been commanded before this process began."""
        audit = open_run_log(self._log, self._run_id)
        if audit is None:
            return
        with audit:
            for number, command in journaled_commands(audit):
                self._carry_out(number, command)
        if self._answers:
            self.get_logger().info(f"{len(self._answers)} commands of the journal repeated")

    def _on_load(
        self, request: srvs.LoadMission.Request, response: srvs.LoadMission.Response
    ) -> None:
        if self._answers and not self._ended:
            raise RefusedError("a mission is under way")
        config, spec = _loaded(request.mission)
        self._make(config, spec)
        self._replaces, self._run_id = self._run_id, secrets.token_hex(8)
        self._note_loaded(request.mission)
        response.run_id = self._run_id
        self.start()

    def _note_loaded(self, mission: str) -> None:
        """Let a world that comes back after a kill know which mission it is at."""
        if not self._log:
            return
        with AuditLog(self._log) as audit:
            fact = {"mission": mission, RUN_ID: self._run_id, "replaces": self._replaces}
            audit.run({LOADED: fact})

    # -- acting ---------------------------------------------------------------------------------

    def _on_act(self, request: srvs.Act.Request, response: srvs.Act.Response) -> None:
        number, command = request.number, _command(request)
        known = self._answers.get(number)
        if known is None:
            self._check_order(number, command)
            known = self._carry_out(number, command)
        elif known.command != command_to_plain(command):
            raise RefusedError(f"command {number} was another one: {known.command}")
        response.report = conversions.report_to_msg(known.report)

    def _check_order(self, number: int, command: Command | None) -> None:
        if number <= max(self._answers, default=0):
            raise RefusedError(f"command {number} comes after {max(self._answers, default=0)}")
        if command is None and self._answers:
            raise RefusedError("the mission has been started before")
        if command is not None and not self._answers:
            raise RefusedError(
                "the mission has not been started here: this world cannot know what was done "
                "before its process began, unless `audit` names the mission's log"
            )

    def _carry_out(self, number: int, command: Command | None) -> _Answer:
        assert self._world is not None
        report = self._world.start() if command is None else self._world.act(command)
        answer = self._answers[number] = _Answer(command_to_plain(command), report)
        return answer

    # -- asking ---------------------------------------------------------------------------------

    def _on_facts(
        self, request: srvs.GetWorldFacts.Request, response: srvs.GetWorldFacts.Response
    ) -> None:
        assert self._world is not None
        fill_facts(response, self._world.facts())

    def _on_result(self, _: msgs.MissionResult) -> None:
        self._ended = bool(self._answers)


def _command(request: srvs.Act.Request) -> Command | None:
    """Return the command of a request; ValueError if its primitive is unknown."""
    if request.primitive == "start":
        return None
    return Command(
        Primitive(request.primitive),
        conversions.pose_from_msg(request.goal),
        request.label,
        conversions.pose_from_msg(request.look[0]) if request.look else None,
    )


def _facts(log: str) -> dict[str, Any]:
    if not log or not Path(log).exists():
        return {}
    with AuditLog(log) as audit:
        return audit.facts()


def _loaded(mission: str) -> tuple[MissionConfig, MissionSpec]:
    """Return what a mission file, given as its path or its text, asks of the world.

    Raises
    ------
    ConfigError
        If the file is wrong.
    MissionError
        If it speaks of other nodes: their parameters are set when they are configured.
    """
    found = _read(mission)
    others = [name for name, _ in found.spec.profile if name.startswith(_NOT_OF_THE_WORLD)]
    others += ["planner"] * bool(found.planner) + ["approve"] * (found.approve is not None)
    if others:
        raise MissionError(
            f"{', '.join(others)}: parameters of other nodes, which a loaded mission cannot change"
        )
    return MissionConfig(**found.mission), found.spec


def _read(mission: str) -> MissionFile:
    if "\n" not in mission and Path(mission).is_file():
        return load_mission_file(mission)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mission.yaml"
        path.write_text(mission, encoding="utf-8")
        return load_mission_file(path)


def main() -> int:
    """Run the node."""
    return runner.main(WorldNode)


if __name__ == "__main__":
    raise SystemExit(main())
