"""Driving: a fine grid with inflated obstacles, a way on it, and a follower of the way."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from adm_core.grid.distance import descend, distance_field
from adm_core.grid.regions import shrink
from adm_core.manipulation.planar import Point, bearing_to
from adm_core.manipulation.servo import Twist
from adm_core.simulation.rigid_body.config import ArenaConfig
from adm_core.simulation.rigid_body.layout import OBSTACLE_M, ArenaLayout
from adm_core.types import Cell, GridMap, Pose2D

_CELL_M = 0.05
_KEEP_S = 8.0  # how long a scanned point is believed
_ESCAPE_M = 0.13  # nearer to an obstacle than this nothing is free, not even under the robot
_LOOK_AHEAD_M = 0.25
_RING = 24  # directions from which a target may be approached


class Navigator:
    """Ways for the robot's centre over the known map and what the lidar sees on it.

    Parameters
    ----------
    config : ArenaConfig
        Size, clearance, standoff, speeds.
    layout : ArenaLayout
        Known map.
    """

    def __init__(self, config: ArenaConfig, layout: ArenaLayout) -> None:
        self._config = config
        side = round(config.size_m / _CELL_M)
        data = np.zeros((side, side), np.int8)
        corner = -side * _CELL_M / 2
        self._map = GridMap(data, _CELL_M, Pose2D(corner, corner))
        self._free = np.ones((side, side), np.bool_)
        for box in layout.obstacles:
            low = self._map.world_to_cell(box.x - OBSTACLE_M / 2, box.y - OBSTACLE_M / 2)
            high = self._map.world_to_cell(box.x + OBSTACLE_M / 2, box.y + OBSTACLE_M / 2)
            self._free[low.row : high.row + 1, low.col : high.col + 1] = False
        self._seen_at = np.full((side, side), -np.inf)
        self._fixed = shrink(self._free, 1.5)  # hits this near to the map are the map

    # -- what the lidar adds ----------------------------------------------------------------

    def note_scan(self, ranges: npt.NDArray[np.float64], pose: Pose2D, now: float) -> None:
        """Take in a scan taken at `pose`: hits that are not on the map are obstacles for a while.

        What a ray has passed through is free again.
        """
        angles = pose.yaw + np.arange(len(ranges)) * (2 * math.pi / len(ranges))
        cos, sin = np.cos(angles), np.sin(angles)
        steps = np.arange(0.2, 2.0, _CELL_M)
        clear = steps[None, :] < ranges[:, None] - 0.1
        through = self._cells(
            (pose.x + cos[:, None] * steps)[clear], (pose.y + sin[:, None] * steps)[clear]
        )
        self._seen_at[through] = -np.inf
        hit = np.isfinite(ranges)
        cells = self._cells(pose.x + cos[hit] * ranges[hit], pose.y + sin[hit] * ranges[hit])
        loose = self._fixed[cells]
        self._seen_at[cells[0][loose], cells[1][loose]] = now

    def _cells(
        self, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        rows = np.floor((y - self._map.origin.y) / _CELL_M).astype(np.intp)
        cols = np.floor((x - self._map.origin.x) / _CELL_M).astype(np.intp)
        inside = (rows >= 0) & (rows < self._free.shape[0])
        inside &= (cols >= 0) & (cols < self._free.shape[1])
        return rows[inside], cols[inside]

    def _standable(self, robot: Pose2D, now: float) -> npt.NDArray[np.bool_]:
        """Return where the robot's centre may be; out of a tight place it may always leave."""
        free = self._free & (now - self._seen_at > _KEEP_S)
        wide = shrink(free, self._config.clearance_m / _CELL_M)
        tight = shrink(free, _ESCAPE_M / _CELL_M)
        rows, cols = np.ogrid[: free.shape[0], : free.shape[1]]
        here = self._map.world_to_cell(robot.x, robot.y)
        near = (rows - here.row) ** 2 + (cols - here.col) ** 2 <= (0.25 / _CELL_M) ** 2
        return wide | (tight & near)

    # -- ways -----------------------------------------------------------------------------------

    def way_to_face(self, robot: Pose2D, target: Point, now: float) -> list[Point]:
        """Return a shortest way to a place from which a target is ahead; empty if there is none."""
        radius = self._config.standoff_m
        angles = np.arange(_RING) * (2 * math.pi / _RING)
        ring = np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius + np.asarray(target)
        return self.way_to_one(robot, [(x, y) for x, y in ring.tolist()], now)

    def way_to_one(self, robot: Pose2D, goals: Sequence[Point], now: float) -> list[Point]:
        """Return a shortest way to the nearest of some places; empty if none can be reached."""
        grid = np.where(self._standable(robot, now), 0, 100).astype(np.int8)
        start = self._map.world_to_cell(robot.x, robot.y)
        if not self._map.contains(start):
            return []
        field = distance_field(grid, [start], diagonal="metric")
        cells = [(self._map.world_to_cell(*goal), goal) for goal in goals]
        reach = [
            (float(field[cell]), cell, goal)
            for cell, goal in cells
            if self._map.contains(cell) and math.isfinite(field[cell]) and field[cell] >= 0
        ]
        if not reach:
            return []
        _, cell, goal = min(reach)
        back = descend(grid, field, cell, diagonal="metric").tolist()
        way = [self._map.cell_to_world(Cell(*item)) for item in reversed(back)]
        return [(pose.x, pose.y) for pose in way[1:-1]] + [goal]


def follow(robot: Pose2D, way: Sequence[Point], config: ArenaConfig) -> Twist:
    """Return the velocity that follows a way: turn towards a point ahead on it, then drive."""
    point = _point_ahead(robot, way)
    away = math.hypot(point[0] - robot.x, point[1] - robot.y)
    heading = bearing_to(robot, point)
    left = math.hypot(way[-1][0] - robot.x, way[-1][1] - robot.y)
    speed = min(config.speed_m_s, 1.5 * left + 0.03)
    turn = max(-config.turn_rad_s, min(config.turn_rad_s, 2.5 * heading))
    if config.base == "mecanum" and away > 1e-3:
        return Twist(speed * math.cos(heading), speed * math.sin(heading), turn)
    share = math.cos(1.6 * heading) if abs(1.6 * heading) < math.pi / 2 else 0.0
    return Twist(speed * share, 0.0, turn)


def _point_ahead(robot: Pose2D, way: Sequence[Point]) -> Point:
    near = min(range(len(way)), key=lambda i: math.hypot(way[i][0] - robot.x, way[i][1] - robot.y))
    for point in way[near:]:
        if math.hypot(point[0] - robot.x, point[1] - robot.y) >= _LOOK_AHEAD_M:
            return point
    return way[-1]


def face(robot: Pose2D, point: Point, config: ArenaConfig) -> Twist:
    """Return the velocity that turns the robot on the spot towards a point."""
    heading = bearing_to(robot, point)
    turn = max(-config.turn_rad_s, min(config.turn_rad_s, 2.5 * heading))
    return Twist(turn=turn)
