"""Ways between the tasks of RACER, and the matrices that orders of visit are made from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adm_core.grid import distance_field
from adm_core.search.baselines.voronoi import optimistic
from adm_core.search.strategy import TeamView
from adm_core.types import Cell

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NO_LIMIT = 2**31 - 1


def ending_at_last(dist: Floats) -> Floats:
    """Return `dist` with one more point that is cheap to get to from the last one only.

    A shortest open path then ends there, hence at the last point before.
    """
    size = len(dist)
    far = 2.0 * size * (dist.max() + 1.0)
    longer = np.full((size + 1, size + 1), far)
    longer[:size, :size] = dist
    longer[size - 1, size] = longer[size, size - 1] = 0.0
    longer[size, size] = 0.0
    return longer


class Ways:
    """Moves between cells if unknown ones can be passed; kept until the map changes."""

    def __init__(self) -> None:
        self._revision = -1
        self._fields: dict[int, tuple[int, npt.NDArray[np.int32]]] = {}

    def renew(self, view: TeamView) -> None:
        """Take the map of `view` from now on."""
        if self._revision != view.map.revision:
            self._revision = view.map.revision
            self._grid = optimistic(view.map.passable)
            self._fields.clear()

    def flat(self, cell: Cell) -> int:
        """Return the flat index of a cell."""
        return cell.row * self._grid.shape[1] + cell.col

    def steps(self, cell: Cell, places: Ints) -> npt.NDArray[np.int32]:
        """Return the moves from `cell` to flat indices; more than any way where none leads."""
        return self.from_flat(self.flat(cell), places)

    def from_flat(self, cell: int, places: Ints, limit: int = NO_LIMIT) -> npt.NDArray[np.int32]:
        """Return the moves from one flat index to others; none is farther than `limit`."""
        known, field = self._fields.get(cell, (-1, None))
        if field is None or known < limit:
            field = distance_field(self._grid, np.array([cell]), max_distance=limit).ravel()
            self._fields[cell] = limit, field
        steps = field[places]
        return np.where(steps < 0, np.int32(self._grid.size), steps)

    def between(self, places: Ints, limit: int = NO_LIMIT) -> Floats:
        """Return the moves between flat indices, float64[n, n]; no two are farther than `limit`.

        The limit only saves time: twice the way from a robot to the farthest place will do.
        """
        ways = np.zeros((len(places), len(places)))
        for i, place in enumerate(places[:-1].tolist()):
            ways[i, i + 1 :] = ways[i + 1 :, i] = self.from_flat(place, places[i + 1 :], limit)
        return ways
