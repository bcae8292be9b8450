"""Where a round robot fits, and the largest place it can get around in."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt
from scipy import ndimage

from adm_core.grid._blocks import row_blocks
from adm_core.types import GridMap

Mask = npt.NDArray[np.bool_]

ROBOT_RADIUS_M = 0.20
#: Up to this radius in cells a disc is slid over the map; above it a distance transform wins.
_DISC_CELLS = 24
#: Cells counted at a time: many enough that the number of labels does not matter.
_COUNT_CELLS = 1 << 22


def inflate(grid_map: GridMap, radius_m: float = ROBOT_RADIUS_M, *, free_max: int = 0) -> Mask:
    """Return the free cells that lie more than `radius_m` from every cell that is not free.

    Distances are Euclidean between cell centres and exact: a centre at precisely `radius_m`
    is refused. Everything outside the array is unknown and therefore not free.

    Parameters
    ----------
    grid_map : GridMap
        Occupancy; a cell is free when its value is 0..`free_max`.
    radius_m : float
        Robot radius in metres, >= 0. With 0 the free cells come back as they are.
    free_max : int
        Largest occupancy that counts as free, 0..100.

    Returns
    -------
    bool[rows, cols]

    Raises
    ------
    ValueError
        `radius_m` is negative or not finite, or `free_max` is out of range.

    Notes
    -----
    One byte a cell of extra memory up to 24 cells of radius, 16 above that.
    """
    if not (math.isfinite(radius_m) and radius_m >= 0):
        raise ValueError(f"radius_m must be finite and >= 0, got {radius_m}")
    if not 0 <= free_max <= 100:
        raise ValueError(f"free_max must be between 0 and 100, got {free_max}")
    free = (grid_map.data >= 0) & (grid_map.data <= free_max)
    return shrink(free, radius_m / grid_map.resolution)


def shrink(free: Mask, radius_cells: float) -> Mask:
    """Return the True cells whose distance to every False cell exceeds `radius_cells`.

    As :func:`inflate`, with a mask and a radius in cells; the outside counts as False.
    """
    # The squared distance of two cells is an integer, so the radius has an exact integer
    # limit; the small term undoes the rounding of a division (0.3 m / 0.1 m).
    limit = math.floor(radius_cells**2 + 1e-6)
    if limit == 0 or not free.any():
        return free
    # The outside is nearer than the diagonal of the array, whatever the radius.
    limit = min(limit, sum(side * side for side in free.shape))
    return _slide_disc(free, limit) if limit <= _DISC_CELLS**2 else _transform(free, limit)


def largest_region(mask: Mask) -> Mask:
    """Return the largest 4-connected set of True cells.

    Parameters
    ----------
    mask : bool[rows, cols]

    Returns
    -------
    bool[rows, cols]
        The set with the most cells; among equals the one whose first cell comes first in
        row-major order. All False when `mask` is.
    """
    if mask.ndim != 2:
        raise ValueError(f"mask must be bool[rows, cols], got {mask.dtype}{list(mask.shape)}")
    labels, count = ndimage.label(mask)
    if count == 0:
        return np.zeros(mask.shape, bool)
    sizes = _sizes(labels, count)
    return labels == _first_of(labels, sizes == sizes.max())


def part_sizes(mask: Mask) -> npt.NDArray[np.int64]:
    """Return the number of cells of each 4-connected set of True cells, in no set order."""
    return _sizes(*ndimage.label(mask))[1:]


def _sizes(labels: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int64]:
    """Return the cells of each label 0..count, the background's taken as none."""
    sizes = np.zeros(count + 1, np.int64)
    for block in row_blocks(labels.shape, _COUNT_CELLS):
        sizes += np.bincount(labels[block].ravel(), minlength=count + 1)
    sizes[0] = 0
    return sizes


def _first_of(labels: npt.NDArray[np.int32], wanted: npt.NDArray[np.bool_]) -> int:
    """Return the wanted label whose first cell comes first in row-major order."""
    for block in row_blocks(labels.shape):
        hits = np.flatnonzero(wanted[labels[block]])
        if hits.size:
            return int(labels[block].flat[hits[0]])
    raise ValueError("wanted must hold a label that occurs")


def _slide_disc(free: Mask, limit: int) -> Mask:
    """Erode `free` by the disc of all offsets whose squared length is at most `limit`."""
    reach = math.isqrt(limit)
    offsets = np.arange(-reach, reach + 1)
    disc = (offsets[:, None] ** 2 + offsets[None, :] ** 2 <= limit).astype(np.uint8)
    eroded = cv2.erode(free.view(np.uint8), disc, borderType=cv2.BORDER_CONSTANT, borderValue=[0])
    return eroded.view(bool)


def _transform(free: Mask, limit: int) -> Mask:
    """Compare the exact distance transform with the limit."""
    distance = ndimage.distance_transform_edt(np.pad(free, 1))[1:-1, 1:-1]
    return np.rint(distance * distance) > limit
