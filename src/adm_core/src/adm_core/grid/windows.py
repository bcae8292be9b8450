"""Rectangles of a map that changed: what is sent instead of the whole map."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core.grid.frames import GridFrame

#: Side of the tiles in which changes are gathered.
TILE = 64

Occupancy = npt.NDArray[np.int8]
Labels = npt.NDArray[np.uint16]


class GridWindow(NamedTuple):
    """New content of a rectangle of cells.

    Attributes
    ----------
    row, col : int
        Its first cell.
    occupancy : int8[rows, cols]
    labels : uint16[rows, cols] or None
        Room type of each cell, 0 for none; None if no cell has one.
    """

    row: int
    col: int
    occupancy: Occupancy
    labels: Labels | None = None

    @property
    def place(self) -> tuple[slice, slice]:
        """Rows and columns of the map."""
        rows, cols = self.occupancy.shape
        return slice(self.row, self.row + rows), slice(self.col, self.col + cols)

    def label_image(self) -> Labels:
        """Return the labels, zeros if there are none."""
        if self.labels is None:
            return np.zeros(self.occupancy.shape, np.uint16)
        return self.labels


def changed_windows(
    before: Occupancy,
    after: Occupancy,
    labels_before: Labels | None = None,
    labels_after: Labels | None = None,
    *,
    corner: tuple[int, int] = (0, 0),
) -> list[GridWindow]:
    """Return windows that turn one state of a map into another.

    Parameters
    ----------
    before, after : int8[rows, cols]
        The two states.
    labels_before, labels_after : uint16[rows, cols], optional
        Their labels; both or none.
    corner : (int, int)
        Cell of the map at which the arrays begin.

    Returns
    -------
    list of GridWindow
        At most one a tile of 64 x 64 cells, row-major, as small as it can be; copies.

    Raises
    ------
    ValueError
        The arrays differ in shape.

    Notes
    -----
    One pass over the arrays, and one over each tile that changed.
    """
    if before.shape != after.shape:
        raise ValueError(f"after must have the shape {before.shape}, got {after.shape}")
    changed = before != after
    if labels_before is not None and labels_after is not None:
        changed |= labels_before != labels_after
    found = []
    for row, col in _changed_tiles(changed):
        tile = changed[row : row + TILE, col : col + TILE]
        rows, cols = np.flatnonzero(tile.any(1)), np.flatnonzero(tile.any(0))
        top, left = row + int(rows[0]), col + int(cols[0])
        part = np.s_[top : row + int(rows[-1]) + 1, left : col + int(cols[-1]) + 1]
        labels = None if labels_after is None else labels_after[part]
        found.append(
            GridWindow(
                top + corner[0],
                left + corner[1],
                after[part].copy(),
                labels.copy() if labels is not None and labels.any() else None,
            )
        )
    return found


def _changed_tiles(changed: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    rows, cols = changed.shape
    if rows == 0 or cols == 0:
        return
    down = np.logical_or.reduceat(changed, np.arange(0, rows, TILE), axis=0)
    tiles = np.logical_or.reduceat(down, np.arange(0, cols, TILE), axis=1)
    for row, col in np.argwhere(tiles).tolist():
        yield row * TILE, col * TILE


def batches(windows: Iterable[GridWindow], most_cells: int) -> Iterator[list[GridWindow]]:
    """Divide windows into lists of at most `most_cells` cells; at least one list.

    A single window with more cells is passed on as it is.
    """
    batch: list[GridWindow] = []
    cells = 0
    for window in windows:
        if batch and cells + window.occupancy.size > most_cells:
            yield batch
            batch, cells = [], 0
        batch.append(window)
        cells += window.occupancy.size
    yield batch


class MapContent(NamedTuple):
    """A labelled map at one instant, as it is sent.

    Attributes
    ----------
    frame : GridFrame
    occupancy : int8[rows, cols]
    labels : uint16[rows, cols] or None
        Room types, 0 for none; None if no cell has one.
    names : mapping of int to str
        Names of the room types.
    frame_id : str
        Frame of the origin.
    """

    frame: GridFrame
    occupancy: Occupancy
    labels: Labels | None
    names: Mapping[int, str]
    frame_id: str = "map"
