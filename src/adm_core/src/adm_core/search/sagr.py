"""Semantic area graph reasoning (SAGR) by the paper's rules: rooms first, then frontiers.

:mod:`adm_core.search.sagr_plus` is the form that we ship as the default.
"""

from __future__ import annotations

import numpy as np

from adm_core.search.allocation import EUCLIDEAN, allocate, waypoints
from adm_core.search.coordinators import Assignment, Coordinator
from adm_core.search.strategy import TeamView, Waypoint


class Sagr:
    """Assign rooms, divide the frontiers of each room, visit them in order.

    Parameters
    ----------
    coordinator : Coordinator
        Assigns robots to rooms.
    cost : {"euclidean", "path"}
        Distance of the allocation within a room.
    first_only : bool
        Use the first waypoint of each list only.

    Attributes
    ----------
    assignment : Assignment or None
        The last one.
    """

    def __init__(
        self, coordinator: Coordinator, cost: str = EUCLIDEAN, first_only: bool = False
    ) -> None:
        self.coordinator = coordinator
        self.assignment: Assignment | None = None
        self._cost, self._first_only = cost, first_only
        self._queues: dict[int, list[Waypoint]] = {}

    def coordinate(self, view: TeamView) -> None:
        """Ask for rooms and divide the frontiers of each among its robots."""
        graph = view.map.graph(view.robot_cells)
        self.assignment = self.coordinator.assign(graph, view, self.assignment)
        self._queues = {}
        label_of = dict(zip(graph.room_ids.tolist(), range(1, len(graph.rooms) + 1), strict=True))
        members: dict[int, list[int]] = {}
        for robot, room in sorted(self.assignment.rooms.items()):
            if room in label_of:
                members.setdefault(label_of[room], []).append(robot)
        for label, robots in sorted(members.items()):
            clusters = np.flatnonzero(graph.cluster_room == label)
            cells = [view.robots[robot].cell for robot in robots]
            lists = allocate(view.map, cells, clusters, self._cost)
            for robot, own in zip(robots, lists, strict=True):
                self._queues[robot] = waypoints(view.map, own[:1] if self._first_only else own)

    def next_waypoint(self, view: TeamView, robot: int) -> Waypoint | None:
        """Return the next waypoint of the robot's list."""
        queue = self._queues.get(robot)
        return queue.pop(0) if queue else None
