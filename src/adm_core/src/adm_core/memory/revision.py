"""What an accepted detection makes of a record: a new one, or a revised estimate."""

from __future__ import annotations

import math
from dataclasses import replace

from adm_core.memory.parameters import MemoryConfig
from adm_core.memory.records import OPEN, Detection, EvidenceBatch, Record, Source, Status
from adm_core.types import Pose2D


def first_record(
    entity_id: str, item: Detection, batch: EvidenceBatch, map_id: str, config: MemoryConfig
) -> Record:
    """Return the record of an entity that is seen for the first time."""
    return Record(
        id=entity_id,
        label=item.label,
        pose=item.pose,
        confidence=item.confidence,
        status=Status.OBSERVED,
        stamp=batch.stamp,
        source=batch.source,
        map_id=map_id,
        tentative=batch.source is Source.REMOTE and config.confirm > 1,
    )


def revised(old: Record, item: Detection, batch: EvidenceBatch, config: MemoryConfig) -> Record:
    """Return `old` with the estimate of a new detection; identity and status stay."""
    sightings = old.sightings + (batch.stamp != old.stamp)
    unconfirmed = batch.source is Source.REMOTE and sightings < config.confirm
    pose, rival = _estimate(old, item, batch, config)
    return replace(
        old,
        pose=pose,
        rival=rival,
        confidence=item.confidence,
        stamp=batch.stamp,
        source=batch.source,
        supported=True,
        sightings=sightings,
        misses=0,
        tentative=old.tentative and unconfirmed,
    )


def _estimate(
    old: Record, item: Detection, batch: EvidenceBatch, config: MemoryConfig
) -> tuple[Pose2D, Pose2D | None]:
    """Return the position to believe in, and the one that waits for a second report.

    One remote report may be off; two that agree are not, unless the second is the first again.
    What the robot sees itself, and reports that are matched exactly, move the entity at once.
    """
    if _is_near(item.pose, old.pose, config):
        return old.pose, None
    if config.association == "cell" or batch.source is not Source.REMOTE:
        return item.pose, None
    is_another = batch.stamp > old.stamp
    if is_another and old.rival is not None and _is_near(item.pose, old.rival, config):
        return item.pose, None
    return old.pose, item.pose


def _is_near(a: Pose2D, b: Pose2D, config: MemoryConfig) -> bool:
    return math.hypot(a.x - b.x, a.y - b.y) <= config.pose_tolerance_m


def missed(record: Record, batch: EvidenceBatch, config: MemoryConfig) -> Record | None:
    """Return `record` after a report that covered its place and did not list it.

    None if that says nothing against it: it is held, finished or unsupported already, or the
    report was measured before what is known, or is the same again.
    """
    if record.status not in OPEN or not record.supported:
        return None
    if batch.stamp <= max(record.stamp, record.missed_at):
        return None
    misses = record.misses + 1
    after = replace(record, misses=misses, missed_at=batch.stamp)
    if misses < config.misses:
        return after
    return replace(after, supported=False, refuted_at=batch.stamp)
