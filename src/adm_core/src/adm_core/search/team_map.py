"""What a team knows of its world, and everything that is derived from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from adm_core.grid import cluster_frontiers, distance_field, find_frontiers, frontier_cells
from adm_core.grid.clusters import FrontierClusters
from adm_core.grid.distance import descend
from adm_core.grid.regions import shrink
from adm_core.grid.windows import GridWindow
from adm_core.rooms.area_graph import AreaGraph, area_graph
from adm_core.rooms.identity import RoomRegistry
from adm_core.rooms.instances import RoomInstances, label_rooms
from adm_core.search.config import SearchConfig
from adm_core.types import Cell, Pose2D

UNKNOWN, FREE, OCCUPIED = -1, 0, 100
#: Known, but the robots' centres do not fit: neither free nor unknown.
TIGHT = 50

T = TypeVar("T")


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
        self._kept: dict[str, Any] = {}
        self._fields: dict[Cell, npt.NDArray[np.int32]] = {}

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, cols = self.grid.shape
        return rows, cols

    def contains(self, cell: Cell) -> bool:
        """Tell whether `cell` lies on the map."""
        return 0 <= cell[0] < self.grid.shape[0] and 0 <= cell[1] < self.grid.shape[1]

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
        changed = cells[new]
        flat[changed] = occupancy[new]
        self.room_type.ravel()[changed] = room_type[new]
        self._forget()
        return len(changed)

    def write(self, window: GridWindow) -> None:
        """Take over the content of a window of another map of the same frame.

        Raises
        ------
        ValueError
            It does not lie on the map.
        """
        place, types = window.place, window.label_image()
        here = self.grid[place]
        if here.shape != window.occupancy.shape:
            raise ValueError(f"window at {window.row}, {window.col} must lie on the map")
        if (here == window.occupancy).all() and (self.room_type[place] == types).all():
            return
        self.grid[place], self.room_type[place] = window.occupancy, types
        self._forget()

    def merge(self, other: TeamMap) -> int:
        """Take in another map of the same frame and return how many cells changed.

        Where both know a cell the larger value wins: occupied, then free, then unknown.
        """
        if other.shape != self.shape:
            raise ValueError(f"other must be a map of shape {self.shape}, got {other.shape}")
        new = other.grid > self.grid
        if not new.any():
            return 0
        self.grid[new] = other.grid[new]
        self.room_type[new] = other.room_type[new]
        self._forget()
        return int(np.count_nonzero(new))

    def _forget(self) -> None:
        self.revision += 1
        self._kept.clear()
        self._fields.clear()

    def _keep(self, name: str, make: Callable[[], T]) -> T:
        if name not in self._kept:
            self._kept[name] = make()
        kept: T = self._kept[name]
        return kept

    def frontier(self) -> npt.NDArray[np.int64]:
        """Return the flat indices of the frontier cells, ascending."""
        return self._keep("frontier", lambda: frontier_cells(self.grid))

    def frontier_mask(self) -> npt.NDArray[np.bool_]:
        """Return the frontier as an image."""
        return self._keep("mask", lambda: find_frontiers(self.grid))

    def clusters(self) -> FrontierClusters:
        """Return the frontier clusters."""
        config = self.config
        return self._keep(
            "clusters",
            lambda: cluster_frontiers(self.grid, c_max=config.c_max, min_size=config.min_size),
        )

    def graph(self, robots: npt.NDArray[np.int64]) -> AreaGraph:
        """Return the semantic area graph with lasting room ids; `robots` are flat indices."""
        rooms, ids = self.rooms(), self.room_ids()
        return area_graph(rooms, self.clusters(), robots=robots, names=self.names, room_ids=ids)

    def rooms(self) -> RoomInstances:
        """Return the room instances; free cells without a type form instances of type 0."""
        return self._keep(
            "rooms", lambda: label_rooms(self.grid, self.room_type, labels=False, untyped=True)
        )

    def room_ids(self) -> npt.NDArray[np.int64]:
        """Return the lasting id of each room instance, label 1 first."""
        return self._keep("room_ids", lambda: self._registry.update(self.rooms()))

    @property
    def passable(self) -> npt.NDArray[np.int8]:
        """The grid as the centre of a robot may use it: free only where its radius fits."""
        if self.config.radius_cells == 0:
            return self.grid
        return self._keep("passable", self._inflate)

    def _inflate(self) -> npt.NDArray[np.int8]:
        # Unknown cells do not narrow the way: what they hide is seen before it is reached.
        wide = shrink(self.grid <= FREE, self.config.radius_cells)
        tight = ~wide & (self.grid == FREE)
        return np.where(tight, np.int8(TIGHT), self.grid)

    def is_passable(self, cell: Cell) -> bool:
        """Tell whether `cell` is known, free and wide enough."""
        return self.contains(cell) and bool(self.passable[cell] == FREE)

    def is_move(self, a: Cell, b: Cell) -> bool:
        """Tell whether a robot may step from `a` to `b`, one of the eight neighbours."""
        grid = self.passable
        return bool(grid[b] == FREE) and (
            a[0] == b[0] or a[1] == b[1] or bool(grid[a[0], b[1]] == FREE == grid[b[0], a[1]])
        )

    def steps_from(self, cell: Cell) -> npt.NDArray[np.int32]:
        """Return the moves from `cell` to every cell over known free ones, -1 if none lead there.

        Moves are 8-connected, one step each; a diagonal needs both orthogonals free.
        """
        if cell not in self._fields:
            self._fields[cell] = distance_field(self.passable, cell, diagonal="unit")
        return self._fields[cell]

    def path(self, start: Cell, goal: Cell) -> npt.NDArray[np.int64]:
        """Return the cells (row, col) of a shortest path, both ends included; empty if none."""
        return descend(self.passable, self.steps_from(start), goal, diagonal="unit")[::-1]

    def nearest_free(self, cell: Cell) -> Cell | None:
        """Return the passable cell nearest to `cell` (ties: row-major); None if there is none."""
        if self.is_passable(cell):
            return cell
        free = np.argwhere(self.passable == FREE)
        if not len(free):
            return None
        nearest = free[int(((free - np.array(cell)) ** 2).sum(axis=1).argmin())]
        return Cell(*nearest.tolist())
