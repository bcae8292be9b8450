"""One map out of several that keep changing, with what changed since the last look.

The rules are those of :mod:`adm_core.grid.merge`. Where a map lies parallel to the common frame
only the cells that its changes touch are fused again; a map that is turned against it is merged
anew as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core.grid.frames import (
    MAX_CELLS,
    GridFrame,
    aligned,
    common_frame,
    shift_between,
)
from adm_core.grid.labels import LabelGrid
from adm_core.grid.merge import merge_maps, most_votes, renumber
from adm_core.grid.windows import GridWindow, Labels, Occupancy, changed_windows
from adm_core.types import GridMap

#: Row, end row, column, end column; ends exclusive.
_Box = tuple[int, int, int, int]


class Fused(NamedTuple):
    """What an update of the fused map came to.

    Attributes
    ----------
    windows : list of GridWindow
        What changed, in cells of the frame.
    grown : bool
        Whether the frame is another one than before: the whole map is new then.
    """

    windows: list[GridWindow]
    grown: bool


@dataclass
class _Source:
    frame: GridFrame
    occupancy: Occupancy
    labels: Labels | None
    table: npt.NDArray[np.uint16]


class MapFusion:
    """Fuse the maps of several sources as they come.

    Parameters
    ----------
    max_cells : int
        Largest size of the common frame.

    Attributes
    ----------
    frame : GridFrame or None
        Where the fused map lies: it contains all maps that came so far, on the lattice of the
        first one; None before that.
    occupancy : int8[rows, cols]
        -1 unknown, 0..100.
    labels : uint16[rows, cols] or None
        Room types, 0 for none; None until a map has some.
    names : dict of int to str
        Names of the room types of all maps.
    """

    def __init__(self, max_cells: int = MAX_CELLS) -> None:
        self.frame: GridFrame | None = None
        self.occupancy: Occupancy = np.empty((0, 0), np.int8)
        self.labels: Labels | None = None
        self._max_cells = max_cells
        self._numbers: dict[str, int] = {}
        self._sources: dict[str, _Source] = {}
        self._dirty: list[_Box] = []
        self._grown = False

    @property
    def names(self) -> dict[int, str]:
        """Names of the room types, by number."""
        return {number: name for name, number in self._numbers.items()}

    def put(
        self,
        source: str,
        frame: GridFrame,
        occupancy: Occupancy,
        labels: Labels | None = None,
        names: Mapping[int, str] | None = None,
    ) -> None:
        """Take in the whole map of a source, instead of the one that it had.

        Parameters
        ----------
        source : str
            Who has sent it.
        frame : GridFrame
            Its origin is its pose in the common frame.
        occupancy : int8[rows, cols]
            -1 unknown, 0..100; copied.
        labels : uint16[rows, cols], optional
            Room types by the numbers of the source; copied.
        names : mapping of int to str, optional
            Names of its room types.

        Raises
        ------
        ValueError
            The parts differ in shape, or a label has no name.
        MapError
            The maps lie too far apart.
        """
        if occupancy.shape != frame.shape:
            raise ValueError(f"occupancy must be {frame.shape}, got {occupancy.shape}")
        if labels is not None and labels.shape != frame.shape:
            raise ValueError(f"labels must be {frame.shape} like their map, got {labels.shape}")
        self._include(frame)
        table = renumber(names or {}, self._numbers)
        image = None if labels is None else _looked_up(table, labels)
        before = self._sources.get(source)
        if before is not None and before.frame != frame:
            self._dirty.append(self._box(before, before.frame.shape))
        item = self._sources[source] = _Source(frame, occupancy.copy(), image, table)
        self._dirty.append(self._box(item, frame.shape))

    def apply(self, source: str, windows: Iterable[GridWindow]) -> None:
        """Take in what changed in the map of a source.

        Raises
        ------
        ValueError
            The source has sent no map yet, or a window does not lie on it.
        """
        item = self._sources.get(source)
        if item is None:
            raise ValueError(f"source must have sent a map before, got a change of {source!r}")
        for window in windows:
            rows, cols = window.place
            if not (rows.start >= 0 and rows.stop <= item.frame.shape[0]) or not (
                cols.start >= 0 and cols.stop <= item.frame.shape[1]
            ):
                raise ValueError(
                    f"windows must lie on the map of {item.frame.shape}, "
                    f"got rows {rows.start}..{rows.stop} and columns {cols.start}..{cols.stop}"
                )
            item.occupancy[window.place] = window.occupancy
            if item.labels is None and window.labels is not None:
                item.labels = np.zeros(item.frame.shape, np.uint16)
            if item.labels is not None:
                item.labels[window.place] = _looked_up(item.table, window.label_image())
            self._dirty.append(self._box(item, window.occupancy.shape, (window.row, window.col)))

    def update(self) -> Fused:
        """Fuse what came since the last call; return what that changed."""
        dirty, self._dirty = self._dirty, []
        grown, self._grown = self._grown, False
        if not self._sources or not (dirty or grown):
            return Fused([], False)
        assert self.frame is not None
        if grown:
            self.occupancy, self.labels = np.full(self.frame.shape, -1, np.int8), None
        if self.labels is None and any(i.labels is not None for i in self._sources.values()):
            self.labels = np.zeros(self.frame.shape, np.uint16)
        if not all(aligned(self.frame, item.frame) for item in self._sources.values()):
            return Fused(self._merge_all(), grown)
        windows: list[GridWindow] = []
        whole = (0, self.frame.shape[0], 0, self.frame.shape[1])
        for box in [whole] if grown else _joined(dirty):
            windows += self._fuse(box)
        return Fused(windows, grown)

    # --- inside ----------------------------------------------------------------------------

    def _include(self, frame: GridFrame) -> None:
        """Let the common frame grow until a map lies within it."""
        frames = [frame] if self.frame is None else [self.frame, frame]
        grown = common_frame(
            frames,
            None if self.frame is None else self.frame.resolution,
            max_cells=self._max_cells,
        )
        if self.frame is None or grown.shape != self.frame.shape:
            self.frame, self._grown = grown, True

    def _box(self, item: _Source, shape: tuple[int, int], first: tuple[int, int] = (0, 0)) -> _Box:
        """Return the cells of the common frame that a part of a source's map touches."""
        assert self.frame is not None
        rows, cols = self.frame.shape
        if not aligned(self.frame, item.frame):
            return 0, rows, 0, cols
        shift = shift_between(self.frame, item.frame)
        row, col = first[0] - shift[0], first[1] - shift[1]
        return max(row, 0), min(row + shape[0], rows), max(col, 0), min(col + shape[1], cols)

    def _fuse(self, box: _Box) -> list[GridWindow]:
        row, row_end, col, col_end = box
        if row >= row_end or col >= col_end:
            return []
        here = np.s_[row:row_end, col:col_end]
        occupancy, labels = self._read(box)
        before = None if self.labels is None else self.labels[here]
        windows = changed_windows(
            self.occupancy[here], occupancy, before, labels, corner=(row, col)
        )
        self.occupancy[here] = occupancy
        if before is not None and labels is not None:
            before[...] = labels
        return windows

    def _read(self, box: _Box) -> tuple[Occupancy, Labels | None]:
        """Return the fused content of a box."""
        assert self.frame is not None
        row, row_end, col, col_end = box
        occupancy = np.full((row_end - row, col_end - col), -1, np.int8)
        votes = []
        for item in self._sources.values():
            shift = shift_between(self.frame, item.frame)
            top, left = max(row, -shift[0]), max(col, -shift[1])
            end = min(row_end, item.frame.shape[0] - shift[0])
            right = min(col_end, item.frame.shape[1] - shift[1])
            if top >= end or left >= right:
                continue
            window = np.s_[top - row : end - row, left - col : right - col]
            part = np.s_[top + shift[0] : end + shift[0], left + shift[1] : right + shift[1]]
            np.maximum(occupancy[window], item.occupancy[part], out=occupancy[window])
            if item.labels is not None and item.labels[part].any():
                image = np.zeros(occupancy.shape, np.uint16)
                image[window] = item.labels[part]
                votes.append(image)
        labels = None if self.labels is None else _vote(votes, occupancy.shape)
        return occupancy, labels

    def _merge_all(self) -> list[GridWindow]:
        """Merge all maps anew: for maps that are turned against each other."""
        assert self.frame is not None
        items = list(self._sources.values())
        merged = merge_maps(
            [GridMap(i.occupancy, i.frame.resolution, i.frame.origin) for i in items],
            [None if i.labels is None else LabelGrid(i.labels, self.names) for i in items],
            frame=self.frame,
        )
        occupancy, labels = merged.grid_map.data.copy(), self.labels
        if merged.labels is not None:
            labels = merged.labels.data.astype(np.uint16)
        windows = changed_windows(self.occupancy, occupancy, self.labels, labels)
        self.occupancy, self.labels = occupancy, labels
        return windows


def _looked_up(table: npt.NDArray[np.uint16], image: Labels) -> Labels:
    if image.size and int(image.max()) >= len(table):
        raise ValueError(f"names must name every label, {int(image.max())} has none")
    found: Labels = table[image]
    return found


def _vote(votes: list[Labels], shape: tuple[int, int]) -> Labels:
    """Return the most frequent label of each cell, the first source's among equals."""
    if not votes:
        return np.zeros(shape, np.uint16)
    merged = votes[0].copy()
    disputed = np.zeros(shape, bool)
    for image in votes[1:]:
        disputed |= (image > 0) & (merged > 0) & (image != merged)
        np.copyto(merged, image, where=merged == 0)
    cells = np.flatnonzero(disputed)
    if cells.size:
        merged.flat[cells] = most_votes(np.stack([image.flat[cells] for image in votes]))
    return merged


def _joined(boxes: list[_Box]) -> list[_Box]:
    """Return boxes that cover the given ones, without those that lie in another."""
    kept: list[_Box] = []
    for box in sorted(set(boxes), key=lambda item: -(item[1] - item[0]) * (item[3] - item[2])):
        row, row_end, col, col_end = box
        inside = any(a <= row and row_end <= b and c <= col and col_end <= d for a, b, c, d in kept)
        if not inside:
            kept.append(box)
    return kept
