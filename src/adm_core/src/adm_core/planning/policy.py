"""Deterministic planner: nearest confidence-weighted target (section V-A); needs no key."""

from __future__ import annotations

from adm_core.memory.records import ExposedRecord
from adm_core.planning.plan import Step
from adm_core.planning.query import Query

_FETCH = ("navigate", "approach", "grasp")


def nearest_confident_plan(query: Query) -> tuple[Step, ...]:
    """Return the plan for the exposed record of largest q / (1 + d), or none.

    `d` is the path length from the robot in metres. Ties go to the newer measurement, then to
    the smaller id. A held object is delivered first.
    """
    held = query.focus.held_id
    if held:
        record = query.record(held)
        return _delivery(held, query, record.label) if record else ()
    best = min(query.workable(), key=_reluctance, default=None)
    if best is None:
        return ()
    target = best[1]
    names = (name for name in _FETCH if name in query.mission.skills)
    fetch = tuple(Step(name, target.id) for name in names)
    return _observation(target.id, query) + fetch + _delivery(target.id, query, target.label)


def _observation(target_id: str, query: Query) -> tuple[Step, ...]:
    """Ask the aerial source to look at a target that little speaks for."""
    doubtful = query.support_of(target_id) < query.mission.observe_below
    return (Step("observe", target_id),) if doubtful else ()


def _reluctance(pair: tuple[float, ExposedRecord]) -> tuple[float, float, str]:
    distance, record = pair
    return -record.confidence / (1.0 + distance), -record.stamp, record.id


def _delivery(entity_id: str, query: Query, label: str) -> tuple[Step, ...]:
    station = query.mission.station_for(label)
    if station is None:
        return ()
    return (
        Step("navigate", station_id=station.id),
        Step("deliver", entity_id, station.id),
    )
