"""Slow twin of the kernel that grows trees of sight, for tests: RRT*, written plainly."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Cell = tuple[int, int]


def grow_tree(
    allowed: npt.NDArray[np.bool_],
    in_sight: Callable[[Cell, Cell], bool],
    samples: npt.NDArray[np.float64],
    root: Cell,
    step: float,
    rewire: float,
    wanted: int,
) -> tuple[list[Cell], list[int], list[float]]:
    """Return cells, parents and costs of a tree of `wanted` nodes, the root among them."""
    cells, parents, costs = [root], [-1], [0.0]
    for row, col in samples.tolist():
        if len(cells) == wanted:
            break
        nearest = min(cells, key=lambda c: (row - c[0]) ** 2 + (col - c[1]) ** 2)
        cell = towards(nearest, (row, col), step)
        inside = 0 <= cell[0] < allowed.shape[0] and 0 <= cell[1] < allowed.shape[1]
        if not inside or not allowed[cell] or cell in cells or not in_sight(cell, nearest):
            continue
        away = [math.hypot(cell[0] - r, cell[1] - c) for r, c in cells]
        near = [i for i, c in enumerate(cells) if away[i] <= rewire and in_sight(cell, c)]
        parent = min(near, key=lambda i: costs[i] + away[i])
        cost = costs[parent] + away[parent]
        for i in near:
            if cost + away[i] < costs[i] - 1e-9:
                gain = costs[i] - cost - away[i]
                parents[i] = len(cells)
                for node in below(parents, i):
                    costs[node] -= gain
        cells.append(cell)
        parents.append(parent)
        costs.append(cost)
    return cells, parents, costs


def towards(start: Cell, aim: tuple[float, float], step: float) -> Cell:
    """Return the cell at most `step` from `start` on the way to `aim`."""
    drow, dcol = aim[0] - start[0], aim[1] - start[1]
    share = min(1.0, step / max(math.hypot(drow, dcol), 1e-300))
    return round(start[0] + drow * share), round(start[1] + dcol * share)


def below(parents: list[int], node: int) -> list[int]:
    """Return a node and all nodes that hang on it."""
    return [node, *(n for i, p in enumerate(parents) if p == node for n in below(parents, i))]
