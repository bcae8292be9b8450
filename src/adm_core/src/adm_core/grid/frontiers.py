"""Frontiers: free cells beside unknown space."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adm_core._kernels.frontier import list_frontiers, mark_frontiers
from adm_core.grid._checks import check_grid, check_out
from adm_core.grid._threads import check_threads, run_strips, strips

_BOOL = np.dtype(np.bool_)
_INT64 = np.dtype(np.int64)  # looked up once: small grids take about 2 us
_empty = np.empty
_SMALL = 4096  # cells of a grid whose whole frontier, whatever its size, is no matter


def find_frontiers(
    grid: npt.NDArray[np.int8],
    *,
    border_is_unknown: bool = False,
    free_max: int = 0,
    occupied_min: int = 65,
    out: npt.NDArray[np.bool_] | None = None,
    threads: int = 1,
) -> npt.NDArray[np.bool_]:
    """Mark the frontier: every free cell with at least one unknown 4-neighbour.

    Parameters
    ----------
    grid : int8[rows, cols]
        -1 unknown, 0..`free_max` free, every other value known and not free.
        An array that is not C-contiguous is copied first.
    border_is_unknown : bool
        Count the outside of the array as unknown. Choose it for a map that
        still grows, where the frontier may lie on the edge of the array.
    free_max : int
        Largest value of a free cell, 0 <= `free_max` < `occupied_min`.
    occupied_min : int
        Smallest value of an occupied cell, at most 127. Values between the two
        are known, neither free nor occupied.
    out : bool[rows, cols], optional
        Written and returned instead of a new array. Fresh memory is most of
        the cost on large grids.
    threads : int
        Most threads to use, >= 1; each gets at least four million cells. The
        result is the same.

    Returns
    -------
    bool[rows, cols]
        True on the frontier.

    Raises
    ------
    ValueError
        If an argument breaks its rule; the message names it.

    Notes
    -----
    O(rows * cols), one pass, no scratch memory, without the GIL. Frontiers as
    in section III of the semantic area graph paper (arXiv 2604.16263).

    Examples
    --------
    >>> import numpy as np
    >>> find_frontiers(np.array([[0, 0, -1]], np.int8)).tolist()
    [[False, True, False]]
    """
    grid = check_grid(grid, free_max, occupied_min)
    if out is None:
        out = _empty(grid.shape, _BOOL)
    else:
        check_out(out, "out", _BOOL, grid.shape)
    if threads == 1:
        mark_frontiers(grid, free_max, border_is_unknown, out)
        return out
    check_threads(threads)

    def mark(first: int, end: int) -> None:
        mark_frontiers(grid, free_max, border_is_unknown, out, True, first, end)

    run_strips(mark, strips(grid.shape, threads, light=True))
    return out


def frontier_cells(
    grid: npt.NDArray[np.int8],
    *,
    border_is_unknown: bool = False,
    free_max: int = 0,
    occupied_min: int = 65,
    threads: int = 1,
) -> npt.NDArray[np.int64]:
    """List the frontier straight from the grid; no mask is made.

    Parameters are those of :func:`find_frontiers`.

    Returns
    -------
    int64[n]
        Row-major index ``row * cols + col`` of each frontier cell, ascending:
        what ``numpy.flatnonzero(find_frontiers(grid))`` would return.

    Raises
    ------
    ValueError
        If an argument breaks its rule; the message names it.

    Notes
    -----
    O(rows * cols), reads the grid once, keeps three of its rows as bits.
    """
    grid = check_grid(grid, free_max, occupied_min)
    if threads == 1:
        return _list(grid, free_max, border_is_unknown, 0, grid.shape[0])
    check_threads(threads)
    parts = strips(grid.shape, threads, light=True)
    return np.concatenate(
        run_strips(lambda *rows: _list(grid, free_max, border_is_unknown, *rows), parts)
    )


def _list(
    grid: npt.NDArray[np.int8], free_max: int, border: bool, row: int, end: int
) -> npt.NDArray[np.int64]:
    cols = grid.shape[1]
    size = (end - row) * cols
    cells = _empty(cols + (size if size <= _SMALL else size >> 6), _INT64)
    row, count = list_frontiers(grid, free_max, border, row, 0, cells, True, end)
    while row < end:
        cells = np.concatenate([cells[:count], _empty(count + cols, _INT64)])
        row, count = list_frontiers(grid, free_max, border, row, count, cells, True, end)
    cells.resize(count, refcheck=False)
    return cells
