"""Where the robot can stand and how far it is: a map, a robot and a rule of motion."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from adm_core.errors import MapError
from adm_core.grid.distance import Diagonal, descend, distance_field
from adm_core.grid.regions import inflate, largest_region
from adm_core.types import Cell, GridMap, Pose2D

#: Distance fields kept, together.
_CACHE_BYTES = 64 << 20


class Terrain:
    """Cells the robot's centre may occupy, with geodesic distances between them.

    Parameters
    ----------
    grid_map : GridMap
        The map; it gives frame, resolution and cell indices.
    standable : bool[rows, cols]
        Cells that the robot's centre may occupy.
    diagonal : bool
        Whether moves are 8-connected (a diagonal needs both orthogonals and costs
        sqrt(2) cells) or 4-connected.

    Raises
    ------
    MapError
        If no cell is standable.
    """

    def __init__(self, grid_map: GridMap, standable: npt.NDArray[np.bool_], diagonal: bool) -> None:
        if standable.shape != grid_map.shape:
            raise ValueError(
                f"standable must have the map's shape {grid_map.shape}, got {standable.shape}"
            )
        if not standable.any():
            raise MapError("no free cell of the map leaves room for the robot")
        self.grid_map = grid_map
        self.standable = standable
        self._motion: Diagonal = "metric" if diagonal else False
        self._grid = np.where(standable, 0, 100).astype(np.int8)
        self._fields: OrderedDict[Cell, npt.NDArray[Any]] = OrderedDict()
        self._poses: dict[Cell, Pose2D] = {}

    @classmethod
    def for_robot(cls, grid_map: GridMap, radius_m: float, diagonal: bool = True) -> Terrain:
        """Return the largest region of a map in which a disc of `radius_m` can move."""
        return cls(grid_map, largest_region(inflate(grid_map, radius_m)), diagonal)

    @property
    def area_m2(self) -> float:
        """Area of the standable cells."""
        return float(np.count_nonzero(self.standable)) * self.grid_map.resolution**2

    def cell(self, pose: Pose2D) -> Cell:
        """Return the cell that holds `pose`."""
        return self.grid_map.world_to_cell(pose.x, pose.y)

    def pose(self, cell: Cell) -> Pose2D:
        """Return the centre of `cell`."""
        pose = self._poses.get(cell)
        if pose is None:
            pose = self._poses[cell] = self.grid_map.cell_to_world(cell)
        return pose

    def is_standable(self, cell: Cell) -> bool:
        """Tell whether the robot's centre may be at `cell`."""
        return self.grid_map.contains(cell) and bool(self.standable[cell])

    def lengths(self, source: Cell) -> npt.NDArray[np.float64]:
        """Return the path length in metres from `source` to every cell; inf out of reach."""
        field = self._field(source)
        return np.where(field < 0, np.inf, field * self.grid_map.resolution)

    def distances(self, goal: Pose2D, poses: Sequence[Pose2D]) -> npt.NDArray[np.float64]:
        """Return the path length in metres from `goal` to each pose; inf out of reach."""
        start = self.cell(goal)
        if not poses or not self.is_standable(start):
            return np.full(len(poses), np.inf)
        field = self._field(start)
        cells = map(self.cell, poses)
        reach = np.array([field[c] if self.grid_map.contains(c) else -1.0 for c in cells])
        return np.where(reach < 0, np.inf, reach * self.grid_map.resolution)

    def path(self, start: Cell, goal: Cell) -> list[Cell]:
        """Return the cells of a shortest path, both ends included; empty if there is none.

        The same ends always give the same path.
        """
        if not (self.is_standable(goal) and self.grid_map.contains(start)):
            return []
        steps = descend(self._grid, self._field(goal), start, diagonal=self._motion)
        return [Cell(*cell) for cell in steps.tolist()]

    def _field(self, source: Cell) -> npt.NDArray[Any]:
        """Return the distance field of `source` in cells.

        The last fields are kept: a mission asks for the same few sources again and again.
        """
        kept = self._fields.pop(source, None)
        if kept is None:
            kept = distance_field(self._grid, [source], diagonal=self._motion)
        self._fields[source] = kept
        while len(self._fields) * kept.nbytes > _CACHE_BYTES and len(self._fields) > 1:
            self._fields.popitem(last=False)
        return kept
