"""What an accepted detection makes of a record: a new one, or a revised estimate."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from adm_core.memory.parameters import MemoryConfig, reports_needed
from adm_core.memory.records import (
    OPEN,
    Detection,
    EvidenceBatch,
    FailureReason,
    Record,
    SkillOutcome,
    Source,
    Status,
)
from adm_core.types import Pose2D

#: Positions within this many standard deviations of each other agree: 86 % of those that
#: describe the same place do.
AGREE = 2.0


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
        tentative=batch.source is Source.REMOTE and reports_needed(config) > 1,
    )


def revised(
    old: Record, item: Detection, batch: EvidenceBatch, map_id: str, config: MemoryConfig
) -> Record:
    """Return `old` with the estimate of a new detection; identity, class and status stay.

    With gated association, one remote report that lies beside the entity may be off: it is
    remembered as a rival place and neither moves nor refreshes nor confirms the entity. A
    second one that agrees with it moves the entity there.
    """
    remote = batch.source is Source.REMOTE
    if remote and config.association == "gated" and not _agree(item.pose, old.pose, config):
        if batch.stamp <= max(old.stamp, old.missed_at):
            return old  # measured before what is known, or the same report again
        if old.rival is None or not _agree(item.pose, old.rival, config):
            return replace(old, rival=item.pose, missed_at=batch.stamp)
    sightings = old.sightings + (batch.stamp != old.stamp)
    near = _apart(item.pose, old.pose) <= config.pose_tolerance_m
    return Record(  # `replace` takes three times as long, and this is the hot path
        old.id,
        old.label,
        old.pose if near else item.pose,
        item.confidence,
        old.status,
        batch.stamp,
        batch.source,
        map_id,
        True,
        old.failures,
        old.refuted_at,
        old.cool_until,
        sightings,
        0,
        old.missed_at,
        None,
        old.tentative and remote and sightings < reports_needed(config),
    )


def _agree(a: Pose2D, b: Pose2D, config: MemoryConfig) -> bool:
    return _apart(a, b) <= AGREE * config.report_sigma_m


def _apart(a: Pose2D, b: Pose2D) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)


def missed(
    record: Record, batch: EvidenceBatch, config: MemoryConfig, moved: bool = False
) -> Record | None:
    """Return `record` after a report that covered its place and did not list it.

    If it has `moved`, as the same report shows, one miss is as good as all that are needed.

    None if that says nothing against it: it is held, finished or unsupported already, or the
    report was measured before what is known, or is the same again.
    """
    if record.status not in OPEN or not record.supported:
        return None
    if batch.stamp <= max(record.stamp, record.missed_at):
        return None
    misses = record.misses + 1
    after = replace(record, misses=misses, missed_at=batch.stamp)
    limit = config.unconfirmed_misses if record.tentative else config.misses
    if limit == 0 or (misses < limit and not moved):
        return after
    # A newcomer that nobody saw again begins anew; else two ghosts of different times, at one
    # place by chance, would confirm each other.
    sightings = 0 if record.tentative else record.sightings
    return replace(after, supported=False, refuted_at=batch.stamp, sightings=sightings)


def after_failure(record: Record, outcome: SkillOutcome, config: MemoryConfig) -> Record:
    """Return `record` after a failed skill: to be reconsidered; finished work is kept."""
    if outcome.reason is FailureReason.DENIED and record.status is not Status.GRASPED:
        cool_until = outcome.stamp + config.cooldown_s
        return replace(record, status=Status.RECONSIDER, cool_until=cool_until)
    failures = record.failures + 1
    cool_until = record.cool_until
    if failures % config.cooldown_failures == 0:
        cool_until = outcome.stamp + config.cooldown_s
    lost = record.status is Status.GRASPED and outcome.reason.empties_hand
    if record.status is Status.GRASPED and not lost:
        return replace(record, failures=failures)
    failed = replace(record, status=Status.RECONSIDER, failures=failures, cool_until=cool_until)
    if lost:  # it lies somewhere on the way: hidden until it is seen again
        return replace(failed, supported=False, refuted_at=outcome.stamp)
    if not outcome.reason.refutes:
        return failed
    return refuted(failed, outcome.stamp, config)


def on_lost_map(record: Record, now: float) -> Record:
    """Return `record` after its map was begun anew: only what is measured from now on counts."""
    return replace(record, supported=False, refuted_at=now, misses=0, missed_at=now, rival=None)


def refuted(record: Record, stamp: float, config: MemoryConfig) -> Record:
    """Return `record` after the robot found its place empty: it has to be confirmed anew."""
    return replace(
        record,
        supported=False,
        refuted_at=stamp,
        sightings=0,
        tentative=reports_needed(config) > 1,
    )


def of_other_class(
    records: Iterable[Record], item: Detection, batch: EvidenceBatch, reach_m: float
) -> Record | None:
    """Return the entity at a detection's place that goes by another class, if there is one.

    A report that lists a thing of that class there, too, has seen two things.
    """
    for record in records:
        if record.label == item.label or _apart(record.pose, item.pose) > reach_m:
            continue
        both = (
            other.label == record.label and _apart(record.pose, other.pose) <= reach_m
            for other in batch.detections
        )
        if not any(both):
            return record
    return None
