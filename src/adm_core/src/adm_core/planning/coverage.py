"""Search when nothing is known: visit the nearest place not looked at since it began."""

from __future__ import annotations

import numpy as np

from adm_core.grid.terrain import Terrain
from adm_core.types import Cell


class Coverage:
    """Cells looked at since the search began; knows nothing about objects.

    Parameters
    ----------
    terrain : Terrain
        Where the robot can go.
    view_m : float
        Path length up to which the robot sees from where it stands, in metres.
    """

    def __init__(self, terrain: Terrain, view_m: float) -> None:
        self._terrain = terrain
        self._view_m = view_m
        self._unseen = terrain.standable.copy()

    def look(self, robot: Cell) -> None:
        """Mark what is visible from `robot`; once everything is seen, begin anew."""
        visible = self._terrain.lengths(robot) <= self._view_m
        self._unseen &= ~visible
        if not self._unseen.any():
            self._unseen = self._terrain.standable & ~visible

    def next_goal(self, robot: Cell) -> Cell:
        """Return the nearest unseen cell, ties row-major; `robot` itself if there is none."""
        distance = np.where(self._unseen, self._terrain.lengths(robot), np.inf)
        flat = int(np.argmin(distance))
        if not np.isfinite(distance.flat[flat]):
            return robot
        return Cell(*divmod(flat, distance.shape[1]))
