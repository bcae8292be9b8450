"""Nearest reachable frontier with handover (NF+H): a method of its own, and every fallback."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adm_core.search.strategy import Candidates, TeamView, Waypoint


def nearest_frontier(view: TeamView, robot: int, candidates: Candidates) -> int | None:
    """Pick the frontier with the shortest way that is not left to another robot.

    Frontiers within `handover_cells` (rows and columns each) of another robot's goal are left
    to it; if there are no others the nearest one is taken, for the team has nothing better.
    Ties go to the first cell in row-major order.
    """
    return cheapest(view, robot, candidates, candidates.steps)


def cheapest(
    view: TeamView, robot: int, candidates: Candidates, cost: npt.NDArray[np.generic]
) -> int | None:
    """Pick the candidate of least `cost` that is not left to another robot, else of least cost."""
    if not len(candidates.cells):
        return None
    left = left_to_others(view, robot, candidates.frontier)
    own = np.flatnonzero(~left)
    if not len(own):
        return int(np.argmin(cost))
    return int(own[np.argmin(cost[own])])


def left_to_others(
    view: TeamView, robot: int, cells: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Mark the cells that lie within `handover_cells` of another active robot's goal."""
    near = view.map.config.handover_cells
    # An image of the windows costs the same for a few cells and for all frontiers of a floor.
    left = np.zeros(view.map.shape, bool)
    for other in view.robots:
        if other.id != robot and other.active and other.goal:
            row, col = other.goal.cell
            left[max(row - near, 0) : row + near + 1, max(col - near, 0) : col + near + 1] = True
    return left.ravel()[cells]


class NearestFrontier:
    """NF+H as a method: no plan at all, every robot takes its fallback."""

    def coordinate(self, view: TeamView) -> None:
        """Divide nothing."""

    def next_waypoint(self, view: TeamView, robot: int) -> Waypoint | None:
        """Leave the choice to the fallback."""
        return None
