"""Slow twins of the distance kernels, for tests: the definition, written plainly."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

STRAIGHT = ((-1, 0), (0, -1), (0, 1), (1, 0))
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def moves(
    free: npt.NDArray[np.bool_], cell: tuple[int, int], diagonal: bool
) -> Iterator[tuple[tuple[int, int], bool]]:
    """Yield the free cells one move from `cell`, in order of preference, and if it is diagonal."""
    rows, cols = free.shape
    row, col = cell

    def open_at(r: int, c: int) -> bool:
        return 0 <= r < rows and 0 <= c < cols and bool(free[r, c])

    for dr, dc in STRAIGHT:
        if open_at(row + dr, col + dc):
            yield (row + dr, col + dc), False
    for dr, dc in CORNERS if diagonal else ():
        if all(open_at(*at) for at in ((row + dr, col + dc), (row + dr, col), (row, col + dc))):
            yield (row + dr, col + dc), True


def distance_field(
    grid: npt.NDArray[np.int8],
    sources: list[tuple[int, int]],
    limit: float = math.inf,
    diagonal: bool = False,
    metric: bool = False,
    free_max: int = 0,
) -> npt.NDArray[np.float64]:
    """Return the distances of ``grid.distance_field`` as float64, infinity where not reached."""
    free = (grid >= 0) & (grid <= free_max)
    field = np.full(grid.shape, math.inf)
    heap = [(0.0, 0, 0, source) for source in sources]  # length, straight and diagonal moves, cell
    while heap:
        length, straight, across, cell = heapq.heappop(heap)
        if length >= field[cell] or length > limit:
            continue
        field[cell] = length
        for there, is_corner in moves(free, cell, diagonal):
            a, b = straight + (not is_corner), across + is_corner
            heapq.heappush(heap, (a + b * (math.sqrt(2) if metric else 1), a, b, there))
    return field


def descend(
    grid: npt.NDArray[np.int8],
    field: npt.NDArray[np.float64],
    start: tuple[int, int],
    diagonal: bool = False,
    metric: bool = False,
    free_max: int = 0,
) -> list[tuple[int, int]]:
    """Return the cells of ``grid.descend`` (the field holds infinity where not reached)."""
    if math.isinf(field[start]):
        return []
    free = (grid >= 0) & (grid <= free_max)
    # A source may be blocked: it can be left, so the way back may end in it.
    walkable = free | (field == 0)
    path = [start]
    while field[path[-1]] > 0:
        for there, is_corner in moves(walkable, path[-1], diagonal):
            here = path[-1]
            if is_corner and not (free[here[0], there[1]] and free[there[0], here[1]]):
                continue
            step = math.sqrt(2) if metric and is_corner else 1.0
            if abs(field[there] + step - field[here]) < 1e-7:
                path.append(there)
                break
    return path
