"""Timed joint motion through waypoints, at the arm's speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from adm_core.manipulation.arm import ArmModel, Joints
from adm_core.manipulation.kinematics import Reach, ReachStatus, ToolPose, solve

_SHORTEST_S = 0.05


class JointMotion:
    """Piecewise linear motion; each piece takes as long as its slowest joint.

    Parameters
    ----------
    waypoints : sequence of Joints
        Where it begins, passes and ends: one or more, radians.
    speed : float
        Joint speed in rad/s, > 0.
    started : float
        When it begins, seconds.
    """

    def __init__(self, waypoints: Sequence[Joints], speed: float, started: float) -> None:
        if not waypoints:
            raise ValueError("waypoints must hold one or more")
        if not speed > 0:
            raise ValueError(f"speed must be > 0 rad/s, got {speed}")
        self._points = list(waypoints)
        self._times = [started]
        for a, b in pairwise(self._points):
            travel = max(abs(x - y) for x, y in zip(a, b, strict=True))
            self._times.append(self._times[-1] + max(travel / speed, _SHORTEST_S))

    @property
    def end(self) -> Joints:
        """Where it ends."""
        return self._points[-1]

    @property
    def ends_at(self) -> float:
        """When it ends, seconds."""
        return self._times[-1]

    def at(self, now: float) -> Joints:
        """Return the joints at a time; before and after it, the ends."""
        for index in range(1, len(self._times)):
            if now < self._times[index]:
                start, end = self._times[index - 1], self._times[index]
                share = max(0.0, (now - start) / (end - start))
                return _between(self._points[index - 1], self._points[index], share)
        return self.end


def _between(a: Joints, b: Joints, share: float) -> Joints:
    first, second, third, fourth, fifth = (x + share * (y - x) for x, y in zip(a, b, strict=True))
    return first, second, third, fourth, fifth


def straight_line(
    arm: ArmModel, start: ToolPose, end: ToolPose, near: Sequence[float], step_m: float = 0.01
) -> list[Joints] | Reach:
    """Return joints along a straight line of the fingertips, or the first point out of reach.

    Parameters
    ----------
    arm : ArmModel
        The robot.
    start, end : ToolPose
        Ends of the line; pitch and roll go linearly.
    near : sequence of five float
        Posture before, to which the first point is kept close.
    step_m : float
        Largest distance between points, metres.
    """
    count = max(1, math.ceil(math.dist(start[:3], end[:3]) / step_m))
    points: list[Joints] = []
    for index in range(count + 1):
        share = index / count
        pose = ToolPose(*(a + share * (b - a) for a, b in zip(start, end, strict=True)))
        reach = solve(arm, pose, points[-1] if points else near)
        if reach.joints is None:
            return reach
        if points and max(abs(a - b) for a, b in zip(points[-1], reach.joints, strict=True)) > 1.0:
            return Reach(ReachStatus.JOINT_LIMIT, None, pose.pitch)  # the elbow would flip over
        points.append(reach.joints)
    return points
