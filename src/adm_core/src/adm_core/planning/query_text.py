"""The query u_t as text: five blocks of JSON with a hard limit on their size (section IV-D)."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from adm_core.errors import MissionError
from adm_core.memory.records import ExposedRecord, Status, is_word
from adm_core.planning.query import Query
from adm_core.planning.skills import enabled_skills

BLOCKS = ("goal", "robot", "rules", "records", "finished")
UNKNOWN_CLASS = "unknown"

_LATEST = 16  # finished entities named one by one; older ones are only counted
_OUTCOME_CHARS = 160
_UNPLAIN = re.compile(r"[^A-Za-z0-9_.:,()\- ]")


@dataclass(frozen=True)
class QueryText:
    """A serialised query.

    Attributes
    ----------
    blocks : tuple of (name, JSON text)
        Goal, robot, rules, records, finished; in this order.
    omitted : int
        Exposed records that are not in the text: those of lowest score that the limit kept
        out, and any whose id is no plain word.
    """

    blocks: tuple[tuple[str, str], ...]
    omitted: int

    @property
    def sizes(self) -> dict[str, int]:
        """Characters of each block."""
        return {name: len(text) for name, text in self.blocks}


def query_text(query: Query, max_chars: int) -> QueryText:
    """Serialise a query in at most `max_chars` characters, dropping the lowest scores first.

    Everything that perception named is data: ids must be plain words, classes that no station
    accepts become ``unknown``, numbers are rounded.

    Raises
    ------
    MissionError
        If the blocks other than the records alone exceed the limit.
    """
    fixed = {
        "goal": _goal(query),
        "robot": _robot(query),
        "rules": _rules(query),
        "finished": _finished(query),
    }
    texts = {name: _dump(value) for name, value in fixed.items()}
    room = max_chars - sum(map(len, texts.values())) - len("[]")
    if room < 0:
        raise MissionError(
            f"the query must fit into {max_chars} characters: goal, rules and stations alone "
            f"take {max_chars - room}"
        )
    shown = _records_within(query, room)
    texts["records"] = f"[{','.join(shown)}]"
    blocks = tuple((name, texts[name]) for name in BLOCKS)
    return QueryText(blocks, len(query.exposure.records) - len(shown))


def _goal(query: Query) -> dict[str, Any]:
    mission = query.mission
    delivered = sum(status is Status.DELIVERED for _, status in query.exposure.terminal)
    return {
        "mission": mission.goal,
        "complete_when": f"{mission.expected} containers are delivered and nothing is held",
        "delivered": delivered,
    }


def _robot(query: Query) -> dict[str, Any]:
    pose, held = query.focus.robot, query.exposure.held
    return {
        "time": _rounded(query.now),
        "x": _rounded(pose.x),
        "y": _rounded(pose.y),
        "yaw": _rounded(pose.yaw),
        "held": {"id": held.id, "class": _class(held, query)} if held else None,
        "last_outcome": _UNPLAIN.sub("?", query.last_outcome)[:_OUTCOME_CHARS],
    }


def _rules(query: Query) -> dict[str, Any]:
    return {
        "rules": list(query.mission.rules),
        "stations": [
            {
                "id": item.id,
                "x": _rounded(item.pose.x),
                "y": _rounded(item.pose.y),
                "accepts": list(item.accepts),
            }
            for item in query.mission.stations
        ],
        "skills": {
            skill.signature: skill.help for skill in enabled_skills(query.mission.skills).values()
        },
        **_regions(query),
        **_observing(query),
    }


def _regions(query: Query) -> dict[str, Any]:
    """Return the centres of the named areas; nothing at all if there is none."""
    if not query.mission.regions:
        return {}
    centres = {item.name: item.centre for item in query.mission.regions}
    return {"regions": {name: list(map(_rounded, xy)) for name, xy in centres.items()}}


def _observing(query: Query) -> dict[str, Any]:
    return {"observe_below": query.mission.observe_below} if query.mission.observe_below else {}


def _finished(query: Query) -> dict[str, Any]:
    terminal = query.exposure.terminal
    counts = {
        status.value: sum(item is status for _, item in terminal)
        for status in (Status.DELIVERED, Status.DISMISSED)
    }
    latest = [name for name, _ in terminal[-_LATEST:] if is_word(name)]
    return {**counts, "latest": latest}


def _records_within(query: Query, room: int) -> list[str]:
    shown: list[str] = []
    for record, distance in zip(query.exposure.records, query.distance_m, strict=True):
        if not is_word(record.id):
            continue
        text = _dump(_record(record, distance, query))
        room -= len(text) + bool(shown)
        if room < 0:
            break
        shown.append(text)
    return shown


def _record(record: ExposedRecord, distance: float, query: Query) -> dict[str, Any]:
    return {
        "id": record.id,
        "class": _class(record, query),
        "x": _rounded(record.pose.x),
        "y": _rounded(record.pose.y),
        "distance": _rounded(distance),
        "confidence": _rounded(record.confidence),
        "status": record.status.value,
        "seen": _rounded(record.stamp),
        "source": record.source.value,
        "score": _rounded(record.score),
        **({"support": _rounded(query.support_of(record.id))} if query.support else {}),
    }


def _class(record: ExposedRecord, query: Query) -> str:
    return record.label if query.mission.station_for(record.label) else UNKNOWN_CLASS


def _rounded(value: float) -> float | int | None:
    """Return `value` to a thousandth, as an integer where it is one; null if not finite."""
    if not math.isfinite(value):
        return None
    short = round(value, 3)
    return int(short) if short == int(short) else short


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
