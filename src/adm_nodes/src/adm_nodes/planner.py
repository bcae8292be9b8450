"""Planner node: retrieve, plan, validate."""

from __future__ import annotations

from adm_core.grid.terrain import Terrain
from adm_core.memory.static import Mission
from adm_core.planning.planner import Planner
from adm_core.planning.ports import PlanRequest

import adm_interfaces.srv as srvs
from adm_nodes.common import conversions, runner
from adm_nodes.common.client import ResendingClient
from adm_nodes.common.errors import NotActiveError, StoppedError
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.mission_input import MissionInput


class PlannerNode(AdmNode):
    """Shell around Planner.

    Topics
    ------
    mission : Mission, map : OccupancyGrid, subscribed
        Static memory.

    Services
    --------
    make_plan : MakePlan
        One planning call.
    retrieve : Retrieve, called
        What the plan may be made from.
    """

    def __init__(self, **kwargs: object) -> None:
        super().__init__("planner", **kwargs)
        self._memory: ResendingClient | None = None
        self.reset()

    def setup(self) -> None:
        """Wait for the mission."""
        MissionInput(self, self._on_mission)
        self.add_service(srvs.MakePlan, "make_plan", self._on_make_plan)

    def start(self) -> None:
        """Connect to memory."""
        self._memory = ResendingClient(self, srvs.Retrieve, "retrieve")

    def stop(self) -> None:
        """Give up the retrieval under way."""
        if self._memory is not None:
            self._memory.close()

    def reset(self) -> None:
        """Drop the planner."""
        self._planner: Planner | None = None

    def _on_mission(self, mission: Mission, terrain: Terrain) -> None:
        self._planner = Planner(mission, terrain)

    async def _on_make_plan(
        self, request: srvs.MakePlan.Request, response: srvs.MakePlan.Response
    ) -> None:
        if self._planner is None or self._memory is None:
            raise NotActiveError("no mission yet")
        query = srvs.Retrieve.Request(now=request.now, focus=request.focus)
        try:
            found = await self._memory.call_async(query)
        except StoppedError as err:
            raise NotActiveError("the planner was deactivated") from err
        reply = self._planner.plan(
            PlanRequest(
                request.planning_call,
                request.now,
                conversions.focus_from_msg(request.focus),
                request.last_outcome,
                request.trigger,
            ),
            conversions.exposure_from_msg(found.exposure),
        )
        response.steps = [conversions.step_to_msg(item) for item in reply.steps]
        response.exposure = found.exposure
        response.context_units = reply.context_units
        response.planner = reply.planner
        response.refusals = list(reply.refusals)


def main() -> int:
    """Run the node."""
    return runner.main(PlannerNode)


if __name__ == "__main__":
    raise SystemExit(main())
