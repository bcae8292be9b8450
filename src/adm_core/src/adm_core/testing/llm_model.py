"""Deterministic "models" for the strict server: they read the request and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adm_core.testing.search_model import assign_nowhere, assign_rooms, read_task

Json = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """What a model is given.

    Attributes
    ----------
    turns : tuple of str
        User turns.
    schema : dict or None
        Schema of the answer, if the request has one.
    """

    turns: tuple[str, ...]
    schema: Json | None

    @property
    def data(self) -> Json:
        """The first user turn as a JSON object; empty if it is none."""
        try:
            value = json.loads(self.turns[0])
        except (ValueError, IndexError):
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def is_repair(self) -> bool:
        """Whether a previous answer was refused."""
        return len(self.turns) > 1


#: Answers a question with the text of one message.
Model = Callable[[Question], str]


def plan_as_policy(question: Question) -> str:
    """Plan for the record of largest confidence / (1 + distance), from the request's own words.

    A question about rooms gets a room for every robot, one about a sentence a task, any other
    one the smallest value that obeys its schema.
    """
    data = question.data
    if {"robots", "rooms"} <= set(data):
        return assign_rooms(data)
    if {"sentence", "room_types"} <= set(data):
        return read_task(data)
    if not {"robot", "rules", "records"} <= set(data):
        return json.dumps(smallest_value(question.schema or {"type": "object"}))
    return _answer("nearest confident container", _policy_steps(data))


def plan_without_sense(question: Question) -> str:
    """Deliver before grasping: obeys the schema, breaks the skill rules."""
    if {"robots", "rooms"} <= set(question.data):
        return assign_nowhere(question.data)
    steps = _plan_steps(question)
    return _answer("nonsense", steps[::-1]) if steps else plan_as_policy(question)


def plan_nothing(question: Question) -> str:
    """Answer with an empty list of steps."""
    return _answer("idle", []) if _plan_steps(question) else plan_as_policy(question)


def plan_after_repair(question: Question) -> str:
    """Make no sense at first, and plan well once told so."""
    return (plan_as_policy if question.is_repair else plan_without_sense)(question)


def talk(question: Question) -> str:
    """Answer in prose, whatever the schema."""
    return "Sure! I would first drive to the nearest container and pick it up."


MODELS: dict[str, Model] = {
    "policy": plan_as_policy,
    "senseless": plan_without_sense,
    "empty": plan_nothing,
    "repairable": plan_after_repair,
    "prose": talk,
}


def smallest_value(schema: Json) -> Any:
    """Return a small value that obeys a schema of the strict subset."""
    if "enum" in schema:
        return schema["enum"][0]
    kinds = schema.get("type", "object")
    kind = kinds if isinstance(kinds, str) else ("null" if "null" in kinds else kinds[0])
    if kind == "object":
        members = schema.get("properties", {})
        return {name: smallest_value(rule) for name, rule in members.items()}
    if kind == "array":
        return [smallest_value(schema["items"])] * schema.get("minItems", 0)
    return {"string": "", "integer": 0, "number": 0, "boolean": False, "null": None}[kind]


def _plan_steps(question: Question) -> list[Json]:
    data = question.data
    return _policy_steps(data) if {"robot", "rules", "records"} <= set(data) else []


def _policy_steps(data: Json) -> list[Json]:
    station_of = {
        label: station["id"]
        for station in reversed(data["rules"]["stations"])
        for label in station["accepts"]
    }
    held = data["robot"]["held"]
    if held:
        return _delivery(held["id"], station_of.get(held["class"]))
    workable = [
        item
        for item in data["records"]
        if item["distance"] is not None
        and item["class"] in station_of
        and item["status"] in ("observed", "assigned", "reconsider")
    ]
    if not workable:
        return []
    workable.sort(key=lambda item: item["id"])
    best = max(workable, key=lambda i: (i["confidence"] / (1 + i["distance"]), i["seen"]))
    fetch = [_step(name, best["id"], None) for name in ("navigate", "approach", "grasp")]
    if best.get("support", 1) < data["rules"].get("observe_below", 0):
        fetch.insert(0, _step("observe", best["id"], None))
    return fetch + _delivery(best["id"], station_of[best["class"]])


def _delivery(target: str, station: str | None) -> list[Json]:
    if station is None:
        return []
    return [_step("navigate", None, station), _step("deliver", target, station)]


def _step(skill: str, target: str | None, station: str | None) -> Json:
    return {"skill": skill, "target_id": target, "station_id": station}


def _answer(rationale: str, steps: list[Json]) -> str:
    return json.dumps({"rationale": rationale, "steps": steps})
