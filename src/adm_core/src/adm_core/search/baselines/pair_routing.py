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

Tasks = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Up to this number of tasks the division is the best one.
EXACT = 10
#: Improvements that the local search may make at most, a start.
MOVES = 300
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
        routes = _Search(start, link, demand, capacity).run(previous)
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


# --- exact -----------------------------------------------------------------------------------


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


# --- local search ----------------------------------------------------------------------------


class _Search:
    """Local search over both routes at once; costs of all moves of a kind in one array.

    Nodes 0..n-1 are tasks, n and n + 1 the robots, n + 2 is the end of any route. A unit of
    excess costs more than all ways together.
    """

    def __init__(self, start: Floats, link: Floats, demand: Floats, capacity: float) -> None:
        size = self.size = len(demand)
        way = self.way = np.zeros((size + 3, size + 3))
        way[:size, :size] = link
        way[size : size + 2, :size] = start
        self.demand, self.capacity = np.append(demand, [0.0, 0.0, 0.0]), capacity
        positive = demand[demand > 0]
        worst = 4 * (size + 2) * (np.abs(way).max() + 1.0)
        self.price = worst / (positive.min() if len(positive) else 1.0)

    def run(self, previous: tuple[Tasks, Tasks] | None) -> tuple[Tasks, Tasks]:
        starts = [self._insert_all()]
        if previous is not None:
            starts.append((self._route(0, previous[0]), self._route(1, previous[1])))
        found = [self._improve(list(routes)) for routes in starts]
        best = min(found, key=self._value)
        return best[0][1:-1], best[1][1:-1]

    def _route(self, robot: int, tasks: Tasks) -> Tasks:
        return np.concatenate([[self.size + robot], tasks, [self.size + 2]]).astype(np.int64)

    def _value(self, routes: list[Tasks]) -> float:
        ways = sum(self.way[route[:-1], route[1:]].sum() for route in routes)
        return float(ways + self.price * sum(self._over(self._load(r)) for r in routes))

    def _load(self, route: Tasks) -> float:
        return float(self.demand[route].sum())

    def _over(self, load: npt.ArrayLike) -> npt.NDArray[np.float64]:
        return np.maximum(np.asarray(load) - self.capacity, 0.0)

    def _insert_all(self) -> tuple[Tasks, Tasks]:
        """Put one task after the other where it costs least, from two empty routes."""
        routes = [self._route(robot, np.empty(0, np.int64)) for robot in (0, 1)]
        left = np.arange(self.size)
        while len(left):
            options = [self._insertion(route, left) for route in routes]
            robot = int(np.argmin([option[0] for option in options]))
            _, task, place = options[robot]
            routes[robot] = np.insert(routes[robot], place, left[task])
            left = np.delete(left, task)
        return routes[0], routes[1]

    def _insertion(self, route: Tasks, tasks: Tasks) -> tuple[float, int, int]:
        added = self._added(tasks, route)
        load = self._load(route)
        over = self._over(load + self.demand[tasks]) - self._over(load)
        added += self.price * over[:, None]
        task, place = np.unravel_index(added.argmin(), added.shape)
        return float(added[task, place]), int(task), int(place) + 1

    def _improve(self, routes: list[Tasks]) -> list[Tasks]:
        for _ in range(MOVES):
            moves = [self._relocation(routes), self._exchange(routes)]
            moves += [self._reversal(routes, robot) for robot in (0, 1)]
            gain, changed = min(moves, key=lambda move: move[0])
            if gain >= -_EPS:
                break
            routes = changed
        return routes

    def _relocation(self, routes: list[Tasks]) -> tuple[float, list[Tasks]]:
        """Take one task out and put it elsewhere, in either route."""
        best: tuple[float, list[Tasks]] = (0.0, routes)
        for robot in (0, 1):
            route, other = routes[robot], routes[1 - robot]
            if len(route) == 2:
                continue
            tasks, loads = route[1:-1], (self._load(route), self._load(other))
            gone = self.way[route[:-2], route[2:]] - self.way[route[:-2], tasks]
            gone -= self.way[tasks, route[2:]]
            moved = self._over(loads[0] - self.demand[tasks]) - self._over(loads[0])
            moved += self._over(loads[1] + self.demand[tasks]) - self._over(loads[1])
            across = self._added(tasks, other) + (gone + self.price * moved)[:, None]
            within = self._added(tasks, route) + gone[:, None]
            spots = np.arange(len(tasks))
            within[spots, spots] = within[spots, spots + 1] = np.inf
            best = min(
                best,
                self._moved(routes, robot, robot, within),
                self._moved(routes, robot, 1 - robot, across),
                key=lambda move: move[0],
            )
        return best

    def _added(self, tasks: Tasks, route: Tasks) -> Floats:
        a, b = route[:-1], route[1:]
        return self.way[np.ix_(tasks, b)] + self.way[np.ix_(a, tasks)].T - self.way[a, b]

    def _moved(
        self, routes: list[Tasks], source: int, target: int, gains: Floats
    ) -> tuple[float, list[Tasks]]:
        task, edge = map(int, np.unravel_index(gains.argmin(), gains.shape))
        changed = list(routes)
        node = routes[source][task + 1]
        changed[source] = np.delete(routes[source], task + 1)
        shift = 1 if source == target and edge > task else 0
        changed[target] = np.insert(changed[target], edge + 1 - shift, node)
        return float(gains[task, edge]), changed

    def _reversal(self, routes: list[Tasks], robot: int) -> tuple[float, list[Tasks]]:
        """Turn a piece of one route around (2-opt)."""
        route, way = routes[robot], self.way
        n = len(route) - 2
        if n < 2:
            return 0.0, routes
        before, tasks, after = route[:-2], route[1:-1], route[2:]
        gains = way[np.ix_(before, tasks)] + way[np.ix_(tasks, after)]
        gains -= way[before, tasks][:, None] + way[tasks, after][None, :]
        gains[np.tril_indices(n)] = np.inf
        i, j = map(int, np.unravel_index(gains.argmin(), gains.shape))
        changed = list(routes)
        changed[robot] = np.concatenate([route[: i + 1], route[j + 1 : i : -1], route[j + 2 :]])
        return float(gains[i, j]), changed

    def _exchange(self, routes: list[Tasks]) -> tuple[float, list[Tasks]]:
        """Cut both routes and swap what comes after."""
        one, two = routes
        a, b, way = one[:-1], two[:-1], self.way
        gains = way[np.ix_(a, two[1:])] + way[np.ix_(b, one[1:])].T
        gains -= way[a, one[1:]][:, None] + way[b, two[1:]][None, :]
        head, tail = np.cumsum(self.demand[a]), np.cumsum(self.demand[b])
        loads = head[:, None] + tail[-1] - tail[None, :], tail[None, :] + head[-1] - head[:, None]
        over = self._over(loads[0]) + self._over(loads[1])
        gains += self.price * (over - self._over(head[-1]) - self._over(tail[-1]))
        i, j = map(int, np.unravel_index(gains.argmin(), gains.shape))
        changed = [
            np.concatenate([one[: i + 1], two[j + 1 :]]),
            np.concatenate([two[: j + 1], one[i + 1 :]]),
        ]
        return float(gains[i, j]), changed
