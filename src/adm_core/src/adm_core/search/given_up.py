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
    robot: int | None
    cell: Cell
    expires: int | None
    around: bytes


class GivenUp:
    """Places given up, by a robot that could not get there, or by all because it was in vain.

    A place is cleared when the map nearby changes. Before that, one that a robot could not get
    to expires, for what stood in its way may be gone; one where a robot stood and saw nothing
    new does not, for the next robot would see nothing either.

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
        self._places: list[_Place] = []
        self.count = 0

    def add(self, robot: int, cell: Cell, step: int, known: TeamMap) -> None:
        """Give a place up that one robot cannot get to."""
        self._places.append(_Place(robot, cell, step + self._steps, _window(known, cell)))
        self.count += 1

    def add_in_vain(self, cell: Cell, known: TeamMap) -> None:
        """Give a place up for all robots, because one was there and saw nothing new."""
        self._places.append(_Place(None, cell, None, _window(known, cell)))
        self.count += 1

    def retry(self) -> bool:
        """Forget the places that could not be got to; tell whether there were any."""
        kept = [place for place in self._places if place.expires is None]
        had, self._places = len(kept) < len(self._places), kept
        return had

    def holds(
        self, robot: int, cells: npt.NDArray[np.int64], step: int, known: TeamMap
    ) -> npt.NDArray[np.bool_]:
        """Mark the flat indices that lie at a place which is given up for `robot`."""
        held = np.zeros(len(cells), bool)
        if not self._places:
            return held
        self._places = [
            place
            for place in self._places
            if (place.expires is None or step < place.expires)
            and place.around == _window(known, place.cell)
        ]
        rows, cols = np.divmod(cells, known.shape[1])
        for place in self._places:
            if place.robot in (None, robot):
                row, col = place.cell
                held |= (np.abs(rows - row) <= self._near) & (np.abs(cols - col) <= self._near)
        return held


def _window(known: TeamMap, cell: Cell) -> bytes:
    row, col = max(cell.row - _NEARBY, 0), max(cell.col - _NEARBY, 0)
    return known.grid[row : cell.row + _NEARBY + 1, col : cell.col + _NEARBY + 1].tobytes()
