"""What a sensor with a limited field of view and range sees from given cells."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core._kernels.checks import are_plain_poses
from adm_core._kernels.visibility import Disc, list_visible
from adm_core.grid._checks import check_grid

# Looked up once: one pose takes about 2 us.
_INT64, _empty, _new = np.dtype(np.int64), np.empty, tuple.__new__


class VisibleCells(NamedTuple):
    """Cells seen from n poses, one pose after the other.

    Attributes
    ----------
    cells : int64[m]
        Row-major indices, ascending for each pose.
    offsets : int64[n + 1]
        Pose i sees ``cells[offsets[i]:offsets[i + 1]]``.
    """

    cells: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]

    def of(self, pose: int) -> npt.NDArray[np.int64]:
        """Return the cells seen from one pose."""
        return self.cells[self.offsets[pose] : self.offsets[pose + 1]]


def visible_cells(
    grid: npt.NDArray[np.int8],
    positions: npt.ArrayLike,
    headings_rad: npt.ArrayLike,
    *,
    fov_rad: float = math.pi / 3,
    range_cells: float = 10.0,
    near_cells: float = 2.0,
    through_unknown: bool = False,
    free_max: int = 0,
    occupied_min: int = 65,
) -> VisibleCells:
    """List the cells that each pose sees.

    A cell is seen if its centre is within range, lies in the field of view or
    closer than `near_cells`, and nothing blocks the segment between the two
    centres. A cell blocks if the segment passes through its inside; where the
    segment passes exactly through a corner it is blocked if both cells beside
    it are. The cell at either end never blocks, so walls are seen and the
    own cell always is. The relation is the same in both directions.

    Parameters
    ----------
    grid : int8[rows, cols]
        -1 unknown, 0..`free_max` free, every other value known and not free.
    positions : int[n, 2]
        Cells (row, col) of the sensors, on the grid.
    headings_rad : float[n]
        Directions of view, from the column axis (x) towards the row axis (y).
    fov_rad : float
        Full angle of the field of view, 0 < `fov_rad` <= 2 pi.
    range_cells : float
        Largest distance between the centres, in cells, >= 0.
    near_cells : float
        Cells at most this far are seen in every direction, in cells, >= 0.
        Never farther than `range_cells`.
    through_unknown : bool
        Let the sight pass unknown cells: what could be seen, as in the gain of
        a view. By default they block like walls.
    free_max, occupied_min
        As in :func:`adm_core.grid.frontiers.find_frontiers`.

    Returns
    -------
    VisibleCells

    Raises
    ------
    ValueError
        If an argument breaks its rule; the message names it.

    Notes
    -----
    O(n * range^3) for a full circle, in whole numbers along each segment. The
    sensor of the semantic area graph paper (arXiv 2604.16263), section IV.
    """
    grid = check_grid(grid, free_max, occupied_min)
    where, headings = _as_poses(positions, headings_rad)
    if not 0 < fov_rad <= 2 * math.pi:
        raise ValueError(f"fov_rad must lie in (0, 2 pi], got {fov_rad}")
    if not (0 <= range_cells < math.inf and near_cells >= 0):
        raise ValueError(
            "range_cells must be finite and >= 0 and near_cells >= 0, "
            f"got {range_cells} and {near_cells}"
        )
    disc, count = _disc(range_cells), len(where)
    cells, offsets = _empty(count * disc.size, _INT64), _empty(count + 1, _INT64)
    seen = list_visible(
        grid, where, headings, disc, math.cos(fov_rad / 2), near_cells, free_max,
        through_unknown, cells, offsets,
    )  # fmt: skip
    if seen < 0:
        bad = -1 - seen
        raise ValueError(
            f"positions must lie on the grid of {grid.shape[0]} x {grid.shape[1]} and headings_rad "
            f"be finite, got {tuple(where[bad].tolist())} and {headings[bad]}"
        )
    cells.resize(seen, refcheck=False)
    return _new(VisibleCells, (cells, offsets))


def _as_poses(
    positions: Any, headings_rad: Any
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    if are_plain_poses(positions, headings_rad):
        return positions, headings_rad
    where, headings = np.asarray(positions), np.ascontiguousarray(headings_rad, np.float64)
    if where.size == 0:
        where = np.empty((0, 2), np.int64)
    if where.ndim != 2 or where.shape[1] != 2 or where.dtype.kind not in "iu":
        raise ValueError(f"positions must be int[n, 2], got {where.dtype}{list(where.shape)}")
    if headings.shape != (len(where),):
        raise ValueError(
            f"headings_rad must be float[{len(where)}], one a position, got {list(headings.shape)}"
        )
    return np.ascontiguousarray(where, np.int64), headings


@functools.lru_cache(maxsize=16)
def _disc(radius: float) -> Disc:
    side = np.arange(-math.floor(radius), math.floor(radius) + 1, dtype=np.int32)
    rows, cols = (axis.ravel() for axis in np.meshgrid(side, side, indexing="ij"))
    lengths = np.hypot(rows, cols)
    inside = lengths <= radius
    return Disc(np.stack([rows, cols], 1)[inside].copy(), lengths[inside])
