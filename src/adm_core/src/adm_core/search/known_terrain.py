"""The floor that a team knows, as a terrain for a robot that is no searcher itself."""

from __future__ import annotations

import numpy as np

from adm_core.grid.terrain import Terrain
from adm_core.search.config import SearchConfig
from adm_core.search.team_map import FREE, TeamMap
from adm_core.types import GridMap


def floor_config(robot_radius_m: float, resolution_m: float) -> SearchConfig:
    """Return the parameters by which a robot of a radius fits on a map's cells."""
    radius = robot_radius_m / resolution_m
    # A disc whose centre is in a cell reaches no other centre below one cell of radius.
    return SearchConfig(radius_cells=radius if radius >= 1 else 0.0)


class KnownTerrain(Terrain):
    """Terrain that grows with a team's map: what nobody has seen cannot be walked on.

    Parameters
    ----------
    frame : GridMap
        Gives frame, resolution and size; its cells are not looked at.
    known : TeamMap
        Of the same shape, with at least one free cell.
    """

    def __init__(self, frame: GridMap, known: TeamMap) -> None:
        super().__init__(frame, known.passable == FREE, diagonal=True)
        self._revision = known.revision
        self._known = known

    def follow(self, known: TeamMap) -> None:
        """Take over what a map knows now, or another one from now on; free if nothing changed."""
        if known is self._known and known.revision == self._revision:
            return
        self._known, self._revision = known, known.revision
        self.standable = known.passable == FREE
        self._grid = np.where(self.standable, 0, 100).astype(np.int8)
        self._fields.clear()
