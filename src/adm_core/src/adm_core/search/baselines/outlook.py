"""What both forms of AEP + DVC know: regions, views, and places that once had a good view."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from adm_core.search.baselines.view_gain import GainCache, Views
from adm_core.search.baselines.voronoi import voronoi_cells
from adm_core.search.strategy import TeamView, Waypoint
from adm_core.types import Cell

Ints = npt.NDArray[np.int64]


class Outlook:
    """Regions of a team, the views from its map, and the newest places with good ones.

    Parameters
    ----------
    most : int
        Places that are remembered; the oldest are forgotten beyond.
    turn : bool
        Whether waypoints ask for a turn to the best view.
    """

    def __init__(self, most: int, turn: bool) -> None:
        self._most, self._turn = most, turn
        self._places: dict[int, None] = {}
        self._gains: GainCache | None = None
        self._region = np.empty(0, np.int32)

    def divide(self, view: TeamView) -> None:
        """Give every free or unknown cell to the active robot that is nearest by the way."""
        robots = [(robot.id, robot.cell) for robot in view.robots if robot.active]
        self._region = voronoi_cells(view.map.passable, robots).ravel()

    def own(self, view: TeamView, robot: int) -> npt.NDArray[np.bool_]:
        """Mark the cells of a robot's region; all cells before the first division."""
        if self._region.size != view.map.grid.size:
            return np.ones(view.map.grid.size, np.bool_)
        return self._region == robot

    def views(self, view: TeamView, cells: Ints) -> Views:
        """Return the best view from each cell (flat index)."""
        if self._gains is None:
            config = view.map.config
            self._gains = GainCache(math.radians(config.fov_deg), config.range_cells)
        return self._gains.views(view.map.grid, cells)

    def remember(self, cells: Ints) -> None:
        """Remember cells (flat indices), in their order."""
        for cell in cells.tolist():
            self._places.pop(cell, None)
            self._places[cell] = None
        while len(self._places) > self._most:
            del self._places[next(iter(self._places))]

    def review(self, view: TeamView, least: float) -> tuple[Ints, Views]:
        """Forget the places whose view has lost its worth; return the others and their views."""
        cells = np.fromiter(self._places, np.int64, len(self._places))
        views = self.views(view, cells)
        good = views.gain >= least
        for cell in cells[~good].tolist():
            del self._places[cell]
        return cells[good], views.at(good)

    def waypoint(self, view: TeamView, cell: int, heading_rad: float) -> Waypoint:
        """Return the way to a cell and to the view from there."""
        where = Cell(*divmod(int(cell), view.map.shape[1]))
        return Waypoint(where, float(heading_rad) if self._turn else None)
