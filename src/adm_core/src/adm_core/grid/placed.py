"""A map seen from the cells of another frame: which of its cells lies where.

With equal resolution and yaw a map is shifted by the nearest whole number of cells. Otherwise
each cell of the frame reads the map's cell at its centre, and walls mark their places besides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from adm_core.grid._blocks import row_blocks
from adm_core.grid.frames import GridFrame, aligned, frame_of, reindex, shift_between
from adm_core.types import GridMap

_OCCUPIED_MIN = 65
_BLOCK_CELLS = 1 << 20


@dataclass
class PlacedMap:
    """A map seen from the cells of a frame."""

    grid_map: GridMap
    frame: GridFrame
    own: GridFrame = field(init=False)
    shift: tuple[int, int] | None = field(init=False)

    def __post_init__(self) -> None:
        self.own = frame_of(self.grid_map)
        same = aligned(self.frame, self.own)
        self.shift = shift_between(self.frame, self.own) if same else None

    def raise_to(self, data: npt.NDArray[np.int8]) -> None:
        """Raise the cells of `data` to the occupancy of this map."""
        for window, values in self.read(self.grid_map.data, -1):
            np.maximum(data[window], values, out=data[window])
        if self.shift is None:
            self._mark(data)

    def read(
        self, array: npt.NDArray[Any], fill: int
    ) -> Iterator[tuple[tuple[slice, slice], npt.NDArray[Any]]]:
        """Yield windows of the frame with the values of `array`, which has the map's shape."""
        rows, cols = self._window()
        for block in row_blocks((rows.stop - rows.start, cols.stop - cols.start), _BLOCK_CELLS):
            start, stop, _ = block.indices(rows.stop - rows.start)
            part = slice(rows.start + start, rows.start + stop)
            shape = (stop - start, cols.stop - cols.start)
            if self.shift is not None:
                shift = self.shift[0] + part.start, self.shift[1] + cols.start
                yield (part, cols), reindex(array, shift, shape, fill)
            else:
                source, inside = self._sources(np.arange(part.start, part.stop), cols)
                values = np.where(inside, array.ravel()[source], array.dtype.type(fill))
                yield (part, cols), values

    def at(self, flat: npt.NDArray[np.int64], array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the values of `array` at flat cells of the frame, 0 outside the map."""
        rows, cols = np.divmod(flat, self.frame.shape[1])
        if self.shift is not None:
            row, col = rows + self.shift[0], cols + self.shift[1]
        else:
            x, y = self.frame.to_world(rows + 0.5, cols + 0.5)
            row, col = (np.floor(part).astype(np.int64) for part in self.own.to_local(x, y))
        inside = (row >= 0) & (col >= 0) & (row < self.own.shape[0]) & (col < self.own.shape[1])
        found = array[np.where(inside, row, 0), np.where(inside, col, 0)]
        return np.where(inside, found, array.dtype.type(0))

    def _window(self) -> tuple[slice, slice]:
        """Return the rows and columns of the frame that the map can touch."""
        spans = []
        for part, size in zip(
            self.frame.to_local(*self.own.corners()), self.frame.shape, strict=True
        ):
            # A cell more on either side: a shift may be rounded.
            start = min(max(0, int(np.floor(part.min())) - 1), size)
            spans.append(slice(start, min(max(start, int(np.ceil(part.max())) + 1), size)))
        return spans[0], spans[1]

    def _sources(
        self, rows: npt.NDArray[np.int64], cols: slice
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return the map's cell at the centre of each cell, and whether there is one.

        The way from one frame to the other is affine: a row's part and a column's part add up.
        """
        zero = np.array(self.own.to_local(*self.frame.to_world(0.5, 0.5)))
        down = np.array(self.own.to_local(*self.frame.to_world(1.5, 0.5))) - zero
        right = np.array(self.own.to_local(*self.frame.to_world(0.5, 1.5))) - zero
        across = np.arange(cols.start, cols.stop)
        row, col = (
            np.floor(np.add.outer(zero[k] + down[k] * rows, right[k] * across)).astype(np.int32)
            for k in (0, 1)
        )
        height, width = self.own.shape
        inside = (row >= 0) & (row < height) & (col >= 0) & (col < width)
        source = row.astype(np.int64) * width + col
        source[~inside] = 0
        return source, inside

    def _mark(self, data: npt.NDArray[np.int8]) -> None:
        """Mark the cells of the frame in which occupied cells, or all known ones, lie."""
        own = self.grid_map.data
        least = 0 if self.frame.resolution > self.own.resolution * 1.001 else _OCCUPIED_MIN
        for block in row_blocks(own.shape, _BLOCK_CELLS):
            rows, cols = np.nonzero(own[block] >= least)
            self._mark_points(data, rows + block.start + 0.5, cols + 0.5, own[block][rows, cols])
            # With the first row of the next block: links reach one row up.
            linked = own[block.start : block.stop + 1]
            for rise in (1, -1):
                rows, cols = _corner_links(linked >= _OCCUPIED_MIN, rise)
                values = np.minimum(linked[rows, cols], linked[rows + 1, cols + rise])
                for share in self._between():
                    row, col = rows + block.start + 0.5 + share, cols + 0.5 + rise * share
                    self._mark_points(data, row, col, values)

    def _between(self) -> list[float]:
        """Return shares of the way between two diagonal cells, near enough to leave no gap."""
        steps = math.ceil(2 * self.own.resolution / self.frame.resolution)
        return [step / steps for step in range(1, steps)]

    def _mark_points(
        self,
        data: npt.NDArray[np.int8],
        row: npt.NDArray[Any],
        col: npt.NDArray[Any],
        values: npt.NDArray[np.int8],
    ) -> None:
        """Raise the cells of the frame in which points of the map's grid lie."""
        parts = self.frame.to_local(*self.own.to_world(row, col))
        rows, cols = (np.floor(part).astype(np.int64) for part in parts)
        height, width = data.shape
        inside = (rows >= 0) & (rows < height) & (cols >= 0) & (cols < width)
        flat = rows[inside] * width + cols[inside]
        np.maximum.at(data.reshape(-1), flat, values[inside])


def _corner_links(
    occupied: npt.NDArray[np.bool_], rise: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the cells whose upper right (`rise` 1) or upper left (-1) neighbour is occupied
    as they are while both cells between are not: a wall that hangs together by a corner."""
    near = np.s_[:, :-1] if rise == 1 else np.s_[:, 1:]
    far = np.s_[:, 1:] if rise == 1 else np.s_[:, :-1]
    low, high = occupied[:-1], occupied[1:]
    rows, cols = np.nonzero(low[near] & high[far] & ~low[far] & ~high[near])
    return rows, cols + (rise == -1)
