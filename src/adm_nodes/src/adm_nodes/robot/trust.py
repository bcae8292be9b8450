"""Which pose can be relied on when a localisation begins a new map under way."""

from __future__ import annotations

import math

from adm_core.manipulation.planar import in_map_frame, in_robot_frame
from adm_core.types import Pose2D

_JUMP_M, _SPEED_M_S, _STILL_M = 0.5, 0.8, 0.02


class Trust:
    """Follow poses as long as they can be those of the map that is relied on.

    A jump, or a word that the map was begun anew, ends that. From then on only the motion in the
    new map counts: what it adds to the last pose of the old one is where the robot is.

    Attributes
    ----------
    pose : Pose2D or None
        The last pose that can be relied on, in the frame of the map that is relied on.
    is_lost : bool
        Whether poses are those of another map.
    travelled_m : float
        Way in the map that is relied on.
    """

    def __init__(self) -> None:
        self.pose: Pose2D | None = None
        self.is_lost = False
        self.travelled_m = 0.0
        self._at = 0.0  # by the robot's clock
        self._counted: Pose2D | None = None  # up to where the way is counted
        self._strays: tuple[Pose2D, Pose2D] | None = None  # first and last pose in another map

    def note(self, pose: Pose2D, stamp: float) -> None:
        """Take a pose in; `stamp` is the robot's clock: while the link is down it may drive on."""
        if self.pose is None:
            self.pose, self._at = pose, stamp
        pause = max(0.0, stamp - self._at)
        self.is_lost |= _apart(pose, self.pose) > _JUMP_M + _SPEED_M_S * pause
        if self.is_lost:
            self._follow_stray(pose)
            return
        self.pose, self._at = pose, stamp
        self._count(pose)

    def lose(self) -> None:
        """Take note that the map was begun anew."""
        self.is_lost = True

    def carry_on(self) -> Pose2D | None:
        """Add the motion since the loss to the last pose, once, and return what comes out."""
        if self.pose is not None and self._strays is not None:
            first, last = self._strays
            x, y = in_map_frame(self.pose, *in_robot_frame(first, (last.x, last.y)))
            turned = self.pose.yaw + last.yaw - first.yaw
            self.pose = Pose2D(x, y, math.remainder(turned, 2 * math.pi))
            self._strays = last, last
        return self.pose

    def rely_on(self, pose: Pose2D | None, stamp: float) -> None:
        """Take the present map, and the robot's pose in it, for the one that is relied on."""
        self.is_lost = False
        self.pose, self._at, self._strays = pose, stamp, None

    def _follow_stray(self, pose: Pose2D) -> None:
        """Follow the motion in another map; a jump begins yet another one."""
        first, last = self._strays or (pose, pose)
        self._strays = (pose, pose) if _apart(pose, last) > _JUMP_M else (first, pose)

    def _count(self, pose: Pose2D) -> None:
        way = _apart(pose, self._counted or pose)
        if self._counted is None or way > _STILL_M:  # what is less is noise
            self.travelled_m += way
            self._counted = pose


def _apart(a: Pose2D, b: Pose2D) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)
