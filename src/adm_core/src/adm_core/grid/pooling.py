"""Pooling of maps and plans to coarser cells.

A coarse cell is occupied if any cell that it overlaps is, else unknown if any is, else neither
free nor occupied if any is, else free. What lies outside the map is unknown. So a coarse cell
is free only where the whole of it is known to be free, and pooling can cut rooms apart but
never join them.

The coarse cell need not be a multiple of the fine one: every fine cell that a coarse cell
overlaps by more than a millionth counts for it. Labels go by fine cells' centres: the most
frequent label of a coarse cell wins, 0 aside, ties go to the smaller one.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from adm_core.errors import MapError
from adm_core.grid.floorplans.plan import LabelledMap, PlanObject, nearest_floor
from adm_core.grid.labels import LabelGrid
from adm_core.grid.map_modes import OCCUPIED, UNKNOWN
from adm_core.types import GridMap, Pose2D

_TINY = 1e-6
#: Ranks: free cells keep 0, those between free and occupied their value.
_UNKNOWN_RANK, _OCCUPIED_RANK = 101, 102

Phase = tuple[int, int]


def pool_map(
    grid_map: GridMap,
    cell_m: float,
    *,
    phase: Phase = (0, 0),
    free_max: int = 0,
    occupied_min: int = 65,
) -> GridMap:
    """Pool a map to cells of `cell_m`.

    Parameters
    ----------
    grid_map : GridMap
    cell_m : float
        Side of a coarse cell in metres, at least the map's.
    phase : (int, int)
        Rows and columns of fine cells, outside the map, with which the first coarse cells
        begin: the lattice may lie in as many ways as a coarse cell has fine ones.
    free_max, occupied_min : int
        Thresholds of free and occupied.

    Returns
    -------
    GridMap
        Its cells are `cell_m` a side and cover the whole map.

    Raises
    ------
    MapError
        `cell_m` is finer than the map, or not finite.
    ValueError
        `phase` is negative.

    Notes
    -----
    O(cells) time, about three bytes a cell of extra memory.
    """
    ratio = cell_ratio(grid_map, cell_m)
    if min(phase) < 0:
        raise ValueError(f"phase must be >= 0, got {phase}")
    ranks = pool_ranks(rank_cells(grid_map.data, free_max, occupied_min), ratio, phase)
    pooled = ranks.astype(np.int8)
    pooled[ranks == _UNKNOWN_RANK] = UNKNOWN
    pooled[ranks == _OCCUPIED_RANK] = OCCUPIED
    return GridMap(pooled, cell_m, _shifted(grid_map, phase), grid_map.frame_id)


def rank_cells(
    data: npt.NDArray[np.int8], free_max: int = 0, occupied_min: int = 65
) -> npt.NDArray[np.uint8]:
    """Return how much each cell weighs in pooling: 0 is free, larger ranks win."""
    ranks = np.zeros(data.shape, np.uint8)
    between = (data > free_max) & (data < occupied_min)
    ranks[between] = data[between]
    ranks[data < 0] = _UNKNOWN_RANK
    ranks[data >= occupied_min] = _OCCUPIED_RANK
    return ranks


def pool_ranks(ranks: npt.NDArray[np.uint8], ratio: float, phase: Phase) -> npt.NDArray[np.uint8]:
    """Return the largest rank under each coarse cell of `ratio` fine ones a side."""
    for axis in (0, 1):
        ranks = _pool_axis(ranks, axis, ratio, phase[axis])
    return ranks


def pool_labels(
    labels: npt.NDArray[Any], ratio: float, shape: tuple[int, int], phase: Phase = (0, 0)
) -> npt.NDArray[Any]:
    """Pool a label image: the most frequent label of each coarse cell, 0 aside.

    Parameters
    ----------
    labels : unsigned int[rows, cols]
        0 is no label.
    ratio : float
        Side of a coarse cell in fine ones.
    shape : (int, int)
        Coarse rows and columns.
    phase : (int, int)
        As in :func:`pool_map`.
    """
    rows, cols = np.nonzero(labels)
    coarse_row = np.floor((rows + phase[0] + 0.5) / ratio).astype(np.int64)
    coarse_col = np.floor((cols + phase[1] + 0.5) / ratio).astype(np.int64)
    cells = coarse_row * shape[1] + coarse_col
    codes, counts = np.unique(cells << 32 | labels[rows, cols].astype(np.int64), return_counts=True)
    # By falling count within each cell, so that the first one is the winner.
    order = np.lexsort((codes, -counts, codes >> 32))
    owners, first = np.unique(codes[order] >> 32, return_index=True)
    out = np.zeros(shape, labels.dtype)
    out.flat[owners] = codes[order][first] & 0xFFFFFFFF
    return out


def pool_labelled(plan: LabelledMap, cell_m: float, phase: Phase = (0, 0)) -> LabelledMap:
    """Pool a plan without asking whether rooms stay connected, see :func:`pool_map`.

    Objects keep their poses; each gets the free cell of its room nearest to it, at most
    1.5 m away, and is left out, with a note, if there is none.
    """
    grid_map = pool_map(plan.grid_map, cell_m, phase=phase)
    ratio = cell_ratio(plan.grid_map, cell_m)
    rooms = plan.rooms.data if plan.rooms is not None else np.zeros_like(plan.types.data)
    pairs = rooms.astype(np.uint32) << 16 | plan.types.data
    floor = grid_map.data == 0
    pooled = np.where(floor, pool_labels(pairs, ratio, grid_map.shape, phase), 0)
    types = _named((pooled & 0xFFFF).astype(np.uint16), plan.types)
    image = (pooled >> 16).astype(np.uint16)
    named = None if plan.rooms is None else _named(image, plan.rooms)
    objects = [_moved(item, grid_map, named) for item in plan.objects]
    lost = [
        f"left out {old.name}: no free cell of its room is near it in cells of {cell_m:g} m"
        for old, new in zip(plan.objects, objects, strict=True)
        if new is None
    ]
    kept = tuple(item for item in objects if item is not None)
    return replace(
        plan,
        grid_map=grid_map,
        types=types,
        rooms=named,
        objects=kept,
        notes=(*plan.notes, *lost),
    )


def _named(image: npt.NDArray[np.uint16], labels: LabelGrid) -> LabelGrid:
    """Return a label image with the names of those labels that occur."""
    present = set(np.unique(image).tolist())
    return LabelGrid(image, {n: name for n, name in labels.names.items() if n in present})


def cell_ratio(grid_map: GridMap, cell_m: float) -> float:
    """Return how many cells of the map make a side of `cell_m`; whole numbers are exact.

    Raises
    ------
    MapError
        `cell_m` is finer than the map, or not finite.
    """
    ratio = cell_m / grid_map.resolution
    if not (math.isfinite(ratio) and ratio >= 1 - _TINY):
        raise MapError(
            f"cells must be at least as large as the map's {grid_map.resolution:g} m, "
            f"got {cell_m:g} m"
        )
    return float(round(ratio)) if abs(ratio - round(ratio)) < _TINY * ratio else ratio


def _shifted(grid_map: GridMap, phase: Phase) -> Pose2D:
    """Return the origin of a lattice that begins `phase` fine cells before the map."""
    origin = grid_map.origin
    u, v = (-steps * grid_map.resolution for steps in reversed(phase))
    cos, sin = math.cos(origin.yaw), math.sin(origin.yaw)
    return Pose2D(origin.x + cos * u - sin * v, origin.y + sin * u + cos * v, origin.yaw)


def _pool_axis(
    ranks: npt.NDArray[np.uint8], axis: int, ratio: float, phase: int
) -> npt.NDArray[np.uint8]:
    """Return the largest rank of each coarse cell along one axis."""
    size = ranks.shape[axis]
    count = math.ceil((size + phase) / ratio - _TINY)
    edges = np.arange(count + 1) * ratio
    starts = np.floor(edges[:-1] + _TINY).astype(np.int64)
    ends = np.ceil(edges[1:] - _TINY).astype(np.int64)
    # One more line than needed, for reduceat takes no end behind the last line.
    pad = [(0, 0), (0, 0)]
    pad[axis] = (phase, max(0, int(ends[-1]) - size - phase) + 1)
    padded = np.pad(ranks, pad, constant_values=_UNKNOWN_RANK)
    bounds = np.stack([starts, ends], axis=1).ravel()
    spans = np.maximum.reduceat(padded, bounds, axis=axis)
    return spans[::2] if axis == 0 else np.ascontiguousarray(spans[:, ::2])


def _moved(item: PlanObject, grid_map: GridMap, rooms: LabelGrid | None) -> PlanObject | None:
    """Return an object with its new cell."""
    cell = None
    if rooms is not None and item.room:
        labels = [label for label, name in rooms.names.items() if name == item.room]
        cell = nearest_floor(grid_map, item.pose, np.isin(rooms.data, labels))
    cell = cell or nearest_floor(grid_map, item.pose)
    return None if cell is None else replace(item, cell=cell)
