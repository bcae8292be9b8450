"""Just enough of tf to know where the base is: planar transforms, the newest of each."""

from __future__ import annotations

import math

from adm_core.types import Pose2D


def compose(outer: Pose2D, inner: Pose2D) -> Pose2D:
    """Return `inner`, which is given in the frame of `outer`, in the frame that `outer` is in."""
    cos, sin = math.cos(outer.yaw), math.sin(outer.yaw)
    return Pose2D(
        outer.x + cos * inner.x - sin * inner.y,
        outer.y + sin * inner.x + cos * inner.y,
        math.remainder(outer.yaw + inner.yaw, 2.0 * math.pi),
    )


class FrameTree:
    """The newest transform of every frame to its parent.

    Good for a base on a floor, between frames that are upright; times are not interpolated.
    """

    def __init__(self) -> None:
        self._parents: dict[str, tuple[str, Pose2D]] = {}

    def put(self, parent: str, child: str, pose: Pose2D) -> None:
        """Note where `child` is in `parent`."""
        self._parents[child.lstrip("/")] = (parent.lstrip("/"), pose)

    def find(self, target: str, frame: str) -> Pose2D | None:
        """Return where `frame` is in `target`, which must be above it; None if that is unknown."""
        pose = Pose2D(0.0, 0.0)
        for _ in range(len(self._parents) + 1):  # bounded: a loop of frames must not hang us
            if frame == target:
                return pose
            if frame not in self._parents:
                return None
            frame, step = self._parents[frame]
            pose = compose(step, pose)
        return None
