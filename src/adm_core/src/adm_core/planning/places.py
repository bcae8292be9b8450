"""Where the ids in a plan are."""

from __future__ import annotations

from collections.abc import Iterable

from adm_core.memory.records import ExposedRecord
from adm_core.memory.static import Mission
from adm_core.planning.plan import Step
from adm_core.types import Pose2D


def goal_of(step: Step, mission: Mission, exposed: Iterable[ExposedRecord]) -> Pose2D | None:
    """Return where a step leads: a station, a region to be observed, or an exposed entity.

    None if that is not known.
    """
    if step.station_id:
        station = mission.station(step.station_id)
        return station.pose if station else None
    region = mission.region(step.target_id) if step.skill == "observe" else None
    if region is not None:
        return Pose2D(*region.centre)
    return next((item.pose for item in exposed if item.id == step.target_id), None)
