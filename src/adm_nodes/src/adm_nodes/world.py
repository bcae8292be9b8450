"""World node: the simulated robot and its surroundings. The only node that knows the truth."""

from __future__ import annotations

import secrets

from adm_core.memory.records import EvidenceBatch
from adm_core.missions.recycling import prepare
from adm_core.missions.setup import MissionConfig, MissionSetup
from adm_core.planning.ports import Command, Primitive
from adm_core.simulation.recycling import SimulatedWorld
from nav_msgs.msg import OccupancyGrid

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.common import conversions, params, qos, runner
from adm_nodes.common.errors import RefusedError
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.world_facts import fill_facts


class WorldNode(AdmNode):
    """Announce a mission, carry actions out, publish what the cameras see.

    Parameters
    ----------
    scenario, method, seed, map, ... : see MissionConfig
        What to simulate.

    Topics
    ------
    mission : Mission, map : OccupancyGrid, published, latched
        Static memory, when activated.
    evidence : EvidenceBatch, published, kept for late subscribers
        Everything that cameras report.

    Services
    --------
    act : Act
        One action, one step.
    world_facts : GetWorldFacts
        The truth, for summaries.
    """

    def __init__(self, **kwargs: object) -> None:
        super().__init__("world", **kwargs)
        params.declare(self, MissionConfig)
        self.reset()

    def setup(self) -> None:
        """Build the world; a map mission measures its budget here."""
        self._setup: MissionSetup | None = prepare(params.read(self, MissionConfig))
        self._world: SimulatedWorld | None = self._setup.world(self._on_evidence)
        self._run_id = secrets.token_hex(8)
        self._publish_mission = self.add_publisher(msgs.Mission, "mission", qos.LATCHED)
        self._publish_map = self.add_publisher(OccupancyGrid, "map", qos.LATCHED)
        self._publish_evidence = self.add_publisher(msgs.EvidenceBatch, "evidence", qos.EVIDENCE)
        self.add_service(srvs.Act, "act", self._on_act)
        self.add_service(srvs.GetWorldFacts, "world_facts", self._on_facts)

    def start(self) -> None:
        """Announce the mission."""
        assert self._setup is not None
        grid = self._setup.terrain.grid_map
        self._publish_map(conversions.grid_to_msg(grid))
        self._publish_mission(conversions.mission_to_msg(self._setup.mission, grid, self._run_id))

    def reset(self) -> None:
        """Drop the world."""
        self._setup = self._world = None
        self._started = False

    def _on_evidence(self, batch: EvidenceBatch) -> None:
        self._publish_evidence(conversions.batch_to_msg(batch))

    def _on_act(self, request: srvs.Act.Request, response: srvs.Act.Response) -> None:
        assert self._world is not None
        if request.primitive == "start":
            if self._started:
                raise RefusedError("the mission has been started before")
            self._started = True
            report = self._world.start()
        else:
            command = Command(
                Primitive(request.primitive),
                conversions.pose_from_msg(request.goal),
                request.label,
            )
            report = self._world.act(command)
        response.report = conversions.report_to_msg(report)

    def _on_facts(
        self, request: srvs.GetWorldFacts.Request, response: srvs.GetWorldFacts.Response
    ) -> None:
        assert self._world is not None
        fill_facts(response, self._world.facts())


def main() -> int:
    """Run the node."""
    return runner.main(WorldNode)


if __name__ == "__main__":
    raise SystemExit(main())
