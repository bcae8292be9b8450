"""RACER on a plane: pairs of robots divide the tasks of a hierarchical grid (T-RO 2023)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from adm_core.assignment import order_open_path
from adm_core.search.baselines.config import RacerConfig
from adm_core.search.baselines.hgrid import NOBODY, HGrid, Tasks
from adm_core.search.baselines.pair_routing import route_pair
from adm_core.search.baselines.ways import Ways, ending_at_last
from adm_core.search.candidates import reachable_frontier
from adm_core.search.strategy import Candidates, Robot, TeamView, Waypoint
from adm_core.types import Cell

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Racer:
    """Robots own cells of a hierarchical grid, and trade them in pairs.

    At each coordination the robots meet in pairs, those first that have not met for longest.
    A pair puts its tasks together, with those near it that nobody owns, and divides them by
    capacitated routing. A robot orders its own tasks into a path and visits the frontiers of
    the leading ones on the shortest path that ends at the next task.

    Parameters
    ----------
    config : RacerConfig

    Notes
    -----
    Nothing is left to chance. Ways are counted in moves to the four edge neighbours, over free
    and unknown cells: they serve to compare tasks only, and are four times as fast to find.
    """

    def __init__(self, config: RacerConfig) -> None:
        self.config = config
        self._grid: HGrid | None = None
        self._tasks: Tasks | None = None
        self._stamp: tuple[int, ...] | None = None
        self._met: dict[tuple[int, int], int] = {}
        self._rounds = 0
        self._first: dict[int, int] = {}
        self._offered: dict[int, tuple[int, set[int]]] = {}
        self._ways = Ways()

    # --- who owns what ---------------------------------------------------------------------

    def coordinate(self, view: TeamView) -> None:
        """Let the robots meet in pairs and divide their tasks anew."""
        grid, tasks = self._update(view)
        robots = [robot for robot in view.robots if robot.active]
        grid.owner[~np.isin(grid.owner, [robot.id for robot in robots])] = NOBODY
        rounds = self.config.pair_rounds or max(len(robots) - 1 + len(robots) % 2, 1)
        for _ in range(rounds):
            self._rounds += 1
            for one, two in self._pairs(robots):
                self._met[one.id, two.id] = self._rounds
                self._divide(view, grid, tasks, one, two, robots)

    def _update(self, view: TeamView) -> tuple[HGrid, Tasks]:
        if self._grid is None or self._grid.shape != view.map.shape:
            self._grid = HGrid(view.map.shape, self.config)
            if self.config.alone:
                self._grid.owner[:] = view.robots[0].id
            self._stamp = None
        active = [robot for robot in view.robots if robot.active]
        stamp = (view.map.revision, *(robot.id for robot in active))
        if self._tasks is None or stamp != self._stamp:
            self._ways.renew(view)
            self._tasks = self._grid.update(view.map, [robot.cell for robot in active])
            self._stamp = stamp
        return self._grid, self._tasks

    def _pairs(self, robots: list[Robot]) -> list[tuple[Robot, Robot]]:
        """Return disjoint pairs: longest not met first, then the closest, then the lowest ids."""
        pairs = sorted(combinations(robots, 2), key=lambda pair: self._urgency(*pair))
        taken: set[int] = set()
        chosen = []
        for one, two in pairs:
            if one.id not in taken and two.id not in taken:
                taken |= {one.id, two.id}
                chosen.append((one, two))
        return chosen

    def _urgency(self, one: Robot, two: Robot) -> tuple[int, int, int, int]:
        apart = self._ways.steps(one.cell, np.array([self._ways.flat(two.cell)]))[0]
        return self._met.get((one.id, two.id), -1), int(apart), one.id, two.id

    def _divide(
        self, view: TeamView, grid: HGrid, tasks: Tasks, one: Robot, two: Robot, team: list[Robot]
    ) -> None:
        nearest = self._nearest(tasks, team)
        owner = np.where(grid.owner[tasks.ids] == NOBODY, nearest, grid.owner[tasks.ids])
        union = np.flatnonzero((owner == one.id) | (owner == two.id))
        if not len(union):
            return
        start = np.stack([self._starts(grid, tasks, robot, union) for robot in (one, two)])
        demand = tasks.demand[union].astype(float)
        previous = np.flatnonzero(owner[union] == one.id), np.flatnonzero(owner[union] == two.id)
        routes = route_pair(
            start,
            self._ways.between(tasks.centres[union]),
            demand,
            self.config.capacity * demand.sum(),
            previous,
        )
        for robot, route in ((one, routes.first), (two, routes.second)):
            grid.owner[tasks.ids[union[route]]] = robot.id
            self._lead(robot, tasks.ids[union[route]])

    def _nearest(self, tasks: Tasks, team: list[Robot]) -> Ints:
        """Return the robot with the shortest way to each task, ties to the lowest id."""
        ways = [self._ways.steps(robot.cell, tasks.centres) for robot in team]
        ids = np.array([robot.id for robot in team])
        return ids[np.argmin(ways, axis=0)]

    def _starts(self, grid: HGrid, tasks: Tasks, robot: Robot, which: Ints) -> Floats:
        """Return the way to each task, less a reward for those that the robot is about."""
        ways = self._ways.steps(robot.cell, tasks.centres[which]).astype(float)
        first = self._first.get(robot.id)
        if first is not None:
            ids = tasks.ids[which]
            same = (ids == first) | (grid.parent(ids) == first)
            ways[same] -= self.config.reward_cells
        return ways

    def _lead(self, robot: Robot, ids: Ints) -> None:
        if len(ids):
            self._first[robot.id] = int(ids[0])

    # --- what a robot does with it -----------------------------------------------------------

    def next_waypoint(self, view: TeamView, robot: int) -> Waypoint | None:
        """Return the next frontier on the robot's path through its leading tasks."""
        grid, tasks = self._update(view)
        self._claim(view, grid, tasks, robot)
        own = np.flatnonzero(grid.owner[tasks.ids] == robot)
        if not len(own):
            return None
        me = view.robots[robot]
        path = self._order(grid, tasks, me, own)
        self._lead(me, tasks.ids[path])
        return self._visit(view, tasks, me, path)

    def _claim(self, view: TeamView, grid: HGrid, tasks: Tasks, robot: int) -> None:
        """Take the tasks that nobody owns and nobody is nearer to."""
        free = grid.owner[tasks.ids] == NOBODY
        if free.any():
            team = [other for other in view.robots if other.active]
            mine = free & (self._nearest(tasks, team) == robot)
            grid.owner[tasks.ids[mine]] = robot

    def _order(self, grid: HGrid, tasks: Tasks, me: Robot, own: Ints) -> Ints:
        """Return the nearest own tasks in the order of the shortest path through all of them."""
        starts = self._starts(grid, tasks, me, own)
        nearest = np.argsort(starts, kind="stable")[: self.config.horizon]
        own, starts, size = own[nearest], starts[nearest], len(nearest)
        if size <= self.config.leading:  # all of them lead, in whatever order
            return own
        dist = np.zeros((size + 1, size + 1))
        farthest = int(starts.max() + self.config.reward_cells)
        dist[1:, 1:] = self._ways.between(tasks.centres[own], 2 * farthest)
        # One constant on all ways out of the start changes no order and keeps them positive.
        dist[0, 1:] = dist[1:, 0] = starts + self.config.reward_cells
        return own[order_open_path(dist)[1:] - 1]

    def _visit(self, view: TeamView, tasks: Tasks, me: Robot, path: Ints) -> Waypoint | None:
        """Return the first frontier on the way through the leading tasks, else the next best."""
        clusters, places = view.map.clusters(), reachable_frontier(view.map, me.cell)
        cluster_of = clusters.owner[np.searchsorted(clusters.cells, places.frontier)]
        offered = self._offers(view, me)
        usable = np.zeros(len(clusters.sizes) + 1, np.bool_)  # one more for cells without cluster
        usable[cluster_of[places.steps > 0]] = True
        usable = usable[:-1] & (tasks.cluster_task >= 0)
        usable[[cluster for cluster in offered if cluster < len(usable)]] = False
        chosen = self._choose(view, tasks, me, path, usable)
        if chosen is None:
            return None
        offered.add(chosen)
        return _nearest_of(
            view, places, np.flatnonzero((cluster_of == chosen) & (places.steps > 0))
        )

    def _choose(
        self, view: TeamView, tasks: Tasks, me: Robot, path: Ints, usable: npt.NDArray[np.bool_]
    ) -> int | None:
        """Return the cluster to go to now: of the leading tasks, of any own one, of the map."""
        ahead = path[: self.config.leading]
        for group in (ahead, path):
            wanted = np.zeros(len(tasks.ids) + 1, np.bool_)  # one more for clusters without task
            wanted[group] = True
            mine = np.flatnonzero(usable & wanted[tasks.cluster_task])
            if len(mine):
                end = path[len(ahead)] if group is ahead and len(path) > len(ahead) else None
                return self._tour(view, tasks, me, mine, end)
        rest = np.flatnonzero(usable)
        if not len(rest):
            return None
        reps = view.map.clusters().representatives[rest]
        return int(rest[np.argmin(self._ways.from_flat(int(tasks.centres[path[0]]), reps))])

    def _offers(self, view: TeamView, me: Robot) -> set[int]:
        """Return what the robot was offered in this step and could not use."""
        step, offered = self._offered.get(me.id, (-1, set()))
        if step != view.step:
            offered = set()
            self._offered[me.id] = view.step, offered
        return offered

    def _tour(
        self, view: TeamView, tasks: Tasks, me: Robot, mine: Ints, end: np.int64 | None
    ) -> int:
        """Return the cluster that comes first on the shortest path through `mine` to `end`."""
        if len(mine) == 1:
            return int(mine[0])
        places = view.map.clusters().representatives[mine]
        if end is not None:
            places = np.append(places, tasks.centres[end])
        size = len(places) + 1
        dist = np.zeros((size, size))
        dist[0, 1:] = dist[1:, 0] = self._ways.steps(me.cell, places)
        dist[1:, 1:] = self._ways.between(places, int(2 * dist.max()))
        if end is not None:
            dist = ending_at_last(dist)
        return int(mine[order_open_path(dist)[1] - 1])


def _nearest_of(view: TeamView, places: Candidates, which: Ints) -> Waypoint:
    """Return the nearest of some frontier cells.

    There the robot is sure to see what lies behind; from the representative it may not.
    """
    nearest = which[np.argmin(places.steps[which])]
    cell = Cell(*divmod(int(places.cells[nearest]), view.map.shape[1]))
    return Waypoint(cell, None, places.frontier[nearest : nearest + 1])
