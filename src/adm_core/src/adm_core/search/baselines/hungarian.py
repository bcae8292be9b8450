"""Baseline: all frontiers by rounds of optimal assignment, each robot's in a short order."""

from __future__ import annotations

import numpy as np

from adm_core.search.allocation import EUCLIDEAN, allocate, waypoints
from adm_core.search.strategy import TeamView, Waypoint


class Hungarian:
    """Divide all clusters among all robots and visit them in order.

    Parameters
    ----------
    cost : {"euclidean", "path"}
        Distance of the allocation; the published form measures straight lines.
    """

    def __init__(self, cost: str = EUCLIDEAN) -> None:
        self._cost = cost
        self._queues: dict[int, list[Waypoint]] = {}

    def coordinate(self, view: TeamView) -> None:
        """Give every cluster to a robot and order each robot's list."""
        robots = [robot for robot in view.robots if robot.active]
        clusters = np.arange(len(view.map.clusters().sizes))
        lists = allocate(view.map, [robot.cell for robot in robots], clusters, self._cost)
        self._queues = {
            robot.id: waypoints(view.map, own) for robot, own in zip(robots, lists, strict=True)
        }

    def next_waypoint(self, view: TeamView, robot: int) -> Waypoint | None:
        """Return the next waypoint of the robot's list."""
        queue = self._queues.get(robot)
        return queue.pop(0) if queue else None
