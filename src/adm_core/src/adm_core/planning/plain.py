"""Commands, reports and evidence as plain data, exactly: for journals and other processes."""

from __future__ import annotations

from typing import Any

from adm_core.memory.footprint import Footprint
from adm_core.memory.records import Detection, EvidenceBatch, FailureReason, Source
from adm_core.planning.ports import Command, Primitive, WorldReport
from adm_core.types import Pose2D


def command_to_plain(command: Command | None) -> dict[str, Any]:
    """Return a command as plain data; empty for the start."""
    if command is None:
        return {}
    body: dict[str, Any] = {
        "primitive": command.primitive.value,
        "goal": list(command.goal),
        "label": command.label,
    }
    return {**body, "look": list(command.look)} if command.look else body


def command_from_plain(body: dict[str, Any]) -> Command | None:
    """Return the command of :func:`command_to_plain`."""
    if not body:
        return None
    look = Pose2D(*body["look"]) if "look" in body else None
    return Command(Primitive(body["primitive"]), Pose2D(*body["goal"]), body["label"], look)


def report_to_plain(report: WorldReport, batches: list[EvidenceBatch]) -> dict[str, Any]:
    """Return a report and the evidence that came with it as plain data."""
    return {
        "step": report.step,
        "robot": list(report.robot),
        "reason": report.reason.value,
        "success": report.success,
        "moved_m": report.moved_m,
        "evidence_seq": report.evidence_seq,
        "batches": [batch_to_plain(batch) for batch in batches],
    }


def report_from_plain(body: dict[str, Any]) -> tuple[WorldReport, list[EvidenceBatch]]:
    """Return the report and evidence of :func:`report_to_plain`."""
    report = WorldReport(
        body["step"],
        Pose2D(*body["robot"]),
        body["success"],
        FailureReason(body["reason"]),
        body["moved_m"],
        body["evidence_seq"],
    )
    return report, [batch_from_plain(batch) for batch in body["batches"]]


def batch_to_plain(batch: EvidenceBatch) -> dict[str, Any]:
    """Return evidence as plain data."""
    footprint = batch.footprint
    return {
        "seq": batch.seq,
        "source": batch.source.value,
        "source_id": batch.source_id,
        "stamp": batch.stamp,
        "frame_id": batch.frame_id,
        "map_id": batch.map_id,
        "footprint": footprint
        and [footprint.x, footprint.y, footprint.radius_m, footprint.corners],
        "detections": [
            [item.label, list(item.pose), item.confidence, item.entity_id]
            for item in batch.detections
        ],
    }


def batch_from_plain(plain: dict[str, Any]) -> EvidenceBatch:
    """Return the evidence of :func:`batch_to_plain`."""
    detections = tuple(
        Detection(label, Pose2D(*pose), confidence, entity)
        for label, pose, confidence, entity in plain["detections"]
    )
    return EvidenceBatch(
        plain["seq"],
        Source(plain["source"]),
        plain["source_id"],
        plain["stamp"],
        detections,
        plain["frame_id"],
        plain["map_id"],
        plain["footprint"] and _footprint_from_plain(*plain["footprint"]),
    )


def _footprint_from_plain(
    x: float, y: float, radius_m: float, corners: list[list[float]]
) -> Footprint:
    return Footprint(x, y, radius_m, tuple((float(a), float(b)) for a, b in corners))
