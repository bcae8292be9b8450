"""Filling of polygons by the centres of cells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def fill_polygon(ring: npt.ArrayLike, shape: tuple[int, int]) -> npt.NDArray[np.bool_]:
    """Return the cells whose centres lie inside a polygon, by the even-odd rule.

    Neighbours that share an edge share no cell, and a strip of wall narrower than a cell is
    never painted over, as drawing routines with outlines do.

    Parameters
    ----------
    ring : float[n, 2]
        Corners (x, y) in cells: cell (row, col) has its centre at (col + 0.5, row + 0.5).
        The ring is closed from the last corner to the first.
    shape : (int, int)
        Rows and columns; what lies outside is cut off.

    Returns
    -------
    bool[rows, cols]

    Notes
    -----
    O(corners * rows + cells inside the bounding box).
    """
    filled = np.zeros(shape, bool)
    corners = np.asarray(ring, np.float64)
    x0, y0 = corners.T
    x1, y1 = np.roll(corners, -1, axis=0).T
    first = max(0, int(np.floor(y0.min() - 0.5)))
    last = min(shape[0], int(np.ceil(y0.max() + 0.5)))
    left = max(0, int(np.floor(x0.min() - 0.5)))
    right = max(left, min(shape[1], int(np.ceil(x0.max() + 0.5))))
    centres = np.arange(left, right) + 0.5
    for row in range(first, last):
        y = row + 0.5
        # Half-open in y, so that a corner on the line counts once.
        cut = (y0 <= y) != (y1 <= y)
        share = (y - y0[cut]) / (y1[cut] - y0[cut])
        crossings = np.sort(x0[cut] + share * (x1[cut] - x0[cut]))
        filled[row, left:right] = np.searchsorted(crossings, centres, side="right") % 2 == 1
    return filled
