"""From a query to a validated plan: the planner's half of a planning call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adm_core.errors import MissionError
from adm_core.grid.terrain import Terrain
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.evidence import support
from adm_core.memory.records import Exposure
from adm_core.memory.static import Mission
from adm_core.planning.plan import Step
from adm_core.planning.policy import nearest_confident_plan
from adm_core.planning.ports import PlanReply, PlanRequest
from adm_core.planning.query import Query
from adm_core.planning.validator import validate

#: Proposes steps for a query; never trusted, always validated.
Proposer = Callable[[Query], tuple[Step, ...]]


class Planner:
    """Build the query, ask the proposer, validate; a refused plan is never passed on.

    Parameters
    ----------
    mission : Mission
        Static memory.
    terrain : Terrain
        Path lengths from the robot to the exposed records.
    propose : Proposer, optional
        Default: the deterministic nearest confidence-weighted policy.
    name : str
        Mode name published with each reply.
    attention : AttentionConfig, optional
        By which a record's support is judged, where a mission may ask for observations.
    """

    def __init__(
        self,
        mission: Mission,
        terrain: Terrain,
        propose: Proposer = nearest_confident_plan,
        name: str = "policy",
        attention: AttentionConfig | None = None,
    ) -> None:
        self.mission = mission
        self._terrain = terrain
        self._propose = propose
        self._name = name
        self._attention = attention

    def plan(self, request: PlanRequest, exposure: Exposure) -> PlanReply:
        """Return a validated plan for what memory exposed.

        Raises
        ------
        MissionError
            If the validator refuses the plan: the mission is held.
        """
        query = self._query(request, exposure)
        steps = self._propose(query)
        finding = validate(steps, query)
        if finding is not None:
            raise MissionError(f"planner '{self._name}' proposed an invalid plan ({finding})")
        return PlanReply(steps, exposure, query.context_units, self._name)

    def state(self) -> dict[str, Any]:
        """Return what the next call depends on beside its query, as plain data."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Take up the state of an earlier run of the mission."""

    def _query(self, request: PlanRequest, exposure: Exposure) -> Query:
        poses = [record.pose for record in exposure.records]
        distances = self._terrain.distances(request.focus.robot, poses)
        return Query(
            self.mission,
            request.focus,
            request.last_outcome,
            exposure,
            tuple(distances.tolist()),
            request.now,
            self._support(request.now, exposure),
        )

    def _support(self, now: float, exposure: Exposure) -> tuple[float, ...]:
        if self._attention is None or "observe" not in self.mission.skills:
            return ()
        return tuple(
            support(item.source, item.confidence, item.stamp, now, self._attention)
            for item in exposure.records
        )
