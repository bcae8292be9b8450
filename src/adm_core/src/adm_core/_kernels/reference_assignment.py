"""Slow twins of assignment and tour, for tests: every possibility is tried."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt


def best_round(cost: npt.NDArray[np.float64], tasks: list[int]) -> dict[int, int]:
    """Return {task: robot} of the best assignment of one round, by enumeration."""
    robots = len(cost)
    none = cost.shape[1]
    best: Any = None
    chosen: tuple[int, ...] = ()
    slots = [*tasks, *[none] * max(0, robots - len(tasks))]
    for pick in set(itertools.permutations(slots, robots)):
        pairs = [(robot, task) for robot, task in enumerate(pick) if task != none]
        impossible = sum(math.isinf(cost[pair]) for pair in pairs)
        total = sum(cost[pair] for pair in pairs if not math.isinf(cost[pair]))
        ranks = [
            none if task == none or math.isinf(cost[r, task]) else task
            for r, task in enumerate(pick)
        ]
        key = (impossible, round(total, 6), ranks)
        if best is None or key < best:
            best, chosen = key, pick
    return {t: r for r, t in enumerate(chosen) if t != none and not math.isinf(cost[r, t])}


def assign_rounds(cost: npt.NDArray[np.float64]) -> tuple[list[int], list[int]]:
    """Return owner and round of each task as ``assignment.assign_rounds`` defines them."""
    owner, rounds = [-1] * cost.shape[1], [-1] * cost.shape[1]
    left = list(range(cost.shape[1]))
    step = 0
    while left and len(cost):
        given = best_round(cost, left)
        if not given:
            break
        for task, robot in given.items():
            owner[task], rounds[task] = robot, step
        left = [task for task in left if task not in given]
        step += 1
    return owner, rounds


def open_path_length(dist: npt.NDArray[np.float64], order: npt.ArrayLike) -> float:
    """Return the length of a path."""
    path = np.asarray(order, np.int64)
    return float(dist[path[:-1], path[1:]].sum())


def shortest_open_path(dist: npt.NDArray[np.float64], start: int) -> float:
    """Return the length of the shortest path from `start` through all points."""
    others = [point for point in range(len(dist)) if point != start]
    return min(open_path_length(dist, (start, *order)) for order in itertools.permutations(others))
