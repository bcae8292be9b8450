"""Semantic area graph reasoning (SAGR): rooms for robots, then frontiers of the room.

Two methods. :class:`Sagr` with the defaults follows the paper's rules. `sagr+`, ours, differs in
three things: of each robot's list only the first waypoint is used, for what a robot sees there
makes the rest of the list old; distances are ways, not straight lines; and a robot whose
waypoint is used up goes on to the frontier that is near *and* of the right type of room.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from adm_core.search.allocation import EUCLIDEAN, allocate, waypoints
from adm_core.search.coordinators import Assignment, Coordinator
from adm_core.search.nearest import cheapest
from adm_core.search.room_words import canonical_type, is_passage
from adm_core.search.strategy import Candidates, Fallback, TeamView, Waypoint
from adm_core.search.task import SearchTask


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
        self.coordinator, self.assignment = coordinator, None
        self._cost, self._first_only = cost, first_only
        self._queues: dict[int, list[Waypoint]] = {}

    assignment: Assignment | None

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


def typed_fallback(target_bonus: float, passage_bonus: float) -> Fallback:
    """Return a fallback that walks further for the right type of room.

    Parameters
    ----------
    target_bonus, passage_bonus : float
        Moves that a frontier in a room of the target's type is worth, and one in a corridor or
        in space without a type, behind which rooms that nobody has seen may lie.
    """

    def pick(view: TeamView, robot: int, candidates: Candidates) -> int | None:
        """Pick the candidate of the shortest way less its bonus."""
        bonus = type_bonus(view.map.names, view.task, target_bonus, passage_bonus)
        types = view.map.room_type.ravel()[candidates.frontier]
        return cheapest(view, robot, candidates, candidates.steps - bonus(types))

    return pick


def type_bonus(
    names: dict[int, str], task: SearchTask, target: float, passage: float
) -> Callable[[npt.NDArray[np.uint16]], npt.NDArray[np.float64]]:
    """Return a function from room types to their bonus; all 0 if no type is sought."""
    wanted = canonical_type(task.room_type)
    table = np.zeros(max(names, default=0) + 2)  # the last one for types without a name
    if wanted:
        table[0] = passage
        for label, name in names.items():
            if canonical_type(name) == wanted:
                table[label] = target
            elif is_passage(name):
                table[label] = passage
    return lambda types: table[np.minimum(types, len(table) - 1)]
