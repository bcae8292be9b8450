"""Values of grids: other codes than -1, 0 and 100, and what to say when nothing is found."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adm_core.grid._blocks import row_blocks
from adm_core.grid._checks import check_grid
from adm_core.grid.map_modes import FREE, OCCUPIED, UNKNOWN

#: Known, but neither free nor occupied.
BETWEEN = 50
#: Codes of a costmap: no information, and the least that the robot's own shape forbids.
NO_INFORMATION, INSCRIBED = 255, 253


def value_histogram(grid: npt.NDArray[np.int8]) -> dict[int, int]:
    """Return how many cells have each value that occurs, by rising value."""
    counts = np.zeros(256, np.int64)
    for block in row_blocks(grid.shape):
        counts += np.bincount(grid[block].ravel().view(np.uint8), minlength=256)
    signed = np.roll(counts, 128)  # -128..127
    return {int(k) - 128: int(signed[k]) for k in np.flatnonzero(signed)}


def explain_values(
    grid: npt.NDArray[np.int8], free_max: int = 0, occupied_min: int = 65, most: int = 8
) -> str:
    """Return one line for people who wonder why nothing was found: the values and the limits.

    Parameters
    ----------
    grid : int8[rows, cols]
    free_max, occupied_min : int
        Thresholds that were used.
    most : int
        Values told; the rarest are summed up.
    """
    histogram = value_histogram(grid)
    often = sorted(histogram, key=lambda value: (-histogram[value], value))
    told = sorted(often[:most])
    parts = [f"{value}: {histogram[value]}" for value in told]
    if len(often) > most:
        rest = sum(histogram[value] for value in often[most:])
        parts.append(f"{len(often) - most} more values: {rest}")
    free = "free is 0" if free_max == 0 else f"free is 0..{free_max}"
    return (
        f"cells by value: {', '.join(parts) or 'none'} "
        f"(-1 is unknown, {free}, {occupied_min} and more is occupied)"
    )


def simplify(
    grid: npt.NDArray[np.int8], free_max: int = 0, occupied_min: int = 65
) -> npt.NDArray[np.int8]:
    """Return the grid with four values: -1 unknown, 0 free, 50 neither, 100 occupied.

    For grey maps (Cartographer, mode ``scale``) and costmaps, whose free cells are not all 0:
    after it every function takes the map with its default thresholds.

    Raises
    ------
    ValueError
        As for :func:`adm_core.grid.frontiers.find_frontiers`.
    """
    grid = check_grid(grid, free_max, occupied_min)
    out = np.full(grid.shape, BETWEEN, np.int8)
    out[grid == UNKNOWN] = UNKNOWN
    out[(grid >= 0) & (grid <= free_max)] = FREE
    out[grid >= occupied_min] = OCCUPIED
    return out


def from_costmap(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.int8]:
    """Return the occupancy of costmap codes 0..255, as Nav2 publishes it for display.

    Parameters
    ----------
    codes : uint8[rows, cols]
        0 free, 1..252 inflated, 253 inscribed, 254 lethal, 255 no information.

    Returns
    -------
    int8[rows, cols]
        0, 1..98, 99, 100 and -1. Inflated cells are passable: pass ``free_max=98,
        occupied_min=99`` to treat them as free.

    Raises
    ------
    ValueError
        `codes` is no uint8 array of two dimensions.
    """
    if not isinstance(codes, np.ndarray) or codes.dtype != np.uint8 or codes.ndim != 2:
        raise ValueError(f"codes must be uint8[rows, cols], got {type(codes).__name__}")
    table = np.zeros(256, np.int8)
    table[1:INSCRIBED] = 1 + (97 * (np.arange(1, INSCRIBED) - 1)) // 251
    table[INSCRIBED], table[INSCRIBED + 1], table[NO_INFORMATION] = 99, OCCUPIED, UNKNOWN
    return table[codes]
