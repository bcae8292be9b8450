"""Merging of the maps of several robots in world coordinates.

Every map brings its own resolution, origin and yaw. A merged cell takes the largest
occupancy of the maps, so occupied wins over free and free over unknown.

How a map is read at the cells of the common frame:

- with the same resolution and yaw it is shifted by the nearest whole number of cells, at most
  half a cell from its true place, without resampling;
- otherwise each merged cell takes the cell in which its centre lies. In addition every
  occupied cell marks the merged cell in which *its* centre lies, and two that touch at a
  corner those between, so that no wall is lost or gets a hole that robots could pass; where
  the merged cells are coarser every known cell marks its place.

Labels: the most frequent label of a cell among the maps that have one; ties go to the map
that comes first. Legends are joined by name, so maps may number their rooms differently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core.grid.frames import MAX_CELLS, GridFrame, common_frame, frame_of
from adm_core.grid.labels import LabelGrid
from adm_core.grid.placed import PlacedMap
from adm_core.types import GridMap


class MergedMap(NamedTuple):
    """The maps of a team as one map, and its labels if there were any."""

    grid_map: GridMap
    labels: LabelGrid | None


def merge_maps(
    maps: Sequence[GridMap],
    labels: Sequence[LabelGrid | None] | None = None,
    *,
    frame: GridFrame | None = None,
    max_cells: int = MAX_CELLS,
) -> MergedMap:
    """Merge maps into one.

    Parameters
    ----------
    maps : sequence of GridMap
        One or more, in one world frame: each map's origin is its pose there.
    labels : sequence of LabelGrid or None, optional
        Labels of each map, of its shape; None for a map without.
    frame : GridFrame, optional
        Where the result lies (default: :func:`adm_core.grid.frames.common_frame`, which
        contains all maps and keeps the lattice of the first).
    max_cells : int
        Largest size of a default frame.

    Returns
    -------
    MergedMap
        Labels are uint16, or None if no map has any.

    Raises
    ------
    ValueError
        There is no map, or labels have another shape than their map.
    MapError
        The maps lie too far apart.

    Notes
    -----
    O(cells of all maps + cells of the frame) time. Extra memory: a block of a million cells,
    and for labels three bytes a cell of the frame.
    """
    if not maps:
        raise ValueError("maps must hold one map or more, got none")
    labels = [None] * len(maps) if labels is None else list(labels)
    if len(labels) != len(maps):
        raise ValueError(f"labels must be {len(maps)}, one a map, got {len(labels)}")
    for item, mine in zip(maps, labels, strict=True):
        if mine is not None and mine.data.shape != item.shape:
            raise ValueError(f"labels must be {item.shape} like their map, got {mine.data.shape}")
    frame = frame or common_frame(map(frame_of, maps), max_cells=max_cells)
    placed = [PlacedMap(item, frame) for item in maps]
    data = np.full(frame.shape, -1, np.int8)
    for one in placed:
        one.raise_to(data)
    data.flags.writeable = False
    merged = GridMap(data, frame.resolution, frame.origin, maps[0].frame_id)
    return MergedMap(merged, _merge_labels(placed, labels, frame.shape))


def _merge_labels(
    placed: Sequence[PlacedMap], labels: Sequence[LabelGrid | None], shape: tuple[int, int]
) -> LabelGrid | None:
    """Return the labels by the rule of this module; None if there are none."""
    legend, tables = _join_legends(labels)
    voters = [
        (one, table[mine.data])
        for one, mine, table in zip(placed, labels, tables, strict=True)
        if mine is not None and table is not None
    ]
    if not voters:
        return None
    merged, disputed = np.zeros(shape, np.uint16), np.zeros(shape, bool)
    for one, image in voters:
        for window, values in one.read(image, 0):
            here = merged[window]
            disputed[window] |= (values > 0) & (here > 0) & (values != here)
            np.copyto(here, values, where=here == 0)
    cells = np.flatnonzero(disputed)
    if cells.size:
        merged.flat[cells] = most_votes(np.stack([one.at(cells, image) for one, image in voters]))
    present = set(np.unique(merged).tolist())
    return LabelGrid(merged, {n: name for n, name in legend.items() if n in present})


def _join_legends(
    labels: Sequence[LabelGrid | None],
) -> tuple[dict[int, str], list[npt.NDArray[np.uint16] | None]]:
    """Return one legend, and for each map the new number of each of its labels."""
    numbers: dict[str, int] = {}
    tables: list[npt.NDArray[np.uint16] | None] = []
    for mine in labels:
        tables.append(None if mine is None else renumber(mine.names, numbers))
    return {number: name for name, number in numbers.items()}, tables


def renumber(names: Mapping[int, str], numbers: dict[str, int]) -> npt.NDArray[np.uint16]:
    """Return the new number of each label; new names take their own number if it is free."""
    table = np.zeros(max(names, default=0) + 1, np.uint16)
    for label, name in sorted(names.items()):
        if name not in numbers:
            taken = set(numbers.values())
            free = label if label not in taken else max(taken) + 1
            numbers[name] = free
        table[label] = numbers[name]
    return table


def most_votes(votes: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    """Return the most frequent label > 0 of each column, the first row's among equals."""
    counts = np.array([((votes == row) & (row > 0)).sum(axis=0) for row in votes])
    best = np.argmax(counts, axis=0)
    return votes[best, np.arange(votes.shape[1])]
