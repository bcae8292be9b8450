"""Where to stand before a target: reachable on the present map, with the target in view."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adm_core.grid.distance import distance_field
from adm_core.grid.regions import shrink
from adm_core.manipulation.planar import Point
from adm_core.types import Cell, GridMap, Pose2D

_RING = 24  # directions from which a target may be approached
_OCCUPIED = 50
_LEAVE_M = 0.25  # out of a tight place the robot may leave
_AGAIN_M = 0.10  # what is this near to a place is the same place
_TARGET_M = 0.14  # what is this near to the target is the target


@dataclass(frozen=True)
class StandoffChoice:
    """How a place before a target is chosen; lengths in metres.

    Attributes
    ----------
    distance_m : float
        From the robot's centre to the target.
    clearance_m : float
        Room around the robot's centre.
    """

    distance_m: float
    clearance_m: float

    def place(
        self,
        grid_map: GridMap,
        robot: Pose2D,
        target: Point,
        heading: float | None = None,
        avoid: Sequence[Pose2D] = (),
    ) -> Pose2D | None:
        """Return the place with the shortest way to it, facing the target; None if there is none.

        Parameters
        ----------
        grid_map : GridMap
            The robot's map; what it does not know counts as free, for it knows what is near.
        robot : Pose2D
            Where the robot is.
        target : (float, float)
            What to face.
        heading : float, optional
            From where a station has to be approached; tried first, then up to 60 degrees off.
        avoid : sequence of Pose2D
            Places that turned out not to be reachable.
        """
        free = grid_map.data < _OCCUPIED
        start = grid_map.world_to_cell(robot.x, robot.y)
        if not grid_map.contains(start):
            return None
        standable = self._standable(grid_map, free, start)
        ways = distance_field(
            np.where(standable, 0, 100).astype(np.int8), [start], diagonal="metric"
        )
        best, least = None, math.inf
        for yaw, penalty in self._headings(heading):
            x = target[0] - self.distance_m * math.cos(yaw)
            y = target[1] - self.distance_m * math.sin(yaw)
            cell = grid_map.world_to_cell(x, y)
            if not grid_map.contains(cell) or not 0 <= ways[cell] < math.inf:
                continue
            if any(math.hypot(x - item.x, y - item.y) < _AGAIN_M for item in avoid):
                continue
            cost = float(ways[cell]) * grid_map.resolution + penalty
            if cost < least and _in_view(grid_map, free, (x, y), target):
                best, least = Pose2D(x, y, yaw), cost
        return best

    def _standable(
        self, grid_map: GridMap, free: npt.NDArray[np.bool_], start: Cell
    ) -> npt.NDArray[np.bool_]:
        wide = shrink(free, self.clearance_m / grid_map.resolution)
        rows, cols = np.ogrid[: free.shape[0], : free.shape[1]]
        reach = _LEAVE_M / grid_map.resolution
        near = (rows - start.row) ** 2 + (cols - start.col) ** 2 <= reach**2
        standable = wide | (free & near)
        standable[start] = True
        return standable

    def _headings(self, heading: float | None) -> list[tuple[float, float]]:
        """Return headings with what each costs beyond the way to it, metres."""
        if heading is None:
            step = 2 * math.pi / _RING
            return [(math.remainder(index * step, 2 * math.pi), 0.0) for index in range(_RING)]
        turns = (0, 15, -15, 30, -30, 45, -45, 60, -60)
        return [(heading + math.radians(turn), 100.0 * abs(turn)) for turn in turns]


def _in_view(grid_map: GridMap, free: npt.NDArray[np.bool_], eye: Point, target: Point) -> bool:
    """Tell whether nothing stands between a place and a target."""
    away = math.hypot(target[0] - eye[0], target[1] - eye[1])
    steps = np.arange(0.0, max(away - _TARGET_M, 0.0), 0.5 * grid_map.resolution)
    for share in (steps / away).tolist():
        x, y = eye[0] + share * (target[0] - eye[0]), eye[1] + share * (target[1] - eye[1])
        cell = grid_map.world_to_cell(x, y)
        if grid_map.contains(cell) and not free[cell]:
            return False
    return True
