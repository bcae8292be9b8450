"""Geodesic distances, paths and reachability on the free cells of a grid.

Free is every cell of value 0..`free_max`; all others block. Three ways to move
(argument `diagonal`):

- ``False``: to the four edge neighbours; distances are steps (int32, -1 not reached);
- ``"unit"`` (or ``True``): to the eight neighbours, every move one step (int32, -1 not reached),
  as the robots of the search simulator move;
- ``"metric"``: to the eight neighbours, a straight move 1 and a diagonal one sqrt(2) cells
  (float64, infinity not reached).

A diagonal move needs both cells that it passes between to be free. A source need not be free
itself: a robot that stands on a cell marked by mistake can leave it, but nothing can enter it.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from adm_core._kernels import distance as _kernel
from adm_core._kernels import wavefront as _wavefront
from adm_core._kernels.checks import flatten_cells, is_plain_array
from adm_core.grid._checks import check_cell, check_grid, check_out, describe
from adm_core.types import Cell

Diagonal = bool | Literal["unit", "metric"]

# Looked up once: small grids take about 2 us.
_BOOL, _INT64, _empty = np.dtype(np.bool_), np.dtype(np.int64), np.empty
_INT32, _FLOAT64 = np.dtype(np.int32), np.dtype(np.float64)
_DTYPES: dict[Any, Any] = {False: _INT32, True: _INT32, "unit": _INT32, "metric": _FLOAT64}
_NO_LIMIT = 2**31 - 1
_NO_TARGET = -1


def distance_field(
    grid: npt.NDArray[np.int8],
    sources: npt.ArrayLike,
    *,
    max_distance: float | None = None,
    diagonal: Diagonal = False,
    out: npt.NDArray[Any] | None = None,
    free_max: int = 0,
    occupied_min: int = 65,
) -> npt.NDArray[Any]:
    """Measure the way over free cells from the nearest source to every cell.

    Parameters
    ----------
    grid : int8[rows, cols]
        -1 unknown, 0..`free_max` free, `occupied_min`..100 occupied.
    sources : Cell, int[n, 2] or int[n]
        Cells (row, col), or flat indices ``row * cols + col`` if one-dimensional. May be
        empty; order and repeats do not matter.
    max_distance : float, optional
        Cells farther than this many cells count as not reached (default: no limit).
    diagonal : {False, True, "unit", "metric"}, default False
        How to move, see the module's docstring.
    out : int32[rows, cols] or float64[rows, cols] ("metric"), optional
        Array to fill and return, C-contiguous.
    free_max, occupied_min : int
        Thresholds of free and occupied, 0 <= `free_max` < `occupied_min` <= 127.

    Returns
    -------
    int32[rows, cols] or float64[rows, cols]
        Steps with -1 where not reached, or metric lengths with infinity where not reached.
        Metric lengths are ``a + b * sqrt(2)`` for the whole numbers of moves, exact to one
        rounding, on every machine.

    Raises
    ------
    ValueError
        If an argument has the wrong type, shape or range, or a source lies off the grid.

    Notes
    -----
    Linear in the number of cells. Extra memory: 1.5 bytes a cell, for diagonal moves one byte
    a cell and the rim of the search.
    """
    grid = check_grid(grid, free_max, occupied_min)
    flat = _flat_sources(sources, grid.shape)
    dtype = _dtype(diagonal)
    if out is None:
        out = _empty(grid.shape, dtype)
    else:
        check_out(out, "out", dtype, grid.shape)
    _search(grid, flat, out, free_max, _limit(max_distance), _NO_TARGET, diagonal)
    return out


def shortest_path(
    grid: npt.NDArray[np.int8],
    start: tuple[int, int],
    goal: tuple[int, int],
    *,
    max_distance: float | None = None,
    diagonal: Diagonal = False,
    free_max: int = 0,
    occupied_min: int = 65,
) -> npt.NDArray[np.int64]:
    """Find one shortest path between two cells, always the same for the same input.

    Walking back from `goal`, the first neighbour that lies on a shortest path is taken in
    the order up (row - 1), left, right, down, then up-left, up-right, down-left, down-right.

    Parameters
    ----------
    grid, max_distance, diagonal, free_max, occupied_min
        As for :func:`distance_field`.
    start, goal : (int, int)
        Cells (row, col). `start` need not be free, `goal` must be.

    Returns
    -------
    int64[n, 2]
        Cells (row, col) from `start` to `goal`, both included; ``[start]`` if they are
        equal; empty (n = 0) if there is no path.

    Raises
    ------
    ValueError
        If an argument has the wrong type or range, or a cell lies off the grid.

    Notes
    -----
    The search stops when it has reached `goal`; linear in the number of cells at worst.
    """
    grid = check_grid(grid, free_max, occupied_min)
    source = np.array([check_cell(start, "start", grid.shape)], _INT64)
    target = check_cell(goal, "goal", grid.shape)
    field = _empty(grid.shape, _dtype(diagonal))
    _search(grid, source, field, free_max, _limit(max_distance), target, diagonal)
    return _walk(grid, field, target, free_max, diagonal)[::-1]


def descend(
    grid: npt.NDArray[np.int8],
    field: npt.NDArray[Any],
    start: tuple[int, int],
    *,
    diagonal: Diagonal = False,
    free_max: int = 0,
    occupied_min: int = 65,
) -> npt.NDArray[np.int64]:
    """Follow a distance field from `start` down to its nearest source.

    One field then serves the paths of many robots, or of one robot to the nearest of
    many goals. Ties as in :func:`shortest_path`, walking from `start`.

    Parameters
    ----------
    grid, diagonal, free_max, occupied_min
        As given to :func:`distance_field`.
    field : int32[rows, cols] or float64[rows, cols]
        Its result.
    start : (int, int)
        Cell (row, col).

    Returns
    -------
    int64[n, 2]
        Cells (row, col) from `start` to the source, both included; empty if `start` was
        not reached.

    Raises
    ------
    ValueError
        If an argument has the wrong type, shape or range.
    """
    grid = check_grid(grid, free_max, occupied_min)
    dtype = _dtype(diagonal)
    field = np.ascontiguousarray(field)
    if field.dtype != dtype or field.shape != grid.shape:
        raise ValueError(
            f"field must be {np.dtype(dtype)}{list(grid.shape)} for diagonal={diagonal!r}, "
            f"got {describe(field)}"
        )
    return _walk(grid, field, check_cell(start, "start", grid.shape), free_max, diagonal)


def reachable(
    grid: npt.NDArray[np.int8],
    sources: npt.ArrayLike,
    *,
    max_distance: float | None = None,
    diagonal: Diagonal = False,
    free_max: int = 0,
    occupied_min: int = 65,
) -> npt.NDArray[np.bool_]:
    """Mark the cells that can be reached from any source, the sources included.

    Parameters, errors and cost are those of :func:`distance_field`.

    Returns
    -------
    bool[rows, cols]
        True where there is a way of at most `max_distance` cells.
    """
    grid = check_grid(grid, free_max, occupied_min)
    flat = _flat_sources(sources, grid.shape)
    reached = _empty(grid.shape, _BOOL)
    dtype, limit = _dtype(diagonal), _limit(max_distance)
    if not diagonal:
        _search(grid, flat, reached, free_max, limit, _NO_TARGET, diagonal)
        return reached
    field = _empty(grid.shape, dtype)
    _search(grid, flat, field, free_max, limit, _NO_TARGET, diagonal)
    return np.isfinite(field, reached) if dtype is _FLOAT64 else np.greater_equal(field, 0, reached)


def _dtype(diagonal: Any) -> np.dtype[Any]:
    try:
        return _DTYPES[diagonal]
    except (KeyError, TypeError):
        raise ValueError(
            f"diagonal must be False, True, 'unit' or 'metric', got {diagonal!r}"
        ) from None


def _limit(max_distance: float | None) -> float:
    if max_distance is None:
        return math.inf
    if not max_distance >= 0:
        raise ValueError(f"max_distance must be >= 0 cells, got {max_distance}")
    return float(max_distance)


def _flat_sources(sources: Any, shape: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Return `sources` as flat indices, int64[n]."""
    cells = sources
    if not is_plain_array(cells, b"lq", 1):
        cells = _as_cells(sources)
    flat = _empty(len(cells), _INT64)
    bad = flatten_cells(cells, *shape, flat)
    if bad >= 0:
        raise ValueError(
            f"sources must lie on the grid of {shape[0]} x {shape[1]}, got {cells[bad].tolist()}"
        )
    return flat


def _as_cells(sources: Any) -> npt.NDArray[np.int64]:
    """Return `sources` as int64[n, 2] cells or int64[n] indices."""
    array = np.asarray([sources] if isinstance(sources, Cell) else sources)
    if array.size == 0:
        return _empty(0, _INT64)
    if array.dtype.kind not in "iu" or not (
        array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 2)
    ):
        raise ValueError(
            f"sources must be whole numbers, [n, 2] cells or [n] indices, got {describe(array)}"
        )
    return np.ascontiguousarray(array, _INT64)


def _search(
    grid: npt.NDArray[np.int8],
    sources: npt.NDArray[np.int64],
    out: npt.NDArray[Any],
    free_max: int,
    limit: float,
    target: int,
    diagonal: Diagonal,
) -> None:
    if diagonal == "metric":
        _kernel.measure_lengths(grid, sources, out, free_max, limit, target)
        return
    steps = _NO_LIMIT if limit > _NO_LIMIT else int(limit)
    count = _kernel.count_diagonal_steps if diagonal else _wavefront.count_steps
    count(grid, sources, out, free_max, steps, target)


def _walk(
    grid: npt.NDArray[np.int8],
    field: npt.NDArray[Any],
    start: int,
    free_max: int,
    diagonal: Diagonal,
) -> npt.NDArray[np.int64]:
    here = field.flat[start]
    if not 0 <= here < math.inf:
        return np.empty((0, 2), np.int64)
    path = _empty((int(here) + 1, 2), _INT64)
    count = _kernel.descend(grid, field, start, free_max, bool(diagonal), path)
    return path[:count]
