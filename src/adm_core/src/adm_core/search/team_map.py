"""What a team knows of its world, and everything that is derived from it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from adm_core.grid import cluster_frontiers, distance_field, frontier_cells, shortest_path
from adm_core.grid.clusters import FrontierClusters
from adm_core.rooms.area_graph import AreaGraph, area_graph
from adm_core.rooms.identity import RoomRegistry
from adm_core.rooms.instances import label_rooms
from adm_core.search.config import SearchConfig
from adm_core.types import Cell, Pose2D

UNKNOWN = -1


class TeamMap:
    """Fused occupancy and room types of a team; derived data are kept until the map changes.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns.
    names : mapping of int to str
        Names of the room types.
    config : SearchConfig
    resolution_m : float
        Side of a cell.
    origin : Pose2D
        Pose of the outer corner of cell (0, 0) in the map frame.

    Attributes
    ----------
    grid : int8[rows, cols]
        -1 unknown, 0 free, 100 occupied.
    room_type : uint16[rows, cols]
        Room type of each seen cell, 0 for none.
    revision : int
        Counts the changes.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        names: Mapping[int, str],
        config: SearchConfig,
        resolution_m: float = 0.25,
        origin: Pose2D = Pose2D(0.0, 0.0),  # noqa: B008 - a frozen value
    ) -> None:
        self.grid = np.full(shape, UNKNOWN, np.int8)
        self.room_type = np.zeros(shape, np.uint16)
        self.names = dict(names)
        self.config = config
        self.resolution_m = resolution_m
        self.origin = origin
        self.revision = 0
        self._registry = RoomRegistry()
        self._kept: dict[str, object] = {}
        self._fields: dict[Cell, npt.NDArray[np.int32]] = {}

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.grid.shape

    def observe(
        self,
        cells: npt.NDArray[np.int64],
        occupancy: npt.NDArray[np.int8],
        room_type: npt.NDArray[np.uint16],
    ) -> int:
        """Take in what was seen at flat indices and return how many cells changed."""
        flat = self.grid.ravel()
        new = flat[cells] != occupancy
        if not new.any():
            return 0
        flat[cells[new]] = occupancy[new]
        self.room_type.ravel()[cells[new]] = room_type[new]
        self.revision += 1
        self._kept.clear()
        self._fields.clear()
        return int(np.count_nonzero(new))

    def frontier(self) -> npt.NDArray[np.int64]:
        """Return the flat indices of the frontier cells, ascending."""
        if "frontier" not in self._kept:
            self._kept["frontier"] = frontier_cells(self.grid)
        return self._kept["frontier"]  # type: ignore[return-value]

    def clusters(self) -> FrontierClusters:
        """Return the frontier clusters."""
        if "clusters" not in self._kept:
            self._kept["clusters"] = cluster_frontiers(
                self.grid, c_max=self.config.c_max, min_size=self.config.min_size
            )
        return self._kept["clusters"]  # type: ignore[return-value]

    def graph(self, robots: npt.NDArray[np.int64]) -> AreaGraph:
        """Return the semantic area graph with lasting room ids; `robots` are flat indices."""
        if "rooms" not in self._kept:
            rooms = label_rooms(self.grid, self.room_type, untyped=True)
            self._kept["rooms"] = rooms, self._registry.update(rooms)
        rooms, ids = self._kept["rooms"]  # type: ignore[misc]
        return area_graph(rooms, self.clusters(), robots=robots, names=self.names, room_ids=ids)

    def steps_from(self, cell: Cell) -> npt.NDArray[np.int32]:
        """Return the moves from `cell` to every cell over known free ones, -1 if none lead there.

        Moves are 8-connected, one step each; a diagonal needs both orthogonals free.
        """
        if cell not in self._fields:
            self._fields[cell] = distance_field(self.grid, cell, diagonal="unit")
        return self._fields[cell]

    def path(self, start: Cell, goal: Cell) -> npt.NDArray[np.int64]:
        """Return the cells of a shortest path, both ends included; empty if there is none."""
        return shortest_path(self.grid, start, goal, diagonal="unit")
