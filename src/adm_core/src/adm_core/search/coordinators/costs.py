"""What each room costs each robot: distance, room type, frontier, earlier assignment."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adm_core.config import Config, param
from adm_core.rooms.area_graph import UNKNOWN, AreaGraph
from adm_core.search.coordinators.assignment import Assignment, Context
from adm_core.search.room_words import is_passage, matching_types
from adm_core.search.strategy import Robot, TeamView

#: Added where no known way leads to a room: worse than any way, but still ordered by distance.
NO_WAY = 10_000.0


@dataclass(frozen=True)
class HeuristicConfig(Config):
    """Costs in cells of way: what a robot would walk further for.

    The defaults are those of the paper's rules; :data:`TYPED` holds those of our own method.
    The bonuses of both were tuned on the seeds 1001 to 1024 of generated worlds.
    A target bonus of 60 cells is four rooms of way: robots leave what is near for a room of the
    right type, but do not cross the building past unexplored ones. Passages get as much, since
    most rooms that nobody has seen yet lie behind them: with half of it the team piles into the
    first room of the type and finds the others late. Spread and frontier
    decide between rooms at like distance. The earlier room counts for one room less of way,
    which stops changes to and fro.
    """

    distance: str = param(
        "path", "way to the nearest frontier of a room, or doors to pass", choices=("path", "hops")
    )
    hop_cells: float = param(15.0, "length of one hop: a room", unit="cells", min=0.0)
    target_bonus: float = param(
        60.0, "for rooms of the target's type; 30 in sagr+", unit="cells", min=0.0
    )
    passage_bonus: float = param(
        55.0,
        "for corridors and unlabelled space when a type is sought; 20 in sagr+",
        unit="cells",
        min=0.0,
    )
    frontier_weight: float = param(0.2, "for each frontier cell of a room", unit="cells", min=0.0)
    frontier_most: int = param(60, "frontier cells that count", unit="cells", min=0)
    spread: float = param(10.0, "for each robot sent there before", unit="cells", min=0.0)
    hysteresis: float = param(15.0, "for the room of the last assignment", unit="cells", min=0.0)


#: Bonuses of our own method, whose fallback knows room types as well and so needs less here.
TYPED = HeuristicConfig(target_bonus=30.0, passage_bonus=20.0)


@dataclass(frozen=True, eq=False)
class RoomCosts:
    """Choices of one coordination: r active robots, m rooms with frontiers.

    Attributes
    ----------
    robots : tuple of int
        Ids of the active robots, ascending.
    room_ids : int64[m]
        Lasting ids, in order of the rooms' labels.
    names : tuple of str
        Type names of the rooms.
    cost : float64[r, m]
        Cells of way less bonuses, without the frontier.
    frontier : float64[m]
        Frontier cells of each room, as far as they count, times their weight.
    """

    robots: tuple[int, ...]
    room_ids: npt.NDArray[np.int64]
    names: tuple[str, ...]
    cost: npt.NDArray[np.float64]
    frontier: npt.NDArray[np.float64]


def room_costs(
    graph: AreaGraph,
    view: TeamView,
    previous: Assignment | None,
    config: HeuristicConfig,
    context: Context,
) -> RoomCosts:
    """Return what every room with a frontier costs every active robot.

    Parameters
    ----------
    graph : AreaGraph
    view : TeamView
    previous : Assignment or None
        Rooms that robots had so far.
    config : HeuristicConfig
    context : Context
        Parts that count; without neighbours there are no distances.

    Notes
    -----
    One distance field for each robot at most (kept by the map), and one pass over the clusters.
    """
    robots = [robot for robot in view.robots if robot.active]
    labels, row_of = np.unique(graph.cluster_room[graph.cluster_room > 0], return_inverse=True)
    cost = np.zeros((len(robots), len(labels)))
    if context.neighbours:
        for row, robot in enumerate(robots):
            way = _paths if config.distance == "path" else _hops
            cost[row] = way(graph, view, robot, labels, config)
    names = tuple(_type_name(graph, label) for label in labels.tolist())
    if context.target_type and view.task.room_type:
        cost -= _bonuses(names, matching_types(view.task.room_type, graph.names.values()), config)
    room_ids = graph.room_ids[labels - 1]
    if context.plan_summary and previous is not None:
        for row, robot in enumerate(robots):
            cost[row, room_ids == previous.rooms.get(robot.id, -1)] -= config.hysteresis
    sizes = np.bincount(row_of, graph.clusters.sizes[graph.cluster_room > 0], len(labels))
    frontier = config.frontier_weight * np.minimum(sizes, config.frontier_most)
    return RoomCosts(tuple(robot.id for robot in robots), room_ids, names, cost, frontier)


def _type_name(graph: AreaGraph, label: int) -> str:
    room_type = int(graph.rooms.types[label - 1])
    return graph.names.get(room_type, UNKNOWN if room_type == 0 else f"type {room_type}")


def _bonuses(
    names: tuple[str, ...], wanted: set[str], config: HeuristicConfig
) -> npt.NDArray[np.float64]:
    """Return the bonus of each room by its type."""
    bonus = [
        config.target_bonus if name in wanted else config.passage_bonus * is_passage(name)
        for name in names
    ]
    return np.array(bonus, np.float64)


def _paths(
    graph: AreaGraph,
    view: TeamView,
    robot: Robot,
    labels: npt.NDArray[np.int32],
    config: HeuristicConfig,
) -> npt.NDArray[np.float64]:
    """Return the moves to the nearest representative of each room."""
    rows, cols = graph.rooms.shape
    cells = graph.clusters.representatives
    away = np.maximum(abs(cells // cols - robot.cell.row), abs(cells % cols - robot.cell.col))
    far = away + NO_WAY
    if 0 <= robot.cell.row < rows and 0 <= robot.cell.col < cols:
        steps = view.map.steps_from(robot.cell).ravel()[cells]
        far = np.where(steps >= 0, steps, far)
    out = np.full(len(labels), np.inf)
    known = graph.cluster_room > 0
    np.minimum.at(out, np.searchsorted(labels, graph.cluster_room[known]), far[known])
    return out


def _hops(
    graph: AreaGraph,
    view: TeamView,
    robot: Robot,
    labels: npt.NDArray[np.int32],
    config: HeuristicConfig,
) -> npt.NDArray[np.float64]:
    """Return the doors to pass on the way to each room, in cells."""
    start = int(graph.robot_room[robot.id]) if robot.id < len(graph.robot_room) else 0
    hops = {start: 0}
    queue = deque([start] if start else [])
    while queue:
        room = queue.popleft()
        for other in graph.adjacency[room]:
            if other not in hops:
                hops[other] = hops[room] + 1
                queue.append(other)
    found = (hops.get(label) for label in labels.tolist())
    return np.array([NO_WAY if n is None else n * config.hop_cells for n in found], np.float64)
