"""Dynamic Voronoi cells: which robot could be first at every place that is not a wall."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adm_core.grid import distance_field
from adm_core.types import Cell

#: Owner of walls and of places that no robot could get to.
NOBODY = -1


def optimistic(grid: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return `grid` with unknown cells free (0) like the free ones, and all else a wall (100)."""
    return np.where(grid <= 0, np.int8(0), np.int8(100))


def voronoi_cells(
    grid: npt.NDArray[np.int8],
    robots: list[tuple[int, Cell]],
) -> npt.NDArray[np.int32]:
    """Give every free or unknown cell to the robot with the shortest way to it.

    Parameters
    ----------
    grid : int8[rows, cols]
        -1 unknown, 0 free, every other value blocks.
    robots : list of (int, Cell)
        Number and cell of each robot that takes part.

    Returns
    -------
    int32[rows, cols]
        Number of the owner; equal ways go to the robot that comes first in `robots`;
        :data:`NOBODY` where none leads.

    Raises
    ------
    ValueError
        If a robot stands off the grid.

    Notes
    -----
    What a breadth-first search from all robots at once finds, over free and unknown cells, with
    the moves of the robots. O(robots * cells) time, two grids of memory.
    """
    passable = optimistic(grid)
    owner = np.full(grid.shape, NOBODY, np.int32)
    nearest = np.full(grid.shape, np.iinfo(np.int32).max, np.int32)
    for number, cell in robots:
        steps = distance_field(passable, cell, diagonal="unit")
        closer = (steps >= 0) & (steps < nearest)
        owner[closer] = number
        nearest[closer] = steps[closer]
    return owner
