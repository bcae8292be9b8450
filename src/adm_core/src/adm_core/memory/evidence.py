"""Rules of acceptance and arbitration: which evidence may change a record (section IV-B)."""

from __future__ import annotations

import math
from enum import Enum

from adm_core.memory.attention import AttentionConfig, decay
from adm_core.memory.records import Detection, EvidenceBatch, Record, Source, is_word


class Verdict(str, Enum):
    """What became of one detection, with the reason when it was refused."""

    ACCEPTED = "accepted"
    NEW = "accepted_new"
    LOW_CONFIDENCE = "low_confidence"
    OUTCOME_IS_NEWER = "outcome_is_newer"
    WEAKER_ESTIMATE = "weaker_estimate"
    BAD_POSE = "bad_pose"
    BAD_CONFIDENCE = "bad_confidence"
    BAD_LABEL = "bad_label"
    BAD_STAMP = "bad_stamp"
    FUTURE_STAMP = "future_stamp"
    WRONG_FRAME = "wrong_frame"
    WRONG_MAP = "wrong_map"
    SOURCE_NOT_USED = "source_not_used"
    ALREADY_DONE = "already_done"
    UNKNOWN_ENTITY = "unknown_entity"
    UNKNOWN_SENDER = "unknown_sender"

    @property
    def accepted(self) -> bool:
        """Whether the memory took the detection in."""
        return self in (Verdict.ACCEPTED, Verdict.NEW)


def screen_batch(batch: EvidenceBatch, now: float, frame_id: str, map_id: str) -> Verdict | None:
    """Return why a whole batch is refused, or None if its detections may be looked at."""
    if not math.isfinite(batch.stamp):
        return Verdict.BAD_STAMP
    if batch.stamp > now:
        return Verdict.FUTURE_STAMP
    if batch.frame_id != frame_id:
        return Verdict.WRONG_FRAME
    if batch.map_id and map_id and batch.map_id != map_id:
        return Verdict.WRONG_MAP
    return None


def screen_detection(item: Detection) -> Verdict | None:
    """Return why one detection is malformed, or None."""
    if not all(map(math.isfinite, item.pose)):
        return Verdict.BAD_POSE
    if not 0.0 <= item.confidence <= 1.0:  # also refuses NaN
        return Verdict.BAD_CONFIDENCE
    if not is_word(item.label) or (item.entity_id and not is_word(item.entity_id)):
        return Verdict.BAD_LABEL
    return None


def support(
    source: Source, confidence: float, stamp: float, now: float, config: AttentionConfig
) -> float:
    """Return S(t) = w_o q decay(t - tau): how strongly an estimate speaks at time `now`."""
    return config.weight(source) * confidence * decay(now - stamp, config)


def replaces(new: Record, old: Record, now: float, config: AttentionConfig) -> bool:
    """Tell whether estimate `new` wins over `old`, both judged now by measurement stamps.

    A refuted estimate does not compete: whatever was measured after the refutation wins.
    """
    if not old.supported:
        return new.stamp > old.refuted_at
    new_support = support(new.source, new.confidence, new.stamp, now, config)
    old_support = support(old.source, old.confidence, old.stamp, now, config)
    if new_support == old_support and new.stamp == old.stamp:
        return _precedence(new, config) >= _precedence(old, config)
    return new_support >= old_support


def _precedence(record: Record, config: AttentionConfig) -> tuple[float, float, str]:
    """Order equally supported simultaneous estimates, so that they may arrive in any order."""
    return config.weight(record.source), record.confidence, record.source.value
