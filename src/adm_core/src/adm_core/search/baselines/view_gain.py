"""What a look around would show: unknown cells in sight, in the best direction, kept while true."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core.grid import visible_cells

#: Directions that gains are summed in; 10 degrees each, as in the AEP publication. Each is the
#: middle of its bin: along the axes, where many cells lie exactly, no bin ends.
BINS = 36
_BIN_RAD = 2 * math.pi / BINS


class Views(NamedTuple):
    """The best look from each of n cells.

    Attributes
    ----------
    gain : int32[n]
        Unknown cells in the best window.
    heading_rad : float64[n]
        Middle of that window, from the column axis (x) towards the row axis (y).
    """

    gain: npt.NDArray[np.int32]
    heading_rad: npt.NDArray[np.float64]

    def at(self, which: npt.NDArray[np.generic]) -> Views:
        """Return the views that an index array or a mask selects."""
        return Views(self.gain[which], self.heading_rad[which])


def full_view_cells(fov_rad: float, range_cells: float) -> float:
    """Return the area of an open field of view, in cells: the largest gain there can be."""
    return fov_rad / 2 * range_cells**2


def best_views(
    grid: npt.NDArray[np.int8],
    cells: npt.NDArray[np.int64],
    *,
    fov_rad: float = math.pi / 3,
    range_cells: float = 10.0,
) -> Views:
    """Count what could be seen from each cell, and turn to where it is most.

    Walls end the sight, unknown cells do not: they count and may hide more of them. Counts are
    summed in 36 directions; the field of view covers as many as fit into it. The first of
    equal windows wins, from the column axis (x) towards the row axis (y).

    Parameters
    ----------
    grid : int8[rows, cols]
        -1 unknown, 0 free, every other value a wall.
    cells : int64[n]
        Row-major indices of the places to look from.
    fov_rad : float
        Full angle of the field of view, 0 < `fov_rad` <= 2 pi.
    range_cells : float
        Range of the sensor in cells, >= 0.

    Returns
    -------
    Views

    Raises
    ------
    ValueError
        If a cell lies off the grid or the sensor is not of that kind.

    Notes
    -----
    One call of the sight kernel for all cells, O(n * range^3). The expected gain of AEP
    (Selin et al., RA-L 2019) on a plane.
    """
    rows, cols = np.divmod(cells, grid.shape[1])
    seen = visible_cells(
        grid,
        np.stack([rows, cols], 1),
        np.zeros(len(cells)),
        fov_rad=2 * math.pi,
        range_cells=range_cells,
        near_cells=range_cells,
        through_unknown=True,
    )
    counts = _count_directions(grid, cells, seen.cells, seen.offsets, math.ceil(range_cells))
    width = min(BINS, max(1, math.floor(fov_rad / _BIN_RAD + 1e-9)))
    ahead = np.cumsum(np.hstack([counts, counts[:, : width - 1]]), axis=1)
    windows = ahead[:, width - 1 :].copy()
    windows[:, 1:] -= ahead[:, : BINS - 1]
    start = windows.argmax(1)
    gain = windows[np.arange(len(cells)), start].astype(np.int32)
    return Views(gain, (start + (width - 1) / 2) * _BIN_RAD)


def _count_directions(
    grid: npt.NDArray[np.int8],
    cells: npt.NDArray[np.int64],
    seen: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    reach: int,
) -> npt.NDArray[np.int64]:
    pose = np.repeat(np.arange(len(cells)), np.diff(offsets))
    unknown = grid.ravel()[seen] == -1
    pose, seen = pose[unknown], seen[unknown]
    cols = grid.shape[1]
    drow = seen // cols - (cells // cols)[pose]
    dcol = seen % cols - (cells % cols)[pose]
    direction = _directions(reach)[drow + reach, dcol + reach]
    counts = np.bincount(pose * BINS + direction, minlength=len(cells) * BINS)
    return counts.reshape(len(cells), BINS)


@functools.lru_cache(maxsize=16)
def _directions(reach: int) -> npt.NDArray[np.int64]:
    """Return the bin of every offset (row, col) up to `reach` cells away."""
    side = np.arange(-reach, reach + 1)
    angle = np.arctan2(side[:, None], side[None, :]) % (2 * math.pi)
    return np.floor(angle / _BIN_RAD + 0.5).astype(np.int64) % BINS


class GainCache:
    """Best views of a changing map; a view is computed again only if something near it changed.

    Parameters
    ----------
    fov_rad, range_cells : float
        The sensor, as for :func:`best_views`.

    Notes
    -----
    Every tile of a sensor's range on a side carries the number of the update that changed it
    last. A view holds while the tiles around its cell carry older numbers than the view.
    """

    def __init__(self, fov_rad: float, range_cells: float) -> None:
        self._fov_rad, self._range_cells = fov_rad, range_cells
        self._tile = max(1, math.ceil(range_cells))
        self._seen = np.empty((0, 0), np.int8)
        self._update = 0

    def views(self, grid: npt.NDArray[np.int8], cells: npt.NDArray[np.int64]) -> Views:
        """Return the best view from each cell (row-major index) of `grid`."""
        self._note_changes(grid)
        rows, cols = np.divmod(cells, grid.shape[1])
        changed = self._around[rows // self._tile, cols // self._tile]
        stale = np.unique(cells[self._stamp[cells] < changed])
        if len(stale):
            fresh = best_views(grid, stale, fov_rad=self._fov_rad, range_cells=self._range_cells)
            self._gain[stale], self._heading[stale] = fresh
            self._stamp[stale] = self._update
        return Views(self._gain[cells], self._heading[cells])

    def _note_changes(self, grid: npt.NDArray[np.int8]) -> None:
        if grid.shape != self._seen.shape:
            self._reset(grid)
            return
        changed = np.flatnonzero(grid.ravel() != self._seen.ravel())
        if not len(changed):
            return
        self._update += 1
        self._seen.ravel()[changed] = grid.ravel()[changed]
        rows, cols = np.divmod(changed, grid.shape[1])
        self._tiles[rows // self._tile + 1, cols // self._tile + 1] = self._update
        windows = np.lib.stride_tricks.sliding_window_view(self._tiles, (3, 3))
        self._around = windows.max((2, 3))

    def _reset(self, grid: npt.NDArray[np.int8]) -> None:
        self._update += 1
        self._seen = grid.copy()
        tiles = [-(-side // self._tile) for side in grid.shape]
        self._tiles = np.full((tiles[0] + 2, tiles[1] + 2), self._update, np.int64)
        self._around = self._tiles[1:-1, 1:-1].copy()
        self._gain = np.zeros(grid.size, np.int32)
        self._heading = np.zeros(grid.size)
        self._stamp = np.full(grid.size, -1, np.int64)
