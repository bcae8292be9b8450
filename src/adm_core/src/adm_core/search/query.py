"""The coordination query: task, plan so far, robots and the area graph as text (section IV).

The text is one JSON object. Rooms are rows of numbers, since field names in every row would
take half of it. All names come from maps and sentences: they are data, cut short and stripped
of what could look like anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adm_core.config import Config, param
from adm_core.rooms.area_graph import AreaGraph, AreaNode
from adm_core.search.assignment_schema import INSTRUCTIONS
from adm_core.search.coordinators.assignment import SUMMARY_CHARS, Assignment, Context
from adm_core.search.coordinators.costs import NO_WAY, HeuristicConfig, RoomCosts, room_costs
from adm_core.search.strategy import Robot, TeamView
from adm_core.search.task import SearchTask
from adm_core.search.tokens import estimate_tokens

#: Most frontier sizes, neighbours and robots' distances told of one room.
_MOST_SIZES, _MOST_NEIGHBOURS, _MOST_ROBOTS = 3, 4, 8
#: Larger teams are told by their ids alone, or their places would fill the query.
_MOST_PLACES = 20
#: Most rooms told that lie behind explored ones: a corridor that is done joins all its rooms.
_MOST_BEHIND = 2
TYPE_CHARS, _TASK_CHARS = 24, 160
_UNPLAIN = re.compile(r"[^\w .,:;!?'()<>+/-]|_")


@dataclass(frozen=True)
class QueryConfig(Config):
    """Size of the query."""

    tokens: int = param(
        500,
        "limit of instructions and query; the rooms that matter least are left out",
        unit="tokens",
        min=200,
    )


@dataclass(frozen=True)
class SearchQuery:
    """A serialised coordination query.

    Attributes
    ----------
    blocks : tuple of (name, JSON text)
        Parts of the user turn, in order.
    rooms : tuple of int
        Room ids that are in the text, most relevant first.
    omitted : int
        Rooms with frontiers that are not in the text.
    robots : tuple of int
        Ids of the robots that need a room.
    """

    blocks: tuple[tuple[str, str], ...]
    rooms: tuple[int, ...]
    omitted: int
    robots: tuple[int, ...]

    @property
    def text(self) -> str:
        """The user turn as one JSON object."""
        return _join(self.blocks)

    @property
    def tokens(self) -> int:
        """Estimated size, instructions included."""
        return estimate_tokens(INSTRUCTIONS) + estimate_tokens(self.text)


def search_query(
    graph: AreaGraph,
    view: TeamView,
    previous: Assignment | None = None,
    *,
    config: QueryConfig = QueryConfig(),
    context: Context = Context(),  # noqa: B008 - a frozen value
    weights: HeuristicConfig = HeuristicConfig(),  # noqa: B008 - a frozen value
) -> SearchQuery:
    """Serialise what a coordinator is told, in at most `config.tokens` tokens.

    Parameters
    ----------
    graph : AreaGraph
        From ``view.map.graph(view.robot_cells)``.
    view : TeamView
        Robots and task.
    previous : Assignment or None
        Its summary is the plan so far.
    config : QueryConfig
    context : Context
        Parts to tell; without neighbours neither rooms that touch nor distances, without the
        target type not the sentence either, for it would give the type away.
    weights : HeuristicConfig
        Order of relevance: rooms are taken by rising cost for the robot to which they cost
        least, frontier and earlier assignment counted, as the built-in coordinator counts
        them. Ties: smaller room id. Rooms that no robot has a way to are told only if there
        are no others.

    Returns
    -------
    SearchQuery
        Without rooms if there is none, or if the robots alone fill the limit.
    """
    costs = room_costs(graph, view, previous, weights, context)
    robots = [robot for robot in view.robots if robot.active]
    head = _head(graph, view.task, robots, previous, context)
    if len(robots) > _MOST_PLACES:
        head[-1] = ("robots", _dump([robot.id for robot in robots]))
    order = _by_relevance(costs)
    nodes = {node.room_id: node for node in graph.nodes}
    steps = _steps(graph, view, robots) if context.neighbours else {}
    rows, ids = [], []
    fixed = _join([*head, ("rooms", "[]"), ("omitted", "9999")])
    spare = config.tokens - estimate_tokens(INSTRUCTIONS) - estimate_tokens(fixed)
    for room_id in order:
        row = _dump(_row(graph, nodes[room_id], steps.get(room_id), context))
        spare -= estimate_tokens(row + ",")
        if spare < 0:
            break
        rows.append(row)
        ids.append(room_id)
    blocks = [*head, ("rooms", f"[{','.join(rows)}]")]
    omitted = len(costs.room_ids) * bool(robots) - len(rows)
    if omitted:
        blocks.append(("omitted", str(omitted)))
    return SearchQuery(tuple(blocks), tuple(ids), omitted, costs.robots)


def plain(text: str, limit: int) -> str:
    """Return a name or sentence as data: one line of plain characters, at most `limit`."""
    return " ".join(_UNPLAIN.sub(" ", text).split())[:limit].rstrip()


def _head(
    graph: AreaGraph,
    task: SearchTask,
    robots: Sequence[Robot],
    previous: Assignment | None,
    context: Context,
) -> list[tuple[str, str]]:
    told = {"task": _sentence(task, context)}
    if task.is_search and context.target_type:
        told["target_room_type"] = plain(task.room_type, TYPE_CHARS)
    if context.plan_summary:
        told["plan_so_far"] = plain(previous.summary if previous else "", SUMMARY_CHARS)
    ids, inside = graph.room_ids.tolist(), graph.robot_room.tolist()
    rooms = [inside[robot.id] if robot.id < len(inside) else 0 for robot in robots]
    places = [
        [robot.id, ids[label - 1] if label else 0]
        for robot, label in zip(robots, rooms, strict=True)
    ]
    return [*((name, _dump(text)) for name, text in told.items()), ("robots", _dump(places))]


def _sentence(task: SearchTask, context: Context) -> str:
    if context.target_type or not task.is_search:
        return plain(task.text, _TASK_CHARS)
    return f"find {plain(task.object, TYPE_CHARS) or 'an object'}"


def _by_relevance(costs: RoomCosts) -> list[int]:
    """Return the room ids by rising cost, without those that nobody has a way to if others are."""
    if not costs.cost.size:
        return []
    least = (costs.cost - costs.frontier).min(0)
    order = np.lexsort((costs.room_ids, least))
    open_to_some = order[least[order] < NO_WAY / 2]
    return [int(costs.room_ids[i]) for i in (open_to_some if len(open_to_some) else order)]


def _row(
    graph: AreaGraph, node: AreaNode, steps: list[int | None] | None, context: Context
) -> list[Any]:
    """Return id, type, largest frontiers and, unless left out, neighbours and distances."""
    sizes = sorted(graph.clusters.sizes[list(node.clusters)].tolist(), reverse=True)
    if len(sizes) > _MOST_SIZES:
        sizes = [*sizes[: _MOST_SIZES - 1], sum(sizes[_MOST_SIZES - 1 :])]
    row: list[Any] = [node.room_id, plain(node.name, TYPE_CHARS), sizes]
    if context.neighbours:
        through = sorted(node.via, key=lambda item: (len(item[1]), item[0]))
        behind = [label for label, _ in through[:_MOST_BEHIND]]
        labels = [*node.neighbours, *behind][:_MOST_NEIGHBOURS]
        row += [[int(graph.room_ids[label - 1]) for label in labels]]
        row += [steps] if steps is not None else []
    return row


def _steps(
    graph: AreaGraph, view: TeamView, robots: Sequence[Robot]
) -> dict[int, list[int | None]]:
    """Return the moves from each robot to the nearest frontier of each room, null if no way.

    Empty for large teams: one number for each robot in each room would fill the query.
    """
    if len(robots) > _MOST_ROBOTS:
        return {}
    ways = room_costs(graph, view, None, HeuristicConfig(), Context(target_type=False))
    told = [[None if far >= NO_WAY else int(far) for far in column] for column in ways.cost.T]
    return dict(zip(ways.room_ids.tolist(), told, strict=True))


def _join(blocks: Sequence[tuple[str, str]]) -> str:
    return "{" + ",".join(f'"{name}":{text}' for name, text in blocks) + "}"


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
