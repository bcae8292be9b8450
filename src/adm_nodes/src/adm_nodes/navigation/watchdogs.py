"""What move_base does not watch: whether its inputs still come, and whether the base gets on."""

from __future__ import annotations

import math
from collections.abc import Hashable

from adm_core.types import Pose2D


class Freshness:
    """Tells when a stream has stopped.

    Parameters
    ----------
    name : str
        For messages.
    limit_s : float
        Longest pause; 0 switches the watch off.
    """

    def __init__(self, name: str, limit_s: float) -> None:
        self._name = name
        self._limit_s = limit_s
        self._stamp: Hashable = None
        self._at: float | None = None

    def note(self, stamp: Hashable, now: float) -> None:
        """Note a message; one with the stamp of the last is a repetition, not news."""
        if stamp != self._stamp:
            self._stamp, self._at = stamp, now

    def fault(self, now: float) -> str:
        """Return what is wrong with the stream; empty if nothing is."""
        if not self._limit_s:
            return ""
        if self._at is None:
            return f"no {self._name} yet"
        age = now - self._at
        return f"no {self._name} for {age:.1f} s" if age > self._limit_s else ""


class Progress:
    """Tells when a base has stayed in one place for too long.

    Parameters
    ----------
    limit_s : float
        Longest stay; 0 switches the watch off.
    way_m, turn_rad : float
        What has to be exceeded to count as having left the place.
    """

    def __init__(self, limit_s: float, way_m: float, turn_rad: float) -> None:
        self._limit_s = limit_s
        self._way_m = way_m
        self._turn_rad = turn_rad
        self._place: Pose2D | None = None
        self._since = 0.0

    def restart(self, now: float) -> None:
        """Begin anew, for the next goal."""
        self._place, self._since = None, now

    def note(self, pose: Pose2D, now: float) -> None:
        """Note where the base is."""
        if self._place is None:
            self._place = pose
        elif self._has_left(self._place, pose):
            self._place, self._since = pose, now

    def fault(self, now: float) -> str:
        """Return that the base is stuck; empty if it is not, or nobody says where it is."""
        stay = now - self._since
        if not self._limit_s or self._place is None or stay <= self._limit_s:
            return ""
        return f"no progress for {stay:.1f} s"

    def _has_left(self, place: Pose2D, pose: Pose2D) -> bool:
        turn = math.remainder(pose.yaw - place.yaw, 2.0 * math.pi)
        way = math.hypot(pose.x - place.x, pose.y - place.y)
        return way > self._way_m or abs(turn) > self._turn_rad
