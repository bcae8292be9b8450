"""World node of a joint mission: searchers and a manipulator in one simulated building.

One action of the manipulator is one step of everybody. What searchers see of containers is
evidence; what anybody sees of the floor grows the map that all move on.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from adm_core.config import Config, param
from adm_core.errors import AdmError
from adm_core.grid.frames import frame_of
from adm_core.missions.driven_search import DrivenSearch
from adm_core.missions.setup import MissionConfig
from adm_core.missions.team_config import TeamConfig as JointConfig
from adm_core.missions.team_setup import TeamSetup, make_team_setup
from adm_core.missions.team_world import TeamWorld
from adm_core.planning.ports import Command, Primitive, WorldReport
from adm_core.search.explorer import RUNNING, Move
from adm_core.simulation.search.scenario import SearchScenario
from adm_nodes.common import conversions, params, qos, runner
from adm_nodes.common.errors import NotActiveError, RefusedError, StoppedError
from adm_nodes.common.evidence_sender import EvidenceSender
from adm_nodes.common.world_facts import fill_facts
from rclpy.task import Future

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from sagr_nodes.config import TeamConfig
from sagr_nodes.robots import SharedMapOf, SimulatedRobots
from sagr_nodes.worker import WorkerNode

#: Namespace of the manipulator as a sender of maps.
MANIPULATOR = "manipulator"


@dataclass(frozen=True)
class BudgetConfig(Config):
    """A budget that was measured before the world was made."""

    budget_steps: int = param(
        0, "steps after which the mission has failed; 0: `joint.team_budget`", unit="steps", min=0
    )


class TeamWorldNode(WorkerNode):
    """Announce a joint mission, carry actions out, move the searchers, publish what is seen.

    An action is answered when every searcher was told where to go next and everybody has looked
    around; a searcher whose explorer is silent is waited for once.

    Parameters
    ----------
    robots, patience_s, common_frame, map_frame : see TeamConfig of sagr_nodes
    world.* : see MissionConfig
        Map, containers, stations, seed.
    joint.* : see TeamConfig of adm_core.missions
        Searchers and what they notice.
    budget_steps : see BudgetConfig

    Topics
    ------
    mission : Mission, published, latched
    floor, floor_updates : LabelledMap, MapUpdate, published
        Where the manipulator can walk as far as the team knows.
    evidence : EvidenceBatch, published, kept for late subscribers
    ROBOT/state, ROBOT/labelled_map, ROBOT/labelled_map_updates, ROBOT/move
        As in a search.
    manipulator/labelled_map, manipulator/labelled_map_updates : published
        What the manipulator has seen of the floor, in the common frame.
    reports : SearcherReport, subscribed
        Whether the searchers have explored everything: then they begin anew.

    Services
    --------
    act : Act, get_evidence : GetEvidence, world_facts : GetWorldFacts
        As in a recycling mission.
    search_facts : GetSearchFacts
        The truth about the searchers.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("world", **kwargs)
        params.declare(self, TeamConfig)
        params.declare(self, MissionConfig, "world")
        params.declare(self, JointConfig, "joint")
        params.declare(self, BudgetConfig)
        self._setup: TeamSetup | None = None
        self._world: TeamWorld | None = None
        self.reset()

    # -- lifecycle --------------------------------------------------------------------------

    def setup(self) -> None:
        """Build the world."""
        self._team = params.read(self, TeamConfig)
        made = make_team_setup(
            params.read(self, MissionConfig, "world"), params.read(self, JointConfig, "joint")
        )
        budget = params.read(self, BudgetConfig).budget_steps
        self._setup = made.with_budget(budget) if budget else made
        self._robots = SimulatedRobots(self, self._team, self._setup.building, self._on_move)
        frame = frame_of(self._setup.building.truth)
        self._floor = SharedMapOf(self, "floor", frame, self._setup.setup.mission.frame_id)
        self._others = SharedMapOf(
            self, f"{MANIPULATOR}/labelled_map", frame, self._team.common_frame
        )
        self._publish_mission = self.add_publisher(msgs.Mission, "mission", qos.LATCHED)
        self._evidence = EvidenceSender(self)
        self._world = self._setup.world(self._evidence.send, self._make_sweep)
        self.add_subscription(
            msgs.SearcherReport, "reports", qos.TEAM, self.mail.to(self._on_report)
        )
        self.add_service(srvs.Act, "act", self._on_act)
        self.add_service(srvs.GetWorldFacts, "world_facts", self._on_facts)
        self.add_service(srvs.GetSearchFacts, "search_facts", self._on_search_facts)

    def start(self) -> None:
        """Announce the mission, and the floor that is known before it begins."""
        assert self._setup is not None and self._world is not None
        mission, grid = self._setup.setup.mission, self._setup.building.truth
        self._publish_mission(
            conversions.mission_to_msg(mission, grid, self._run_id, floor_grows=True)
        )
        self._floor.show(self._world.scouts.known, 0)
        super().start()

    def reset(self) -> None:
        """Drop the world."""
        self._setup = None
        self._world = None
        self._search: DrivenSearch | None = None
        self._run_id = secrets.token_hex(8)
        self._answers: dict[int, WorldReport] = {}
        self._moves: dict[int, Move] = {}
        self._ended: set[int] = set()
        self._late: set[int] = set()
        self._shown = -1  # step of the last states that the robots were told
        self._late_moves = 0

    def _make_sweep(self, scenario: SearchScenario, sweep: int) -> DrivenSearch:
        assert self._setup is not None
        self._search = DrivenSearch(scenario, self._setup.setting, self._decided_moves)
        return self._search

    # -- the searchers, in the worker ---------------------------------------------------------

    def _on_move(self, robot: int, step: int, move: Move) -> None:
        self.mail.put(self._take_move, (robot, step, move))

    def _take_move(self, item: tuple[int, int, Move]) -> None:
        robot, step, move = item
        if step == self._shown:
            self._moves[robot] = move
            self._late.discard(robot)

    def _on_report(self, report: msgs.SearcherReport) -> None:
        if report.step == self._shown and report.state != RUNNING:
            self._ended.add(report.robot)
            self._late.discard(report.robot)

    def _decided_moves(self) -> Sequence[Move | None] | None:
        """Wait until every searcher was told where to go, or has nothing left to do."""
        team = set(range(self._team.robots))
        takers = [self._take_move, self._on_report]

        def heard() -> set[int]:
            return set(self._moves) | self._ended

        self.mail.wait(lambda: bool(heard()), None, takers)  # a search may not have begun yet
        awaited = team - self._late
        if not self.mail.wait(lambda: awaited <= heard(), self._team.patience_s, takers):
            self._late |= awaited - heard()
            names = ", ".join(self._team.names[robot] for robot in sorted(awaited - heard()))
            self.get_logger().warning(f"no move of {names} for {self._team.patience_s:g} s")
        if not self._moves:
            return None
        self._late_moves += len(team) - len(self._moves)
        return [self._moves.get(robot) for robot in range(self._team.robots)]

    def _tell(self, step: int) -> None:
        """Tell the searchers and everybody who walks what is known now."""
        assert self._world is not None and self._search is not None
        self._moves, self._ended, self._shown = {}, set(), step
        self._floor.show(self._world.scouts.known, step + 1)
        self._others.show(self._search.shown, step)
        self._robots.tell(self._search.world, self._search.maps[1:], step)

    # -- the manipulator ----------------------------------------------------------------------

    async def _on_act(self, request: srvs.Act.Request, response: srvs.Act.Response) -> None:
        known = self._answers.get(request.number)
        if known is None:
            done = Future()
            self.mail.put(self._carry_out, (request, done))
            known = await done
            self._answers[request.number] = known
        response.report = conversions.report_to_msg(known)

    def work(self) -> None:
        """Carry actions out as they come."""
        self.mail.wait(lambda: False)

    def _carry_out(self, item: tuple[srvs.Act.Request, Future]) -> None:
        request, done = item
        deliver: Callable[[], None]
        try:
            report = self._do(request)
            deliver = lambda: done.set_result(report)  # noqa: E731
        except StoppedError:
            failure: Exception = NotActiveError("the world was deactivated")
            self.soon(lambda: done.set_exception(failure))
            raise
        except (AdmError, ValueError) as err:
            failure = err
            deliver = lambda: done.set_exception(failure)  # noqa: E731
        self.soon(deliver)

    def _do(self, request: srvs.Act.Request) -> WorldReport:
        assert self._world is not None
        if request.number <= max(self._answers, default=0):
            raise RefusedError(f"command {request.number} comes too late")
        started = bool(self._answers)
        if (request.primitive == "start") == started:
            raise RefusedError("the mission begins once, and with `start`")
        if request.primitive == "start":
            report = self._world.start()
        else:
            goal = conversions.pose_from_msg(request.goal)
            command = Command(Primitive(request.primitive), goal, request.label)
            report = self._world.act(command)
        self._tell(report.step)
        return report

    # -- asking -----------------------------------------------------------------------------

    def _on_facts(
        self, request: srvs.GetWorldFacts.Request, response: srvs.GetWorldFacts.Response
    ) -> None:
        assert self._world is not None
        fill_facts(response, self._world.facts())

    def _on_search_facts(
        self, request: srvs.GetSearchFacts.Request, response: srvs.GetSearchFacts.Response
    ) -> None:
        assert self._world is not None
        facts = self._world.facts()
        cells = self._world.scouts.cells
        response.step, response.share, response.found_by = max(self._shown, 0), facts.share, -1
        response.rows = [cell.row for cell in cells]
        response.cols = [cell.col for cell in cells]
        response.late_moves, response.sweeps = self._late_moves, facts.sweeps
        response.searched_at = -1 if facts.searched_at is None else facts.searched_at
        response.first_seen = [-1 if step is None else step for step in facts.first_seen]


def main() -> int:
    """Run the node."""
    return runner.main(TeamWorldNode)


if __name__ == "__main__":
    raise SystemExit(main())
