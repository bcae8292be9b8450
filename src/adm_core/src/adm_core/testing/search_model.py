"""A "model" for the strict server that coordinates searches by the words of the request."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from adm_core.search.task_parser import parse_task

Json = dict[str, Any]

_TARGET, _PASSAGE, _SPREAD = 40.0, 20.0, 10.0
_FAR = 1000.0


def assign_rooms(data: Json) -> str:
    """Give each robot in turn the room of least steps, less a bonus for the target's type."""
    wanted, sent = data.get("target_room_type", ""), Counter[int]()
    rooms = {}
    for index, robot in enumerate(_ids(data)):
        costs = [
            (_cost(row, index, wanted) + _SPREAD * sent[row[0]], row[0]) for row in data["rooms"]
        ]
        rooms[robot] = min(costs)[1]
        sent[rooms[robot]] += 1
    aim = f"seek {wanted}" if wanted else "explore"
    return _answer(f"{aim}, nearest rooms first", rooms)


def read_task(data: Json) -> str:
    """Read the sentence of a request as the built-in parser does."""
    task = parse_task(data["sentence"], data["room_types"], data.get("object_kinds", ())).task
    kind = "search" if task.is_search else "explore"
    return json.dumps({"kind": kind, "object": task.object, "room_type": task.room_type})


def assign_nowhere(data: Json) -> str:
    """Send every robot to a room that there is not: obeys the schema, makes no sense."""
    missing = 1 + max((row[0] for row in data["rooms"]), default=0)
    return _answer("nonsense", dict.fromkeys(_ids(data), missing + 9000))


def _ids(data: Json) -> list[int]:
    return [item[0] if isinstance(item, list) else item for item in data["robots"]]


def _cost(row: list[Any], robot: int, wanted: str) -> float:
    name, sizes = row[1], row[2]
    steps = row[4][robot] if len(row) > 4 else 0
    bonus = _TARGET * (name == wanted) or _PASSAGE * (name in ("corridor", "unknown"))
    far = _FAR if steps is None else float(steps)
    return far - 0.2 * min(sum(sizes), 60) - (bonus if wanted else 0.0)


def _answer(summary: str, rooms: dict[int, int]) -> str:
    pairs = [{"robot": robot, "room": room} for robot, room in rooms.items()]
    return json.dumps({"summary": summary, "assignments": pairs})
