"""Places that robots have given up, and when they may be tried again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adm_core.search.team_map import TeamMap
from adm_core.types import Cell

#: A place is tried again when the map changes within so many cells of it.
_NEARBY = 3


@dataclass(frozen=True)
class _Place:
    cell: Cell
    expires: int
    around: bytes


class GivenUp:
    """Places given up by each robot: each one expires, or is cleared when the map nearby changes.

    Parameters
    ----------
    near : int
        Cells this close to a place, in rows and columns, count as the place.
    steps : int
        Time until a place expires.

    Attributes
    ----------
    count : int
        How often a place was given up.
    """

    def __init__(self, near: int, steps: int) -> None:
        self._near, self._steps = near, steps
        self._places: dict[int, list[_Place]] = {}
        self.count = 0

    def add(self, robot: int, cell: Cell, step: int, known: TeamMap) -> None:
        """Give a place up for one robot."""
        place = _Place(cell, step + self._steps, _window(known, cell))
        self._places.setdefault(robot, []).append(place)
        self.count += 1

    def clear(self) -> bool:
        """Forget all places; tell whether there were any."""
        had = any(self._places.values())
        self._places.clear()
        return had

    def holds(
        self, robot: int, cells: npt.NDArray[np.int64], step: int, known: TeamMap
    ) -> npt.NDArray[np.bool_]:
        """Mark the flat indices that lie at a place which `robot` has given up."""
        held = np.zeros(len(cells), bool)
        if not self._places.get(robot):
            return held
        self._places[robot] = [
            place
            for place in self._places[robot]
            if step < place.expires and place.around == _window(known, place.cell)
        ]
        rows, cols = np.divmod(cells, known.shape[1])
        for place in self._places[robot]:
            row, col = place.cell
            held |= (np.abs(rows - row) <= self._near) & (np.abs(cols - col) <= self._near)
        return held


def _window(known: TeamMap, cell: Cell) -> bytes:
    row, col = max(cell.row - _NEARBY, 0), max(cell.col - _NEARBY, 0)
    return known.grid[row : cell.row + _NEARBY + 1, col : cell.col + _NEARBY + 1].tobytes()
