"""A map that changes, with its frontier, clusters and room instances always up to date."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core._kernels.live_clusters import LiveClusters, write_window
from adm_core._kernels.live_rooms import LiveRooms
from adm_core.grid._checks import check_grid, check_out, describe
from adm_core.grid.clusters import FrontierClusters, cluster_frontiers, drop_small, mark_reachable

#: Deepest cluster search that follows changes.
MAX_STEPS = 31
#: First row, end row, first column, end column; all 0 if empty.
Box = tuple[int, int, int, int]


class TrackedRooms(NamedTuple):
    """Room instances and their neighbourhood; instance i has the label i + 1.

    Attributes
    ----------
    types : uint16[n]
        Room type of each instance. Instances are numbered row-major by first cell.
    areas : int64[n]
        Number of cells.
    first_cells : int64[n]
        Row-major index of the first cell.
    boxes : int32[n, 4]
        First row, first column, end row, end column; the ends are exclusive.
    edges : int32[e, 2]
        Labels of two instances with 4-adjacent cells, smaller one first, sorted.
    """

    types: npt.NDArray[np.uint16]
    areas: npt.NDArray[np.int64]
    first_cells: npt.NDArray[np.int64]
    boxes: npt.NDArray[np.int32]
    edges: npt.NDArray[np.int32]


class TrackerUpdate(NamedTuple):
    """What an update found: the box of changed cells (ends exclusive) and the searches it took."""

    row0: int
    row1: int
    col0: int
    col1: int
    searches: int


_NOTHING = TrackerUpdate(0, 0, 0, 0, 0)


class MapTracker:
    """Keep frontier, clusters, room instances and their graph of a map that changes.

    After every update each of them equals what the functions for a whole grid
    would return (:func:`~adm_core.grid.frontiers.frontier_cells`,
    :func:`~adm_core.grid.clusters.cluster_frontiers` and the room labels), at
    a cost that follows the size of the change. Inside, clusters and instances
    have numbers that are not in order; the methods below put them in order.

    Parameters
    ----------
    grid : int8[rows, cols]
        -1 unknown, 0..`free_max` free, every other value known and not free. Copied.
    room_type : uint8[rows, cols] or uint16[rows, cols], optional
        Type of the room at each cell, 0 for none. Copied; all 0 if left out.
    c_max : int
        Depth limit of the clusters in moves, >= 0. Up to 31 they follow changes; deeper ones
        are computed afresh when they are asked for after a change.
    untyped : bool
        Whether free cells of type 0 form instances of type 0.
    border_is_unknown, free_max, occupied_min
        As in :func:`adm_core.grid.frontiers.find_frontiers`.

    Raises
    ------
    ValueError
        If an argument breaks its rule; the message names it.

    Notes
    -----
    An update of k cells relabels the 64 x 64 tiles that they touch, searches
    the clusters within 3 `c_max` of them, and joins the parts of all tiles
    again: O(k + rows * cols / 4096) where the map is not extremely cluttered.
    Where a change re-seeds more than an eighth of all clusters they are
    computed afresh. Memory is about 3.5 bytes a cell with room types of one byte, the
    grid and the types included.
    """

    def __init__(
        self,
        grid: npt.NDArray[np.int8],
        room_type: npt.NDArray[Any] | None = None,
        *,
        c_max: int = 10,
        untyped: bool = False,
        border_is_unknown: bool = False,
        free_max: int = 0,
        occupied_min: int = 65,
    ) -> None:
        grid = check_grid(grid, free_max, occupied_min)
        if c_max < 0:
            raise ValueError(f"c_max must be >= 0, got {c_max}")
        self._c_max, self._untyped, self._border = c_max, untyped, border_is_unknown
        self._thresholds = (free_max, occupied_min)
        types = np.zeros(grid.shape, np.uint8) if room_type is None else room_type
        self._start(grid.copy(), _check_types(types, grid.shape, None).copy())

    def _start(self, grid: npt.NDArray[np.int8], types: npt.NDArray[Any]) -> None:
        rows, cols = grid.shape
        free_max = self._thresholds[0]
        self._grid, self._types, self._bytes = grid, types, types.view(np.uint8)
        # Deeper clusters are not kept; the frontier list is.
        depth = self._c_max if self._c_max <= MAX_STEPS else 0
        self._clusters = LiveClusters(rows, cols, depth, free_max, self._border)
        self._found: FrontierClusters | None = None
        self._rooms = LiveRooms(rows, cols, free_max, self._untyped)
        self._clusters.rebuild(grid)
        self._rooms.update(grid, self._bytes, 0, rows, 0, cols)

    @property
    def grid(self) -> npt.NDArray[np.int8]:
        """The map, a view that cannot be written to."""
        return _read_only(self._grid)

    @property
    def room_type(self) -> npt.NDArray[Any]:
        """The room types, a view that cannot be written to."""
        return _read_only(self._types)

    def update(
        self,
        origin: tuple[int, int],
        values: npt.NDArray[np.int8],
        room_type: npt.NDArray[Any] | None = None,
    ) -> TrackerUpdate:
        """Write a window of the map and bring everything up to date.

        Parameters
        ----------
        origin : (row, col)
            Cell of the map where the window's first cell goes.
        values : int8[h, w]
            New occupancy of the window, which must lie inside the map.
        room_type : array[h, w] of the map's room type, optional
            New room types of the window; unchanged if left out.

        Returns
        -------
        TrackerUpdate
            All zeros if no cell changed.
        """
        values = check_grid(values, *self._thresholds)
        row, col = self._check_window(origin, values.shape)
        if room_type is not None:  # checked before anything is written
            room_type = _check_types(room_type, values.shape, self._types.dtype)
        seen: Box = write_window(self._grid, values, row, col)
        rooms = seen
        if room_type is not None:
            rooms = _join(seen, write_window(self._types, room_type, row, col))
        return self._follow(seen, rooms) if rooms[1] else _NOTHING

    def _follow(self, seen: Box, rooms: Box) -> TrackerUpdate:
        searches = 0
        if seen[1]:
            self._found = None
            if 3 * (seen[1] - seen[0]) * (seen[3] - seen[2]) > self._grid.size:
                self._clusters.rebuild(self._grid)
            else:
                limit = max(64, self._clusters.count // 8)
                self._clusters.update(self._grid, *seen, limit)
            searches = self._clusters.searches
        self._rooms.update(self._grid, self._bytes, *rooms)
        return TrackerUpdate(*rooms, searches)

    def _check_window(self, origin: tuple[int, int], shape: tuple[int, ...]) -> tuple[int, int]:
        row, col = origin
        rows, cols = self._grid.shape
        if not (0 <= row <= rows - shape[0] and 0 <= col <= cols - shape[1]):
            raise ValueError(
                f"the window must lie on the map of {rows} x {cols}, got origin {tuple(origin)} "
                f"and shape {tuple(shape)}"
            )
        return int(row), int(col)

    def reframe(self, shape: tuple[int, int], shift: tuple[int, int] = (0, 0)) -> None:
        """Change the size and origin of the map: cell (r, c) becomes (r, c) + `shift`.

        Cells that fall outside are dropped and new ones are unknown, of type 0.
        Everything is computed afresh, in the time of a full computation.

        Parameters
        ----------
        shape : (rows, cols)
            New size, >= 0.
        shift : (rows, cols)
            How far the old cells move; may be negative.
        """
        if min(shape) < 0:
            raise ValueError(f"shape must be >= 0, got {tuple(shape)}")
        grid = np.full(shape, -1, np.int8)
        types = np.zeros(shape, self._types.dtype)
        old, new = zip(*map(_overlap, self._grid.shape, shape, shift), strict=True)
        grid[new], types[new] = self._grid[old], self._types[old]
        self._start(grid, types)

    def frontier_cells(self) -> npt.NDArray[np.int64]:
        """Return the row-major index of each frontier cell, ascending."""
        cells = np.empty(self._clusters.size, np.int64)
        self._clusters.export_cells(cells)
        return cells

    def clusters(self, *, min_size: int = 1, robots: Any = None) -> FrontierClusters:
        """Return the clusters; the arguments are those of ``cluster_frontiers``."""
        if min_size < 1:
            raise ValueError(f"min_size must be >= 1, got {min_size}")
        found = self._every_cluster()
        if min_size > 1:
            found = drop_small(found, min_size)
        if robots is None:
            return found
        return mark_reachable(found, self._grid, robots, self._thresholds[0])

    def _every_cluster(self) -> FrontierClusters:
        if self._c_max > MAX_STEPS:
            if self._found is None:
                free_max, occupied_min = self._thresholds
                self._found = cluster_frontiers(
                    self._grid,
                    c_max=self._c_max,
                    border_is_unknown=self._border,
                    free_max=free_max,
                    occupied_min=occupied_min,
                )
            return FrontierClusters._make(
                part if part is None else part.copy() for part in self._found
            )
        n, k = self._clusters.size, self._clusters.count
        owner, sizes, centroids = np.empty(n, np.int32), np.empty(k, np.int32), np.empty((k, 2))
        reps, seeds = np.empty(k, np.int64), np.empty(k, np.int64)
        self._clusters.export_clusters(owner, sizes, centroids, reps, seeds)
        return FrontierClusters(owner, sizes, centroids, reps, seeds, self.frontier_cells(), None)

    def rooms(self) -> TrackedRooms:
        """Return the room instances and their edges, numbered row-major by first cell."""
        types, areas, firsts, boxes = self._raw_rooms()
        order = np.argsort(firsts)
        pairs = np.empty((self._rooms.edge_count, 2), np.int64)
        self._rooms.export_edges(pairs)
        edges = np.sort(_ranks(order)[pairs] + 1, 1).astype(np.int32)
        edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
        return TrackedRooms(
            types[order].astype(np.uint16), areas[order], firsts[order], boxes[order], edges
        )

    def label_image(self, out: npt.NDArray[np.int32] | None = None) -> npt.NDArray[np.int32]:
        """Return the label of each cell's instance, 0 where there is none.

        Made on request: O(rows * cols).
        """
        if out is None:
            out = np.empty(self._grid.shape, np.int32)
        else:
            check_out(out, "out", np.int32, self._grid.shape)
        names = (_ranks(np.argsort(self._raw_rooms()[2])) + 1).astype(np.uint32)
        if len(names) == 0:
            out[:] = 0
        else:
            self._rooms.export_labels(self._grid, self._bytes, names, out.view(np.uint32))
        return out

    def _raw_rooms(self) -> tuple[npt.NDArray[Any], ...]:
        n = self._rooms.count
        types, areas = np.empty(n, np.int32), np.empty(n, np.int64)
        firsts, boxes = np.empty(n, np.int64), np.empty((n, 4), np.int32)
        self._rooms.export_instances(types, areas, firsts, boxes)
        return types, areas, firsts, boxes


def _check_types(types: Any, shape: tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
    kinds = (np.dtype(np.uint8), np.dtype(np.uint16)) if dtype is None else (dtype,)
    if not isinstance(types, np.ndarray) or types.dtype not in kinds or types.shape != shape:
        raise ValueError(
            f"room_type must be {' or '.join(map(str, kinds))}{list(shape)}, got {describe(types)}"
        )
    return np.ascontiguousarray(types)


def _join(a: Box, b: Box) -> Box:
    if not (a[1] and b[1]):
        return a if a[1] else b
    return min(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), max(a[3], b[3])


def _overlap(old: int, new: int, shift: int) -> tuple[slice, slice]:
    begin, end = max(0, -shift), min(old, new - shift)
    end = max(begin, end)
    return slice(begin, end), slice(begin + shift, end + shift)


def _ranks(order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    return ranks


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
