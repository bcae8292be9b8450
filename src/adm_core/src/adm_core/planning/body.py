"""How the ends of servo and arm become reasons that the memory keeps."""

from __future__ import annotations

from adm_core.manipulation.sequence import ArmEnd
from adm_core.manipulation.servo import ServoState
from adm_core.memory.records import FailureReason

_ARM = {
    ArmEnd.NONE: FailureReason.NONE,
    ArmEnd.UNREACHABLE: FailureReason.UNREACHABLE,
    ArmEnd.ARM_STUCK: FailureReason.BLOCKED,
    ArmEnd.MISSED: FailureReason.MISSED,
    ArmEnd.JAMMED: FailureReason.MISSED,
    ArmEnd.DROPPED: FailureReason.DROPPED,
    ArmEnd.NOT_SEEN: FailureReason.NOT_VERIFIED,
    ArmEnd.NO_PICTURES: FailureReason.NO_PICTURES,
    ArmEnd.NOT_RELEASED: FailureReason.NOT_RELEASED,
    ArmEnd.EMPTY: FailureReason.DROPPED,
}

_SERVO = {
    ServoState.CENTRED: FailureReason.NONE,
    ServoState.BLOCKED: FailureReason.BLOCKED,
    ServoState.NO_PICTURES: FailureReason.NO_PICTURES,
    ServoState.TIMEOUT: FailureReason.TIMEOUT,
}


def arm_reason(end: ArmEnd) -> FailureReason:
    """Return the reason of a sequence's end."""
    return _ARM[end]


def servo_reason(state: ServoState, was_seen: bool) -> FailureReason:
    """Return the reason of an approach's end.

    Parameters
    ----------
    state : ServoState
        The end; RUNNING raises ValueError.
    was_seen : bool
        Whether the target was in any picture of this approach. If it never was although the
        camera looked at its place, it is absent, which refutes its record.
    """
    if state is ServoState.RUNNING:
        raise ValueError("an approach that is still running has no reason")
    if state is ServoState.LOST:
        return FailureReason.LOST if was_seen else FailureReason.ABSENT
    return _SERVO[state]
