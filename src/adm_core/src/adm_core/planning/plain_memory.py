"""What goes to memory and comes back, as plain data, exactly: for journals."""

from __future__ import annotations

from typing import Any

from adm_core.memory.edits import OperatorEdit
from adm_core.memory.method import Focus
from adm_core.memory.records import (
    Change,
    ExposedRecord,
    Exposure,
    FailureReason,
    SkillOutcome,
    Source,
    Status,
)
from adm_core.memory.session import SyncReply, SyncRequest
from adm_core.types import Pose2D

Plain = dict[str, Any]


def sync_to_plain(request: SyncRequest) -> Plain:
    """Return a synchronisation as plain data."""
    outcome = request.outcome
    return {
        "now": request.now,
        "evidence_seq": request.evidence_seq,
        "focus": [list(request.focus.robot), *_ids(request.focus)],
        "outcome": outcome and _outcome_to_plain(outcome),
        "count_candidates": request.count_candidates,
        "edits": [item.as_plain() for item in request.edits],
    }


def sync_from_plain(plain: Plain) -> SyncRequest:
    """Return the request of :func:`sync_to_plain`."""
    robot, *ids = plain["focus"]
    return SyncRequest(
        plain["now"],
        plain["evidence_seq"],
        Focus(Pose2D(*robot), *ids),
        plain["outcome"] and _outcome_from_plain(*plain["outcome"]),
        plain["count_candidates"],
        tuple(map(OperatorEdit.from_plain, plain["edits"])),
    )


def sync_reply_to_plain(reply: SyncReply) -> Plain:
    """Return the answer to a synchronisation as plain data."""
    return {"changes": [list(item) for item in reply.changes], "candidates": reply.candidates}


def sync_reply_from_plain(plain: Plain) -> SyncReply:
    """Return the answer of :func:`sync_reply_to_plain`."""
    return SyncReply(tuple(Change(*item) for item in plain["changes"]), plain["candidates"])


def exposure_to_plain(exposure: Exposure) -> Plain:
    """Return the answer to a retrieval as plain data."""
    return {
        "records": [_exposed_to_plain(item) for item in exposure.records],
        "held": exposure.held and _exposed_to_plain(exposure.held),
        "terminal": [[name, status.value] for name, status in exposure.terminal],
    }


def exposure_from_plain(plain: Plain) -> Exposure:
    """Return the answer of :func:`exposure_to_plain`."""
    return Exposure(
        tuple(_exposed_from_plain(*item) for item in plain["records"]),
        plain["held"] and _exposed_from_plain(*plain["held"]),
        tuple((name, Status(status)) for name, status in plain["terminal"]),
    )


def _ids(focus: Focus) -> tuple[str, str, str]:
    return focus.entity_id, focus.held_id, focus.station_id


def _outcome_to_plain(outcome: SkillOutcome) -> list[Any]:
    return [
        outcome.skill,
        outcome.target_id,
        outcome.station_id,
        outcome.success,
        outcome.reason.value,
        outcome.stamp,
        list(outcome.pose),
    ]


def _outcome_from_plain(
    skill: str,
    target: str,
    station: str,
    success: bool,
    reason: str,
    stamp: float,
    pose: list[float],
) -> SkillOutcome:
    return SkillOutcome(
        skill, target, station, success, FailureReason(reason), stamp, Pose2D(*pose)
    )


def _exposed_to_plain(record: ExposedRecord) -> list[Any]:
    return [
        record.id,
        record.label,
        list(record.pose),
        record.confidence,
        record.status.value,
        record.stamp,
        record.source.value,
        record.score,
    ]


def _exposed_from_plain(
    name: str,
    label: str,
    pose: list[float],
    confidence: float,
    status: str,
    stamp: float,
    source: str,
    score: float,
) -> ExposedRecord:
    return ExposedRecord(
        name, label, Pose2D(*pose), confidence, Status(status), stamp, Source(source), score
    )
