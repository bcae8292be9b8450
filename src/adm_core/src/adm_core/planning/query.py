"""The planning query u_t: five blocks, all a planner ever sees (section IV-D)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from adm_core.memory.method import Focus
from adm_core.memory.records import OPEN, ExposedRecord, Exposure
from adm_core.memory.static import Mission

#: Context proxy of the paper: fixed part and part per exposed record.
CONTEXT_BASE, CONTEXT_PER_RECORD = 48, 18


@dataclass(frozen=True)
class Query:
    """One planning call.

    Attributes
    ----------
    mission : Mission
        Goal, completion condition, rules, stations (blocks one and three).
    focus : Focus
        Robot pose and held object (block two).
    last_outcome : str
        Outcome of the last skill as text of ours (block two).
    exposure : Exposure
        Retrieved records (block four) and the summary of terminal ones (block five).
    distance_m : tuple of float
        Path length in metres from the robot to each exposed record; inf if out of reach.
    now : float
        Present time in seconds (block two).
    support : tuple of float
        S(t) of each exposed record, where a mission may ask for observations; else empty.
    """

    mission: Mission
    focus: Focus
    last_outcome: str
    exposure: Exposure
    distance_m: tuple[float, ...]
    now: float = 0.0
    support: tuple[float, ...] = ()

    @property
    def context_units(self) -> int:
        """Size proxy 48 + 18 n_t of the call."""
        return CONTEXT_BASE + CONTEXT_PER_RECORD * len(self.exposure.records)

    def record(self, entity_id: str) -> ExposedRecord | None:
        """Return the exposed record of that id, or None."""
        held = self.exposure.held
        if held is not None and held.id == entity_id:
            return held
        return next((item for item in self.exposure.records if item.id == entity_id), None)

    def distance_to(self, entity_id: str) -> float:
        """Return the path length in metres to an exposed record; inf if there is no such one."""
        pairs = zip(self.exposure.records, self.distance_m, strict=True)
        return next((far for record, far in pairs if record.id == entity_id), math.inf)

    def support_of(self, entity_id: str) -> float:
        """Return the support of an exposed record; inf if it is not known."""
        pairs = zip(self.exposure.records, self.support, strict=False)
        return next((value for record, value in pairs if record.id == entity_id), math.inf)

    def workable(self) -> list[tuple[float, ExposedRecord]]:
        """Return distance and record of everything that could be fetched and delivered now."""
        pairs = zip(self.distance_m, self.exposure.records, strict=True)
        return [
            (distance, record)
            for distance, record in pairs
            if math.isfinite(distance)
            and record.status in OPEN
            and self.mission.station_for(record.label) is not None
        ]

    @property
    def has_work(self) -> bool:
        """Whether there is something to fetch, or a held object that can be delivered."""
        if not self.focus.held_id:
            return bool(self.workable())
        held = self.record(self.focus.held_id)
        return held is not None and self.mission.station_for(held.label) is not None
