"""What planning must know of a body: when it has arrived, and what its ends mean to memory."""

from __future__ import annotations

import math
from dataclasses import dataclass

from adm_core.manipulation.planar import bearing_to
from adm_core.manipulation.sequence import ArmEnd
from adm_core.manipulation.servo import ServoState
from adm_core.memory.records import FailureReason
from adm_core.types import Pose2D


@dataclass(frozen=True)
class Standoff:
    """When a robot is near enough to a target for the next skill: it is ahead, at a distance.

    Attributes
    ----------
    distance_m : float
        Where driving ends.
    slack_m, slack_rad : float
        What may be missing in distance and heading.
    """

    distance_m: float
    slack_m: float = 0.12
    slack_rad: float = 0.35

    def arrived(self, robot: Pose2D, goal: Pose2D) -> bool:
        """Tell whether `goal` is ahead and near enough."""
        away = math.hypot(goal.x - robot.x, goal.y - robot.y)
        near = 0.25 <= away <= self.distance_m + self.slack_m
        return near and abs(bearing_to(robot, (goal.x, goal.y))) <= self.slack_rad


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
        camera looked at its place, it is absent; if it was, and was looked for again, it is lost.
        Both refute its record.
    """
    if state is ServoState.RUNNING:
        raise ValueError("an approach that is still running has no reason")
    if state is ServoState.LOST:
        return FailureReason.LOST if was_seen else FailureReason.ABSENT
    return _SERVO[state]
