"""Room instances: 4-connected free cells of one room type (SAGR, section III).

Two numbers name an instance. Its *label* 1..n, row-major by first cell, belongs to one snapshot
of the map and is what this module gives; its room id stays the same from cycle to cycle and
comes from :mod:`adm_core.rooms.identity`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from adm_core._kernels.checks import is_plain_array, is_plain_image
from adm_core._kernels.components import Runs, find_runs
from adm_core.grid._checks import check_grid, check_out, describe
from adm_core.grid._threads import check_threads, run_strips, strips

# Looked up once: small maps take about 4 us.
_INT32, _INT64, _empty = np.dtype(np.int32), np.dtype(np.int64), np.empty

RoomTypes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class RoomInstances:
    """The room instances of one snapshot, n of them; row i belongs to label i + 1.

    Attributes
    ----------
    types : uint16[n]
        Room type of each.
    areas : int64[n]
        Number of cells.
    first_cells : int64[n]
        Flat index of the first cell in row-major order, ascending.
    boxes : int32[n, 4]
        Bounding box (row, col, row end, col end), ends exclusive.
    edges : int32[m, 2]
        Pairs of labels (smaller, larger) that have 4-adjacent cells, sorted.
    labels : int32[rows, cols] or None
        Label of each cell, 0 for none; None if it was not asked for.
    shape : (int, int)
        Rows and columns of the grid.
    """

    types: npt.NDArray[np.uint16]
    areas: npt.NDArray[np.int64]
    first_cells: npt.NDArray[np.int64]
    boxes: npt.NDArray[np.int32]
    edges: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int32] | None
    shape: tuple[int, int]
    _runs: Runs = field(repr=False)

    def __len__(self) -> int:
        return len(self.types)

    def labels_at(self, cells: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the labels of cells without a label image, 0 for none.

        Parameters
        ----------
        cells : int[k]
            Flat indices on the grid.

        Raises
        ------
        ValueError
            If a cell lies off the grid.

        Notes
        -----
        A binary search in the runs of one row for each cell.
        """
        flat: Any = cells
        if not is_plain_array(flat, b"lq", 1):
            flat = np.ascontiguousarray(cells, _INT64).reshape(-1)
        out = _empty(len(flat), _INT32)
        bad = self._runs.read_labels(flat, out)
        if bad >= 0:
            raise ValueError(
                f"cells must be flat indices on the grid of {self.shape[0]} x {self.shape[1]}, "
                f"got {flat[bad]}"
            )
        return out

    def overlaps(
        self, other: RoomInstances, shift: tuple[int, int] = (0, 0)
    ) -> npt.NDArray[np.int64]:
        """Count the cells that instances of two snapshots share.

        Parameters
        ----------
        other : RoomInstances
            Another snapshot, of any size.
        shift : (int, int)
            Cell (row, col) of this grid is cell (row + shift[0], col + shift[1]) of `other`.

        Returns
        -------
        int64[k, 3]
            (label here, label in `other`, shared cells), sorted, each pair once.

        Notes
        -----
        Linear in the number of runs of both.
        """
        out = np.empty((max(64, self._runs.size + other._runs.size), 3), np.int64)
        count = self._runs.read_overlaps(other._runs, shift[0], shift[1], out)
        pairs, shared = np.unique(out[:count, :2], axis=0, return_inverse=True)
        cells = np.bincount(shared.reshape(-1), out[:count, 2], len(pairs)).astype(np.int64)
        return np.column_stack([pairs, cells])


def label_rooms(
    grid: npt.NDArray[np.int8],
    room_type: RoomTypes,
    *,
    out: npt.NDArray[np.int32] | None = None,
    labels: bool = True,
    untyped: bool = False,
    free_max: int = 0,
    occupied_min: int = 65,
    threads: int = 1,
) -> RoomInstances:
    """Find the room instances of a grid, their measures and which of them touch.

    Parameters
    ----------
    grid : int8[rows, cols]
        -1 unknown, 0..`free_max` free, `occupied_min`..100 occupied.
    room_type : uint8[rows, cols] or uint16[rows, cols]
        Room type of each cell, 0 for none. Types of cells that are not free do not matter.
    out : int32[rows, cols], optional
        Label image to fill, C-contiguous; it comes back as ``labels``.
    labels : bool, default True
        Whether to make a label image. The graph needs none, and it is a quarter of the cost.
    untyped : bool, default False
        Whether free cells of type 0 form instances of type 0.
    free_max, occupied_min : int
        Thresholds of free and occupied, 0 <= `free_max` < `occupied_min` <= 127.
    threads : int
        Most threads to use, >= 1; each gets at least a million cells. The result
        is the same.

    Returns
    -------
    RoomInstances
        Labels 1..n in row-major order of the first cells; n = 0 if there is none.

    Raises
    ------
    ValueError
        If an argument has the wrong type, shape or range.

    Notes
    -----
    One pass over both images, then everything is done on runs of equal cells: linear in the
    cells with a small constant. Memory: 12 bytes a run, and 4 bytes a cell for the label image.
    """
    grid = check_grid(grid, free_max, occupied_min)
    if not is_plain_image(room_type, b"BH", grid.shape):
        room_type = _check_types(room_type, grid.shape)
    parts = None
    if threads == 1:
        runs = find_runs(grid, room_type, free_max, untyped)
    else:
        check_threads(threads)
        parts = strips(grid.shape, threads)
        runs = _find_in_strips(grid, room_type, free_max, untyped, parts)
    if out is not None:
        check_out(out, "out", _INT32, grid.shape)
    elif labels:
        out = _empty(grid.shape, _INT32)
    if out is not None:
        if parts is None:
            runs.paint(out)
        else:
            run_strips(functools.partial(runs.paint, out), parts)
    types, areas, first_cells, boxes, edges = runs.measure(room_type)
    found = object.__new__(RoomInstances)  # setting each field of a frozen class takes 1 us more
    object.__setattr__(
        found,
        "__dict__",
        {
            "types": types,
            "areas": areas,
            "first_cells": first_cells,
            "boxes": boxes,
            "edges": edges,
            "labels": out,
            "shape": grid.shape,
            "_runs": runs,
        },
    )
    return found


def _find_in_strips(
    grid: npt.NDArray[np.int8],
    room_type: RoomTypes,
    free_max: int,
    untyped: bool,
    parts: list[tuple[int, int]],
) -> Runs:
    def find(first: int, end: int) -> Runs:
        return find_runs(grid, room_type, free_max, untyped, first, end)

    top, *below = run_strips(find, parts)
    top.join(below, grid, room_type)
    return top


def room_edges(
    grid: npt.NDArray[np.int8],
    room_type: RoomTypes,
    *,
    untyped: bool = False,
    free_max: int = 0,
    occupied_min: int = 65,
) -> npt.NDArray[np.int32]:
    """Return the pairs of room instances that touch, without a label image.

    Parameters and errors are those of :func:`label_rooms`.

    Returns
    -------
    int32[m, 2]
        Pairs of labels (smaller, larger) with 4-adjacent cells, sorted.
    """
    found = label_rooms(
        grid,
        room_type,
        labels=False,
        untyped=untyped,
        free_max=free_max,
        occupied_min=occupied_min,
    )
    return found.edges


def _check_types(room_type: Any, shape: tuple[int, ...]) -> RoomTypes:
    """Return `room_type` as the kernels read it, C-contiguous (copied if it is not)."""
    if (
        not isinstance(room_type, np.ndarray)
        or room_type.dtype not in (np.uint8, np.uint16)
        or room_type.shape != shape
    ):
        raise ValueError(
            f"room_type must be uint8 or uint16{list(shape)} like grid, got {describe(room_type)}"
        )
    return np.ascontiguousarray(room_type, room_type.dtype.newbyteorder("="))
