"""Slow exact twins of the kernels, in plain Python and NumPy: the tests compare against them.

They follow the definitions word for word and share no code with the kernels.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt


def is_free(grid: npt.NDArray[np.int8], free_max: int = 0) -> npt.NDArray[np.bool_]:
    """Return the mask of free cells."""
    return (grid >= 0) & (grid <= free_max)


def frontier_mask(
    grid: npt.NDArray[np.int8], *, border_is_unknown: bool = False, free_max: int = 0
) -> npt.NDArray[np.bool_]:
    """Return the mask of free cells with an unknown 4-neighbour."""
    unknown = np.pad(grid == -1, 1, constant_values=border_is_unknown)
    beside = unknown[:-2, 1:-1] | unknown[2:, 1:-1] | unknown[1:-1, :-2] | unknown[1:-1, 2:]
    return beside & is_free(grid, free_max)


def neighbours(cell: int, rows: int, cols: int) -> Iterator[int]:
    """Yield the 4-neighbours of a flat index."""
    row, col = divmod(cell, cols)
    if row > 0:
        yield cell - cols
    if row + 1 < rows:
        yield cell + cols
    if col > 0:
        yield cell - 1
    if col + 1 < cols:
        yield cell + 1


def within(free: npt.NDArray[np.bool_], start: int, c_max: int) -> set[int]:
    """Return the free cells at most `c_max` moves from `start`."""
    flat, reached, queue = free.ravel(), {start}, deque([(start, 0)])
    while queue:
        cell, depth = queue.popleft()
        if depth == c_max:
            continue
        for near in neighbours(cell, *free.shape):
            if flat[near] and near not in reached:
                reached.add(near)
                queue.append((near, depth + 1))
    return reached


def clusters(
    grid: npt.NDArray[np.int8],
    c_max: int,
    *,
    border_is_unknown: bool = False,
    free_max: int = 0,
) -> dict[str, Any]:
    """Cluster the frontier as :func:`adm_core.grid.clusters.cluster_frontiers` describes it."""
    mask = frontier_mask(grid, border_is_unknown=border_is_unknown, free_max=free_max)
    free, cols = is_free(grid, free_max), grid.shape[1]
    cells = np.flatnonzero(mask).tolist()
    owner: dict[int, int] = {}
    seeds: list[int] = []
    members: list[list[int]] = []
    reps: list[int] = []
    for seed in cells:
        if seed in owner:
            continue
        reached = within(free, seed, c_max)
        mine = [cell for cell in cells if cell in reached and cell not in owner]
        owner.update(dict.fromkeys(mine, len(seeds)))
        seeds.append(seed)
        members.append(mine)
        reps.append(_nearest(reached, mine, cols))
    return {
        "cells": np.array(cells, np.int64),
        "owner": np.array([owner[cell] for cell in cells], np.int32),
        "seeds": np.array(seeds, np.int64),
        "sizes": np.array([len(mine) for mine in members], np.int32),
        "centroids": np.array(
            [
                (sum(c // cols for c in m) / len(m), sum(c % cols for c in m) / len(m))
                for m in members
            ]
        ).reshape(-1, 2),
        "representatives": np.array(reps, np.int64),
    }


def _nearest(reached: set[int], mine: list[int], cols: int) -> int:
    n, sum_row, sum_col = len(mine), sum(c // cols for c in mine), sum(c % cols for c in mine)
    return min(
        reached,
        key=lambda c: ((n * (c // cols) - sum_row) ** 2 + (n * (c % cols) - sum_col) ** 2, c),
    )


def sees(blocked: npt.NDArray[np.bool_], start: tuple[int, int], end: tuple[int, int]) -> bool:
    """Tell whether nothing blocks the segment between two cell centres, in exact fractions."""
    step = (end[0] - start[0], end[1] - start[1])
    low, high = np.minimum(start, end), np.maximum(start, end)
    for row in range(low[0], high[0] + 1):
        for col in range(low[1], high[1] + 1):
            here = (row - start[0], col - start[1])
            if (row, col) not in (start, end) and blocked[row, col] and _enters(step, here):
                return False
            if row < high[0] and col < high[1] and _pinched(blocked, row, col, step, here):
                return False
    return True


def _enters(step: tuple[int, int], cell: tuple[int, int]) -> bool:
    # The open interval of the segment's parameter in which both coordinates are inside.
    low, high = Fraction(0), Fraction(1)
    for move, centre in zip(step, cell, strict=True):
        if move == 0:
            if centre != 0:
                return False
            continue
        ends = sorted(Fraction(2 * centre + side, 2 * move) for side in (-1, 1))
        low, high = max(low, ends[0]), min(high, ends[1])
    return low < high


def _pinched(
    blocked: npt.NDArray[np.bool_], row: int, col: int, step: tuple[int, int], here: tuple[int, int]
) -> bool:
    # The corner behind (row, col), met exactly, with both cells beside the segment blocked.
    if step[0] * (2 * here[1] + 1) != step[1] * (2 * here[0] + 1):
        return False
    if step[0] * step[1] > 0:
        return bool(blocked[row, col + 1] and blocked[row + 1, col])
    return bool(blocked[row, col] and blocked[row + 1, col + 1])


def visible(
    blocked: npt.NDArray[np.bool_],
    start: tuple[int, int],
    heading: float,
    fov: float,
    reach: float,
    near: float,
) -> list[int]:
    """Return the flat indices that :func:`adm_core.grid.visibility.visible_cells` lists."""
    found = []
    for cell in np.ndindex(blocked.shape):
        drow, dcol = cell[0] - start[0], cell[1] - start[1]
        length = math.hypot(drow, dcol)
        turn = abs(math.remainder(math.atan2(drow, dcol) - heading, math.tau)) if length else 0.0
        if length <= reach and (length <= near or turn <= fov / 2) and sees(blocked, start, cell):
            found.append(cell[0] * blocked.shape[1] + cell[1])
    return found


def room_instances(
    grid: npt.NDArray[np.int8],
    room_type: npt.NDArray[Any],
    *,
    untyped: bool = False,
    free_max: int = 0,
) -> tuple[npt.NDArray[np.int64], set[tuple[int, int]]]:
    """Return the label image of the instances, row-major by first cell, and their edges."""
    free = is_free(grid, free_max) & (untyped | (room_type != 0))
    rows, cols = grid.shape
    flat, types = free.ravel(), room_type.ravel()
    labels, count = np.zeros(grid.size, np.int64), 0
    for start in np.flatnonzero(flat).tolist():
        if labels[start]:
            continue
        count += 1
        labels[start], stack = count, [start]
        while stack:
            for near in neighbours(stack.pop(), rows, cols):
                if flat[near] and not labels[near] and types[near] == types[start]:
                    labels[near] = count
                    stack.append(near)
    edges = {
        (int(min(labels[a], labels[b])), int(max(labels[a], labels[b])))
        for a in np.flatnonzero(labels).tolist()
        for b in neighbours(a, rows, cols)
        if labels[b] and labels[a] != labels[b]
    }
    return labels.reshape(grid.shape), edges
