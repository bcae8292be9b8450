"""Capacitated routing of two robots: who does which task, in which order, without a way back.

The pairwise interaction of RACER (T-RO 2023): the tasks of two robots are divided anew so that
the two open paths are short together and neither robot carries more than its capacity. If no
division keeps to it, the one that exceeds it least is taken, so that there always is one.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core.search.baselines.pair_search import PairSearch

Tasks = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Up to this number of tasks the division is the best one.
EXACT = 10
_EPS = 1e-9


class PairRoutes(NamedTuple):
    """Tasks of two robots in order of visit.

    Attributes
    ----------
    first, second : int64[a], int64[b]
        Together every task once.
    cost : float
        Length of both paths.
    excess : float
        Demand above the capacity, of both robots together.
    """

    first: Tasks
    second: Tasks
    cost: float
    excess: float


def route_pair(
    start: Floats,
    link: Floats,
    demand: Floats,
    capacity: float,
    previous: tuple[Tasks, Tasks] | None = None,
) -> PairRoutes:
    """Divide tasks between two robots.

    Parameters
    ----------
    start : float64[2, n]
        Cost from each robot to each task; a reward may make it negative.
    link : float64[n, n]
        Symmetric costs between tasks.
    demand : float64[n]
        What a task takes of the capacity, >= 0.
    capacity : float
        What one robot can take, >= 0.
    previous : (int64[a], int64[b]), optional
        The division up to now. With more than ten tasks the search starts from it too; the
        result is then never worse.

    Returns
    -------
    PairRoutes
        Of least excess, and of least cost among those.

    Raises
    ------
    ValueError
        If an argument has the wrong shape, or holds numbers that are not finite or negative
        where they must not be.

    Notes
    -----
    Up to ten tasks exact, by dynamic programming over subsets, O(2^n n^2). Beyond that cheapest
    insertion, then the best of all relocations, reversals and exchanges of tails, at most 300
    times: it counts moves, not time, and has no chance in it.
    """
    start, link, demand = _checked(start, link, demand, capacity)
    size = len(demand)
    if previous is not None and sorted(np.concatenate(previous).tolist()) != list(range(size)):
        raise ValueError(f"previous must hold each of the {size} tasks once, got {previous}")
    if size <= EXACT:
        routes = _divide(start, link, demand, capacity)
    else:
        routes = PairSearch(start, link, demand, capacity).run(previous)
    return measure(routes, start, link, demand, capacity)


def measure(
    routes: tuple[Tasks, Tasks], start: Floats, link: Floats, demand: Floats, capacity: float
) -> PairRoutes:
    """Return two routes with their cost and excess; arguments as for :func:`route_pair`."""
    cost = excess = 0.0
    for robot, tasks in enumerate(routes):
        if len(tasks):
            cost += start[robot, tasks[0]] + link[tasks[:-1], tasks[1:]].sum()
            excess += max(0.0, demand[tasks].sum() - capacity)
    return PairRoutes(*routes, float(cost), float(excess))


def _checked(
    start: Floats, link: Floats, demand: Floats, capacity: float
) -> tuple[Floats, Floats, Floats]:
    start, link, demand = (np.asarray(a, np.float64) for a in (start, link, demand))
    size = demand.size
    if demand.shape != (size,) or start.shape != (2, size) or link.shape != (size, size):
        raise ValueError(
            "start must be float64[2, n], link float64[n, n] and demand float64[n], got "
            f"{list(start.shape)}, {list(link.shape)} and {list(demand.shape)}"
        )
    if not (np.isfinite(start).all() and np.isfinite(link).all() and np.isfinite(demand).all()):
        raise ValueError("start, link and demand must be finite")
    if not np.array_equal(link, link.T):
        raise ValueError("link must be symmetric")
    if (demand < 0).any() or not capacity >= 0:
        raise ValueError(f"demand and capacity must be >= 0, got {demand} and {capacity}")
    return start, link, demand


def _divide(start: Floats, link: Floats, demand: Floats, capacity: float) -> tuple[Tasks, Tasks]:
    size, full = len(demand), (1 << len(demand)) - 1
    if not size:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    best = _shortest_paths(start, link)
    shortest = best.min(2)
    shortest[:, 0] = 0.0
    subsets = np.arange(full + 1)
    load = ((subsets[:, None] >> np.arange(size)) & 1) @ demand
    excess = np.maximum(load - capacity, 0.0) + np.maximum(load[full] - load - capacity, 0.0)
    cost = shortest[0] + shortest[1, ::-1]  # the other robot has the complement
    least = excess <= excess.min() + _EPS
    chosen = int(np.argmin(np.where(least, cost, np.inf)))
    return _walk(best[0], link, chosen), _walk(best[1], link, full ^ chosen)


def _shortest_paths(start: Floats, link: Floats) -> Floats:
    """Return the shortest path of each robot over each subset for each last task, inf if none."""
    size = len(link)
    best = np.full((2, 1 << size, size), np.inf)
    for task in range(size):
        best[:, 1 << task, task] = start[:, task]
    for subset, before, last in _layers(size):
        best[:, subset, last] = (best[:, before] + link[last]).min(2)
    return best


@functools.lru_cache(maxsize=EXACT + 1)
def _layers(size: int) -> list[tuple[Tasks, Tasks, Tasks]]:
    """Return for each subset size from 2: subset, subset without its last task, last task."""
    subset, last = np.nonzero((np.arange(1 << size)[:, None] >> np.arange(size)) & 1)
    count = np.array([int(s).bit_count() for s in range(1 << size)])[subset]
    chosen = [np.flatnonzero(count == k) for k in range(2, size + 1)]
    return [(subset[k], subset[k] ^ (1 << last[k]), last[k]) for k in chosen]


def _walk(best: Floats, link: Floats, subset: int) -> Tasks:
    """Return the tasks of `subset` in the order that `best` holds."""
    tasks: list[int] = []
    while subset:
        after = link[:, tasks[-1]] if tasks else 0.0
        tasks.append(int(np.argmin(best[subset] + after)))
        subset ^= 1 << tasks[-1]
    return np.array(tasks[::-1], np.int64)
