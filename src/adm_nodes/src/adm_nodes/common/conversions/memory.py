"""Evidence, records and exposures."""

from __future__ import annotations

from adm_core.memory.edits import EditKind, OperatorEdit
from adm_core.memory.footprint import Footprint
from adm_core.memory.records import (
    Change,
    Detection,
    EvidenceBatch,
    ExposedRecord,
    Exposure,
    Record,
    Source,
    Status,
)

import adm_interfaces.msg as msgs
from adm_nodes.common.conversions.places import pose_from_msg, pose_to_msg
from adm_nodes.common.limits import DETECTIONS, at_most


def batch_to_msg(batch: EvidenceBatch) -> msgs.EvidenceBatch:
    """Return a report; ValueError if it has too many detections."""
    at_most(batch.detections, DETECTIONS, "detections of a report")
    return msgs.EvidenceBatch(
        seq=batch.seq,
        source=batch.source.value,
        source_id=batch.source_id,
        stamp=batch.stamp,
        detections=[
            msgs.Detection(
                label=item.label,
                pose=pose_to_msg(item.pose),
                confidence=item.confidence,
                entity_id=item.entity_id,
            )
            for item in batch.detections
        ],
        frame_id=batch.frame_id,
        map_id=batch.map_id,
        footprint=[] if batch.footprint is None else [footprint_to_msg(batch.footprint)],
    )


def batch_from_msg(msg: msgs.EvidenceBatch) -> EvidenceBatch:
    """Return a report; ValueError if source or footprint are malformed, or it is too long."""
    at_most(msg.detections, DETECTIONS, "detections of a report")
    return EvidenceBatch(
        seq=msg.seq,
        source=Source(msg.source),
        source_id=msg.source_id,
        stamp=msg.stamp,
        detections=tuple(
            Detection(item.label, pose_from_msg(item.pose), item.confidence, item.entity_id)
            for item in msg.detections
        ),
        frame_id=msg.frame_id,
        map_id=msg.map_id,
        footprint=footprint_from_msg(msg.footprint[0]) if msg.footprint else None,
    )


def footprint_to_msg(area: Footprint) -> msgs.Footprint:
    """Return an area that was looked at."""
    return msgs.Footprint(
        x=area.x,
        y=area.y,
        radius_m=area.radius_m,
        corners_x=[corner[0] for corner in area.corners],
        corners_y=[corner[1] for corner in area.corners],
    )


def footprint_from_msg(msg: msgs.Footprint) -> Footprint:
    """Return an area that was looked at; ValueError if it is none."""
    corners = tuple(zip(msg.corners_x, msg.corners_y, strict=True))
    return Footprint(msg.x, msg.y, msg.radius_m, corners)


def edit_to_msg(edit: OperatorEdit) -> msgs.OperatorEdit:
    """Return an operator's edit."""
    return msgs.OperatorEdit(
        operator_id=edit.operator,
        kind=edit.kind.value,
        entity_id=edit.entity_id,
        label=edit.label,
        pose=[] if edit.pose is None else [pose_to_msg(edit.pose)],
        map_id=edit.map_id,
    )


def edit_from_msg(msg: msgs.OperatorEdit) -> OperatorEdit:
    """Return an operator's edit; ValueError if its kind is unknown."""
    return OperatorEdit(
        msg.operator_id,
        EditKind(msg.kind),
        msg.entity_id,
        msg.label,
        pose_from_msg(msg.pose[0]) if msg.pose else None,
        msg.map_id,
    )


def change_to_msg(change: Change) -> msgs.FieldChange:
    """Return a changed field."""
    return msgs.FieldChange(
        entity=change.entity, field=change.field, old_value=change.old, new_value=change.new
    )


def change_from_msg(msg: msgs.FieldChange) -> Change:
    """Return a changed field."""
    return Change(msg.entity, msg.field, msg.old_value, msg.new_value)


def record_to_msg(record: Record) -> msgs.EntityRecord:
    """Return a record of the memory."""
    return msgs.EntityRecord(
        id=record.id,
        label=record.label,
        pose=pose_to_msg(record.pose),
        confidence=record.confidence,
        status=record.status.value,
        stamp=record.stamp,
        source=record.source.value,
        map_id=record.map_id,
        supported=record.supported,
        failures=record.failures,
        refuted_at=record.refuted_at,
        cool_until=record.cool_until,
        sightings=record.sightings,
        misses=record.misses,
        missed_at=record.missed_at,
        rival=[pose_to_msg(record.rival)] if record.rival else [],
        tentative=record.tentative,
    )


def record_from_msg(msg: msgs.EntityRecord) -> Record:
    """Return a record of the memory."""
    return Record(
        id=msg.id,
        label=msg.label,
        pose=pose_from_msg(msg.pose),
        confidence=msg.confidence,
        status=Status(msg.status),
        stamp=msg.stamp,
        source=Source(msg.source),
        map_id=msg.map_id,
        supported=msg.supported,
        failures=msg.failures,
        refuted_at=msg.refuted_at,
        cool_until=msg.cool_until,
        sightings=msg.sightings,
        misses=msg.misses,
        missed_at=msg.missed_at,
        rival=pose_from_msg(msg.rival[0]) if msg.rival else None,
        tentative=msg.tentative,
    )


def exposed_to_msg(record: ExposedRecord) -> msgs.ExposedRecord:
    """Return a record as a planner sees it."""
    return msgs.ExposedRecord(
        id=record.id,
        label=record.label,
        pose=pose_to_msg(record.pose),
        confidence=record.confidence,
        status=record.status.value,
        stamp=record.stamp,
        source=record.source.value,
        score=record.score,
    )


def exposed_from_msg(msg: msgs.ExposedRecord) -> ExposedRecord:
    """Return a record as a planner sees it."""
    return ExposedRecord(
        msg.id,
        msg.label,
        pose_from_msg(msg.pose),
        msg.confidence,
        Status(msg.status),
        msg.stamp,
        Source(msg.source),
        msg.score,
    )


def exposure_to_msg(exposure: Exposure) -> msgs.Exposure:
    """Return the answer to a retrieval."""
    return msgs.Exposure(
        records=[exposed_to_msg(item) for item in exposure.records],
        held=[] if exposure.held is None else [exposed_to_msg(exposure.held)],
        terminal=[
            msgs.TerminalRecord(id=name, status=status.value) for name, status in exposure.terminal
        ],
    )


def exposure_from_msg(msg: msgs.Exposure) -> Exposure:
    """Return the answer to a retrieval."""
    return Exposure(
        tuple(exposed_from_msg(item) for item in msg.records),
        exposed_from_msg(msg.held[0]) if msg.held else None,
        tuple((item.id, Status(item.status)) for item in msg.terminal),
    )
