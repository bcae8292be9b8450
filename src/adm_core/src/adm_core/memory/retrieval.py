"""From records to the planner's view: Eq. 5 applied to records (section IV-C)."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from adm_core.memory.attention import AttentionConfig, top_k
from adm_core.memory.records import ExposedRecord, Record, Status


def rank(
    records: list[Record],
    distances: np.ndarray,
    now: float,
    config: AttentionConfig,
    pinned: list[bool] | None = None,
) -> list[ExposedRecord]:
    """Return the top-K of `records` by Eq. 5, best first.

    Parameters
    ----------
    records : list of Record
        Candidates, in order of their ids.
    distances : float64[n]
        Metres from each record to the place of the active task; inf if out of reach.
    now : float
        Seconds.
    config : AttentionConfig
        K, decay and distance forms, source weights, decay floor.
    pinned : list of bool, optional
        Records that take their places among the K before all others.
    """
    if not records:
        return []
    weight = np.array([config.weight(item.source) for item in records])
    confidence = np.array([item.confidence for item in records])
    stamp = np.array([item.stamp for item in records])
    pins = None if pinned is None else np.array(pinned)
    chosen, scores = top_k(
        weight, confidence, stamp, distances, now=now, config=config, pinned=pins
    )
    return [
        expose_record(records[index], float(score))
        for index, score in zip(chosen, scores, strict=True)
    ]


def expose_held(records: dict[str, Record], held_id: str) -> ExposedRecord | None:
    """Return the view of the object in the gripper, if there is one."""
    return expose_record(records[held_id], 0.0) if held_id in records else None


def terminal_summary(records: dict[str, Record]) -> tuple[tuple[str, Status], ...]:
    """Return ids and statuses of everything that is finished with."""
    return tuple((item.id, item.status) for item in records.values() if item.status.terminal)


def expose_record(record: Record, score: float) -> ExposedRecord:
    """Return the planner's view of a record."""
    return ExposedRecord(
        record.id,
        record.label,
        record.pose,
        record.confidence,
        record.status,
        record.stamp,
        record.source,
        score,
    )


def pinned_records(
    found: list[Record],
    pins: Collection[str],
    target_id: str | None,
    is_backed: Callable[[Record], bool],
) -> list[bool] | None:
    """Mark what an operator pinned, and the active target unless `target_id` is None.

    A target that nothing speaks for any more has to give way like any other. None: no pins.
    """
    if target_id is None and not pins:
        return None
    return [
        record.id in pins
        or (
            target_id is not None
            and (record.status is Status.ASSIGNED or record.id == target_id)
            and is_backed(record)
        )
        for record in found
    ]
