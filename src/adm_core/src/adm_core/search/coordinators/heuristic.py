"""The built-in coordinator: one optimal assignment of robots to places in rooms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adm_core.assignment import assign_rounds
from adm_core.rooms.area_graph import AreaGraph
from adm_core.search.coordinators.assignment import SUMMARY_CHARS, Assignment, Context
from adm_core.search.coordinators.costs import TYPED as TYPED
from adm_core.search.coordinators.costs import HeuristicConfig as HeuristicConfig
from adm_core.search.coordinators.costs import RoomCosts, room_costs
from adm_core.search.strategy import TeamView

#: Teams up to this size are offered as many slots in every room as they have robots.
_SMALL_TEAM = 8


class HeuristicCoordinator:
    """Assign rooms at the least total cost; the same for the same input.

    Every room offers one slot for each robot; the slot k costs more by the spread, and the
    frontier of a room counts for the robot in slot k with a share 1 / (k + 1). Robots and
    slots are matched one to one at the least total cost (ties as in
    :func:`adm_core.assignment.assign_rounds`).

    Parameters
    ----------
    config : HeuristicConfig
        Weights.
    context : Context
        Parts that count.
    """

    def __init__(
        self,
        config: HeuristicConfig = HeuristicConfig(),  # noqa: B008 - a frozen value
        context: Context = Context(),  # noqa: B008 - a frozen value
    ) -> None:
        self.config = config
        self.context = context

    def assign(self, graph: AreaGraph, view: TeamView, previous: Assignment | None) -> Assignment:
        """Return a room for every active robot; an empty assignment if no room has a frontier."""
        costs = room_costs(graph, view, previous, self.config, self.context)
        picks = pick_rooms(costs, self.config.spread)
        wanted = view.task.room_type if self.context.target_type else ""
        return Assignment(picks, summarise(picks, costs, wanted), "heuristic")


def pick_rooms(costs: RoomCosts, spread: float) -> dict[int, int]:
    """Return the room id of each robot at the least total cost.

    Notes
    -----
    Slots cost more from one to the next, so an assignment that leaves the last slot of every
    room free cannot be bettered by more slots: large teams begin with few.
    """
    robots, rooms = costs.cost.shape
    if not robots or not rooms:
        return {}
    slots = robots if robots <= _SMALL_TEAM else max(2, -(-2 * robots // rooms))
    while True:
        slots = min(slots, robots)
        first, owner = _cheapest_slots(costs, spread, slots)
        if slots == robots or not np.any(first % slots == slots - 1):
            break
        slots *= 2
    ids = costs.room_ids[first // slots].tolist()
    return dict(sorted(zip((costs.robots[row] for row in owner), ids, strict=True)))


def _cheapest_slots(
    costs: RoomCosts, spread: float, slots: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Match robots to slots; return the slots that are taken (room * slots + slot) and by whom."""
    robots, rooms = costs.cost.shape
    slot = np.arange(slots, dtype=np.float64)
    offers = spread * slot - costs.frontier[:, None] / (slot + 1.0)
    cost = (costs.cost[:, :, None] + offers).reshape(robots, rooms * slots)
    rounds = assign_rounds(cost)
    first = np.flatnonzero(rounds.round == 0)
    return first, rounds.owner[first]


def summarise(picks: dict[int, int], costs: RoomCosts, wanted: str) -> str:
    """Return an assignment in words, as ``seek kitchen. 0, 2: kitchen 4; 1: corridor 1``."""
    names = dict(zip(costs.room_ids.tolist(), costs.names, strict=True))
    sent: dict[int, list[str]] = {}
    for robot, room in picks.items():
        sent.setdefault(room, []).append(str(robot))
    if not sent:
        return ""
    aim = f"seek {wanted}. " if wanted else "explore. "
    parts = [f"{', '.join(sent[room])}: {names[room]} {room}" for room in sent]
    return (aim + "; ".join(parts))[:SUMMARY_CHARS]
