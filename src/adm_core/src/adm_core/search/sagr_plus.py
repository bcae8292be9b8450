"""`sagr+`: our form of SAGR, which reasons on the area graph whenever a robot needs a goal.

Under the paper's rules a robot keeps its list of frontiers until the next coordination, while
what it sees makes the list old. Here only the first waypoint of an assignment counts, and as a
wish: until a robot has been in the room that the coordinator gave it, frontiers there count for
some cells of way less. Every goal is picked on the map of the moment:

- the cost of a frontier is the way to it, over known free cells;
- less a bonus in rooms of the target's type, and in passages, behind which such rooms may lie;
- plus a fine where another robot is going to the same room: one robot a room, passages apart;
- with the handover of all methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adm_core.config import Config, param
from adm_core.search.coordinators import Assignment, Coordinator
from adm_core.search.nearest import cheapest
from adm_core.search.room_words import canonical_type, is_passage
from adm_core.search.strategy import Candidates, TeamView, Waypoint


@dataclass(frozen=True)
class SagrPlusConfig(Config):
    """What a frontier is worth, in moves that a robot would walk further for it."""

    target_bonus: float = param(25.0, "in a room of the target's type", unit="steps", min=0.0)
    passage_bonus: float = param(
        25.0, "in a passage or untyped space while a type is sought", unit="steps", min=0.0
    )
    room_bonus: float = param(
        10.0, "in the room assigned, until the robot has a goal there", unit="steps", min=0.0
    )
    share_fine: float = param(
        15.0, "against rooms that another robot is going to", unit="steps", min=0.0
    )


class SagrPlus:
    """Both halves of the method: the strategy, and :meth:`pick`, its fallback.

    Parameters
    ----------
    coordinator : Coordinator
        Assigns robots to rooms.
    config : SagrPlusConfig

    Attributes
    ----------
    assignment : Assignment or None
        The last one.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        config: SagrPlusConfig = SagrPlusConfig(),
    ) -> None:
        self.coordinator, self.config = coordinator, config
        self.assignment: Assignment | None = None
        self._wishes: dict[int, int] = {}
        self._bonus = np.zeros(1)

    def coordinate(self, view: TeamView) -> None:
        """Ask for rooms."""
        graph = view.map.graph(view.robot_cells)
        self.assignment = self.coordinator.assign(graph, view, self.assignment)
        self._wishes = dict(self.assignment.rooms)
        self._bonus = type_bonuses(
            view.map.names,
            canonical_type(view.task.room_type),
            self.config.target_bonus,
            self.config.passage_bonus,
        )

    def next_waypoint(self, view: TeamView, robot: int) -> Waypoint | None:
        """Leave the choice to :meth:`pick`."""
        return None

    def pick(self, view: TeamView, robot: int, candidates: Candidates) -> int | None:
        """Pick the frontier of least cost."""
        if not len(candidates.cells):
            return None
        known, config = view.map, self.config
        types = known.room_type.ravel()[candidates.frontier]
        cost = candidates.steps - self._bonus[np.minimum(types, len(self._bonus) - 1)]
        rooms = known.rooms().labels_at(candidates.frontier)
        for label in self._taken(view, robot):
            cost += config.share_fine * (rooms == label)
        wanted = self._wishes.get(robot)
        wish = rooms == self._label(view, wanted) if wanted is not None else np.zeros(1, bool)
        picked = cheapest(view, robot, candidates, cost - config.room_bonus * wish)
        if picked is not None and wanted is not None and wish[picked]:
            del self._wishes[robot]
        return picked

    @staticmethod
    def _taken(view: TeamView, robot: int) -> list[int]:
        """Return the labels of rooms, passages left out, that other robots are going to."""
        cols = view.map.shape[1]
        goals = [
            other.goal.cell[0] * cols + other.goal.cell[1]
            for other in view.robots
            if other.id != robot and other.active and other.goal
        ]
        rooms, names = view.map.rooms(), view.map.names
        labels = rooms.labels_at(np.array(goals, np.int64)).tolist()
        kinds = {label: int(rooms.types[label - 1]) for label in labels if label}
        return [
            label for label, kind in kinds.items() if kind and not is_passage(names.get(kind, ""))
        ]

    @staticmethod
    def _label(view: TeamView, room_id: int) -> int:
        """Return the present label of a room; -1 if it is gone."""
        found = np.flatnonzero(view.map.room_ids() == room_id)
        return int(found[0]) + 1 if len(found) else -1


def type_bonuses(
    names: Mapping[int, str], wanted: str, target: float, passage: float
) -> npt.NDArray[np.float64]:
    """Return the bonus of each room type by its number, the last one for types without a name.

    All are 0 if `wanted`, the canonical name of the type that is sought, is empty.
    """
    table = np.zeros(max(names, default=0) + 2)
    if wanted:
        table[0] = passage
        for kind, name in names.items():
            if canonical_type(name) == wanted:
                table[kind] = target
            elif is_passage(name):
                table[kind] = passage
    return table
