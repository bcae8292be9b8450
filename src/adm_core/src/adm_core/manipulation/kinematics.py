"""Forward and analytic inverse kinematics of the five-joint arm.

The arm is a vertical plane that joint 1 turns, three joints in that plane, and a roll of the
hand. A target is therefore a position, a pitch and a roll; the heading of the hand follows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core.manipulation.arm import ArmModel, Joints

#: Straight angle of the fourth joint.
_STRAIGHT = math.pi / 2
_ON_AXIS_M = 1e-9


class ToolPose(NamedTuple):
    """Pose of the fingertips in the base frame, metres and radians.

    ``pitch`` is the angle of the hand below the horizontal, measured in the vertical plane
    through joint 1 and the fingertips: 0 points away from the robot, pi/2 down, and beyond
    pi/2 back towards it. ``roll`` turns the hand about its own axis.
    """

    x: float
    y: float
    z: float
    pitch: float
    roll: float = 0.0


class ReachStatus(str, Enum):
    """Whether a target can be reached, and if not, what is in the way."""

    REACHABLE = "reachable"
    TOO_FAR = "too_far"  # the wrist would have to be farther from the shoulder than the arm is long
    TOO_NEAR = "too_near"  # or nearer than the folded arm allows
    JOINT_LIMIT = "joint_limit"  # the lengths allow it, a joint does not
    NOT_FINITE = "not_finite"


@dataclass(frozen=True, slots=True)
class Reach:
    """Answer to a reachability question.

    Attributes
    ----------
    status : ReachStatus
        Whether, and why not.
    joints : Joints or None
        The angles in radians, within their limits; None if out of reach.
    pitch : float
        Pitch in radians that was reached or asked for.
    """

    status: ReachStatus
    joints: Joints | None
    pitch: float

    def __bool__(self) -> bool:
        return self.joints is not None


def forward(arm: ArmModel, joints: Sequence[float]) -> ToolPose:
    """Return the pose of the fingertips for five joint angles in radians.

    Angles are not checked against the limits: a measured angle may lie a little beyond.
    """
    turn, shoulder, elbow, wrist, roll = joints
    radius, height, pitch = _in_plane(arm, shoulder, elbow, wrist)
    if radius < 0:  # bent over backwards: the same hand, seen from the plane it points to
        pitch, roll = math.pi - pitch, _wrapped(roll + math.pi)
    return ToolPose(radius * math.cos(turn), radius * math.sin(turn), height, _wrapped(pitch), roll)


def _in_plane(
    arm: ArmModel, shoulder: float, elbow: float, wrist: float
) -> tuple[float, float, float]:
    """Return reach, height and pitch of the fingertips in the plane of the arm."""
    bent = shoulder + elbow
    pitch = bent + wrist + _STRAIGHT
    radius = arm.upper * math.cos(shoulder) + arm.fore * math.cos(bent) + arm.hand * math.cos(pitch)
    down = arm.upper * math.sin(shoulder) + arm.fore * math.sin(bent) + arm.hand * math.sin(pitch)
    return radius, arm.shoulder_height - down, pitch


def camera_in_base(
    arm: ArmModel, joints: Sequence[float]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return where the wrist camera is and how it looks.

    Parameters
    ----------
    arm : ArmModel
        The robot.
    joints : sequence of five float
        Joint angles in radians.

    Returns
    -------
    rotation : float64[3, 3]
        Turns vectors of the optical frame (x right, y down, z ahead) into the base frame.
    centre : float64[3]
        Optical centre in the base frame, metres.
    """
    turn, shoulder, elbow, wrist, _ = joints
    bent = shoulder + elbow
    pitch = bent + wrist + _STRAIGHT
    side, ahead = math.sin(turn), math.cos(turn)
    cos, sin = math.cos(pitch), math.sin(pitch)
    rotation = np.array(
        [
            [side, -sin * ahead, cos * ahead],
            [-ahead, -sin * side, cos * side],
            [0.0, -cos, -sin],
        ]
    )
    radius = arm.upper * math.cos(shoulder) + arm.fore * math.cos(bent)
    height = arm.shoulder_height - arm.upper * math.sin(shoulder) - arm.fore * math.sin(bent)
    centre = np.array([radius * ahead, radius * side, height])
    return rotation, centre + rotation @ np.array([0.0, -arm.camera_up, arm.camera_forward])


def solve(arm: ArmModel, target: ToolPose, near: Sequence[float] | None = None) -> Reach:
    """Return the joint angles for a pose of the fingertips, or why there are none.

    Up to four solutions exist: facing the target or bent over backwards, elbow up or down. The
    one within all limits whose largest joint travel from `near` is smallest is returned.

    Parameters
    ----------
    arm : ArmModel
        The robot.
    target : ToolPose
        Where the fingertips shall be.
    near : sequence of five float, optional
        Present joint angles in radians (default: the home posture).

    Returns
    -------
    Reach
        Exact up to rounding (below 1e-9 m).
    """
    if not all(map(math.isfinite, target)):
        return Reach(ReachStatus.NOT_FINITE, None, target.pitch)
    start = arm.home if near is None else near
    best: Joints | None = None
    least = math.inf
    status = ReachStatus.JOINT_LIMIT
    for turn, radius, pitch, roll in _planes(target, start[0]):
        found = _fold(arm, radius, target.z, pitch)
        if isinstance(found, ReachStatus):
            status = found
            continue
        status = ReachStatus.JOINT_LIMIT
        for shoulder, elbow, wrist in found:
            joints = (turn, shoulder, elbow, wrist, roll)
            travel = max(abs(angle - now) for angle, now in zip(joints, start, strict=True))
            if travel < least and arm.within_limits(joints):
                best, least = joints, travel
    return Reach(ReachStatus.REACHABLE if best else status, best, target.pitch)


def search_pitch(
    arm: ArmModel,
    position: Sequence[float],
    *,
    preferred: float,
    lowest: float,
    highest: float,
    step: float = math.radians(2.0),
    roll: float = 0.0,
    near: Sequence[float] | None = None,
) -> Reach:
    """Return the solution whose pitch is nearest to the preferred one.

    Parameters
    ----------
    arm : ArmModel
        The robot.
    position : sequence of three float
        Where the fingertips shall be, metres in the base frame.
    preferred, lowest, highest : float
        Wanted pitch and its range in radians.
    step : float
        Spacing of the tried pitches in radians, > 0.
    roll : float
        Roll of the hand in radians.
    near : sequence of five float, optional
        Present joint angles, as for :func:`solve`.

    Raises
    ------
    ValueError
        If the range is empty, does not hold the preferred pitch, or `step` is not positive.
    """
    if not (lowest <= preferred <= highest):
        raise ValueError(f"preferred must be in [{lowest}, {highest}] rad, got {preferred}")
    if not step > 0:
        raise ValueError(f"step must be > 0 rad, got {step}")
    x, y, z = position
    first: Reach | None = None
    for pitch in pitches(preferred, lowest, highest, step):
        reach = solve(arm, ToolPose(x, y, z, pitch, roll), near)
        if reach:
            return reach
        first = first or reach
    assert first is not None  # the preferred pitch itself was tried
    return first


def pitches(preferred: float, lowest: float, highest: float, step: float) -> Iterator[float]:
    """Yield the pitches of a range in radians, the preferred one first, then ever farther off."""
    yield preferred
    for index in range(1, math.ceil((highest - lowest) / step) + 1):
        for pitch in (preferred + index * step, preferred - index * step):
            if lowest <= pitch <= highest:
                yield pitch


def _planes(target: ToolPose, turn_now: float) -> Iterator[tuple[float, float, float, float]]:
    """Yield turn, reach, pitch and roll: facing the target, and with the back to it."""
    radius = math.hypot(target.x, target.y)
    # Straight above the axis any turn will do: the present one.
    turn = turn_now if radius < _ON_AXIS_M else math.atan2(target.y, target.x)
    yield turn, radius, target.pitch, _wrapped(target.roll)
    yield _wrapped(turn + math.pi), -radius, math.pi - target.pitch, _wrapped(target.roll + math.pi)


def _fold(
    arm: ArmModel, radius: float, height: float, pitch: float
) -> ReachStatus | list[tuple[float, float, float]]:
    """Return shoulder, elbow and wrist angles, elbow up and down: the law of cosines."""
    out = radius - arm.hand * math.cos(pitch)
    down = arm.shoulder_height - height - arm.hand * math.sin(pitch)
    span = out * out + down * down
    bend = (span - arm.upper**2 - arm.fore**2) / (2 * arm.upper * arm.fore)
    if bend > 1 + 1e-12:
        return ReachStatus.TOO_FAR
    if bend < -1 - 1e-12:
        return ReachStatus.TOO_NEAR
    inner = math.acos(min(1.0, max(-1.0, bend)))
    towards = math.atan2(down, out)
    solutions = []
    for elbow in (inner, -inner):
        lead = math.atan2(arm.fore * math.sin(elbow), arm.upper + arm.fore * math.cos(elbow))
        shoulder = _within(towards - lead, arm, 1)
        solutions.append((shoulder, elbow, _within(pitch - shoulder - elbow - _STRAIGHT, arm, 3)))
    return solutions


def _within(angle: float, arm: ArmModel, index: int) -> float:
    """Return the angle, turned by whole circles to lie in the limits of a joint if it can."""
    joint = arm.joints[index]
    middle = (joint.min_rad + joint.max_rad) / 2
    return middle + _wrapped(angle - middle)


def _wrapped(angle: float) -> float:
    """Return the angle in (-pi, pi]."""
    wrapped = math.remainder(angle, 2 * math.pi)
    return math.pi if wrapped == -math.pi else wrapped
