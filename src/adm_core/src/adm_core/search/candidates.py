"""Which frontier cells a robot can go to, and where it would stand."""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

from adm_core.search.strategy import Candidates, Waypoint
from adm_core.search.team_map import TeamMap
from adm_core.types import Cell

#: A frontier cell counts as seen from this far, in cells, even by a sensor that looks away.
_NEAR_SIGHT = 2.0
#: Frontier cells this close to a goal are what it is for, if the strategy names none.
_WATCH_CELLS = 2


def reachable_frontier(known: TeamMap, start: Cell) -> Candidates:
    """List the frontier cells that can be reached from `start`, in row-major order.

    A robot with a radius does not fit beside walls: for a frontier cell there, the nearest cell
    counts at which it fits and from which it sees it, at most its radius and two cells away.
    """
    frontier = known.frontier()
    steps = known.steps_from(start).ravel()
    cells = frontier
    if known.config.radius_cells > 0:
        cells = _standing(known, frontier, steps)
    reach = steps[cells]
    can = reach >= 0
    return Candidates(frontier[can], cells[can], reach[can])


def watched(waypoint: Waypoint, known: TeamMap) -> npt.NDArray[np.int64]:
    """Return the frontier cells for whose sake a robot goes to a waypoint."""
    if waypoint.frontier is not None:
        return waypoint.frontier
    if waypoint.heading_rad is not None:
        return np.empty(0, np.int64)
    (row, col), near = waypoint.cell, _WATCH_CELLS
    top, left = max(row - near, 0), max(col - near, 0)
    window = known.frontier_mask()[top : row + near + 1, left : col + near + 1]
    rows, cols = np.nonzero(window)
    return (rows + top) * known.shape[1] + cols + left


def _standing(
    known: TeamMap, frontier: npt.NDArray[np.int64], steps: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Return the reached cell nearest to each frontier cell, itself if there is none."""
    rows, cols = known.shape
    offsets = _disc(known.config.radius_cells + _NEAR_SIGHT)
    row = (frontier // cols)[:, None] + offsets[:, 0]
    col = (frontier % cols)[:, None] + offsets[:, 1]
    inside = (row >= 0) & (row < rows) & (col >= 0) & (col < cols)
    around = np.where(inside, row * cols + col, frontier[:, None])
    reached = steps[around] >= 0
    first = np.argmax(reached, axis=1)
    return np.take_along_axis(around, first[:, None], axis=1)[:, 0]


@functools.lru_cache(maxsize=8)
def _disc(radius: float) -> npt.NDArray[np.int64]:
    """Return the offsets within `radius`, nearest first, ties row-major; (0, 0) leads."""
    side = np.arange(-math.floor(radius), math.floor(radius) + 1)
    rows, cols = (axis.ravel() for axis in np.meshgrid(side, side, indexing="ij"))
    squared = rows**2 + cols**2
    order = np.argsort(squared, kind="stable")
    order = order[squared[order] <= radius**2]
    return np.stack([rows[order], cols[order]], axis=1)
