"""Search when nothing is known: visit the nearest place not looked at since it began."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

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
    start : Cell, optional
        Where the search begins.
    """

    def __init__(self, terrain: Terrain, view_m: float, start: Cell | None = None) -> None:
        self._terrain = terrain
        self._view_m = view_m
        self._unseen = terrain.standable.copy()
        self._disc = _disc(int(view_m / terrain.grid_map.resolution))
        if start is not None:
            self.look(start)

    def look(self, robot: Cell) -> None:
        """Mark what is visible from `robot`; once everything is seen, begin anew."""
        visible = self._terrain.lengths(robot) <= self._view_m
        self._unseen &= ~visible
        if not self._unseen.any():
            self._unseen = self._terrain.standable & ~visible

    def skip(self, cell: Cell) -> None:
        """Leave a cell out for this round: it cannot be reached."""
        self._unseen[cell] = False
        if not self._unseen.any():
            self._unseen = self._terrain.standable.copy()

    def next_goal(self, robot: Cell) -> Cell:
        """Return the nearest unseen cell; `robot` itself if there is none.

        Of equally near cells the one around which most is unseen, else the first row-major. A
        fixed order would lead along the walls, where half of the view is wasted.
        """
        distance = np.where(self._unseen, self._terrain.lengths(robot), np.inf)
        nearest = distance.min()
        if not np.isfinite(nearest):
            return robot
        equal = np.argwhere(distance == nearest).tolist()
        best = equal[0] if len(equal) == 1 else max(equal, key=self._unseen_around)
        return Cell(*best)

    def _unseen_around(self, cell: list[int]) -> int:
        """Count the unseen cells within the view of `cell` as the crow flies."""
        reach = self._disc.shape[0] // 2
        top, left = max(cell[0] - reach, 0), max(cell[1] - reach, 0)
        window = self._unseen[top : cell[0] + reach + 1, left : cell[1] + reach + 1]
        disc = self._disc[top - cell[0] + reach :, left - cell[1] + reach :]
        return int(np.count_nonzero(window & disc[: window.shape[0], : window.shape[1]]))


def _disc(radius: int) -> npt.NDArray[np.bool_]:
    """Return a disc of `radius` cells, bool[2 * radius + 1, 2 * radius + 1]."""
    along = np.arange(-radius, radius + 1)
    return along[:, None] ** 2 + along**2 <= radius**2
