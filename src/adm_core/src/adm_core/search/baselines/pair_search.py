"""Local search for the division of many tasks between two robots."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Tasks = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Improvements that may be made at most, from each start.
MOVES = 300
_EPS = 1e-9


class PairSearch:
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
        """Return the best routes found from cheapest insertion and from `previous`."""
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
