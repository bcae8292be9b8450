"""Edits by an operator: evidence of top weight that only a person can give."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from adm_core.memory.evidence import Verdict
from adm_core.memory.records import (
    Detection,
    EvidenceBatch,
    Record,
    Source,
    Status,
    is_word,
)
from adm_core.types import Pose2D


class EditKind(str, Enum):
    """What an operator can do to a record."""

    RELABEL = "relabel"
    MOVE = "move"
    DISMISS = "dismiss"
    RESTORE = "restore"
    PIN = "pin"
    UNPIN = "unpin"


@dataclass(frozen=True, slots=True)
class OperatorEdit:
    """One edit of one record.

    Attributes
    ----------
    operator : str
        Who says so; a plain word.
    kind : EditKind
        What is done.
    entity_id : str
        The record.
    label : str
        New class, for RELABEL.
    pose : Pose2D or None
        New place in the map frame, metres, for MOVE.
    map_id : str
        Map that the operator looked at; an edit for another map is refused. Empty: not said.
    """

    operator: str
    kind: EditKind
    entity_id: str
    label: str = ""
    pose: Pose2D | None = None
    map_id: str = ""

    def __str__(self) -> str:
        what = self.label
        if self.pose is not None:
            what = f"({self.pose.x:g}, {self.pose.y:g})"
        return " ".join(filter(None, (self.kind.value, self.entity_id, what)))

    def as_plain(self) -> dict[str, Any]:
        """Return the edit as plain data."""
        return {
            "operator": self.operator,
            "kind": self.kind.value,
            "entity": self.entity_id,
            "label": self.label,
            "pose": list(self.pose) if self.pose else None,
            "map_id": self.map_id,
        }

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> OperatorEdit:
        """Return the edit of :meth:`as_plain`."""
        return cls(
            plain["operator"],
            EditKind(plain["kind"]),
            plain["entity"],
            plain["label"],
            Pose2D(*plain["pose"]) if plain["pose"] else None,
            plain["map_id"],
        )


def screen_edit(edit: OperatorEdit, record: Record | None, map_id: str) -> Verdict | None:
    """Return why an edit is refused, or None if it may be applied.

    Delivered work stays as it is, and what the gripper holds can only be relabelled: its place
    is the robot's, and letting go of it takes a skill.
    """
    if record is None:
        return Verdict.UNKNOWN_ENTITY
    if edit.map_id and map_id and edit.map_id != map_id:
        return Verdict.WRONG_MAP
    if not is_word(edit.operator):
        return Verdict.SOURCE_NOT_USED
    if record.status is Status.DELIVERED:
        return Verdict.ALREADY_DONE
    if edit.kind is EditKind.RELABEL and not is_word(edit.label):
        return Verdict.BAD_LABEL
    if edit.kind is EditKind.MOVE and not (edit.pose and all(map(math.isfinite, edit.pose))):
        return Verdict.BAD_POSE
    moves = edit.kind in (EditKind.MOVE, EditKind.DISMISS, EditKind.RESTORE)
    return Verdict.ALREADY_DONE if record.status is Status.GRASPED and moves else None


def edited(record: Record, edit: OperatorEdit, now: float) -> Record:
    """Return `record` after an accepted edit; pins are no part of it.

    The operator's word is evidence of confidence 1 measured now: it wins over what was known,
    lifts a refutation, and from then on competes like any other estimate.
    """
    if edit.kind in (EditKind.PIN, EditKind.UNPIN):
        return record
    word = replace(
        record,
        confidence=1.0,
        stamp=now,
        source=Source.OPERATOR,
        supported=True,
        tentative=False,
        misses=0,
        rival=None,
    )
    if edit.kind is EditKind.RELABEL:
        return replace(word, label=edit.label)
    if edit.kind is EditKind.MOVE:
        assert edit.pose is not None
        return replace(word, pose=edit.pose, cool_until=float("-inf"))
    if edit.kind is EditKind.DISMISS:
        return replace(word, status=Status.DISMISSED)
    reopened = Status.OBSERVED if record.status is Status.DISMISSED else record.status
    return replace(word, status=reopened, cool_until=float("-inf"))


def as_evidence(edit: OperatorEdit, record: Record | None, now: float) -> EvidenceBatch:
    """Return an edit in the words of evidence, for the log."""
    nowhere = Pose2D(math.nan, math.nan)
    label = edit.label or (record.label if record else "")
    pose = edit.pose or (record.pose if record else nowhere)
    seen = (Detection(label, pose, 1.0, edit.entity_id),)
    return EvidenceBatch(0, Source.OPERATOR, edit.operator, now, seen)
