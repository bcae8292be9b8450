"""Deterministic validator: no plan is dispatched that the skill rules refuse (section IV-D)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from adm_core.memory.records import OPEN
from adm_core.planning.plan import Step
from adm_core.planning.query import Query
from adm_core.planning.skills import SKILLS

MAX_STEPS = 20


class Refusal(str, Enum):
    """Why a plan is not dispatched."""

    TOO_LONG = "too_long"
    UNKNOWN_SKILL = "unknown_skill"
    MISSING_ARGUMENT = "missing_argument"
    UNEXPECTED_ARGUMENT = "unexpected_argument"
    UNKNOWN_ENTITY = "unknown_entity"
    UNKNOWN_STATION = "unknown_station"
    TERMINAL_TARGET = "terminal_target"
    TARGET_STATUS = "target_status"  # not open: in some gripper, but not in this one
    TARGET_HELD = "target_held"
    UNREACHABLE = "unreachable"
    NO_STATION = "no_station"  # once picked up it could never be put down
    HANDS_FULL = "hands_full"
    NOT_HELD = "not_held"
    NOT_AT_TARGET = "not_at_target"
    NOT_AT_STATION = "not_at_station"
    INCOMPATIBLE_STATION = "incompatible_station"
    NO_PROGRESS = "no_progress"  # neither grasps nor delivers: could go on for ever
    EMPTY_PLAN = "empty_plan"  # although there is something to do


@dataclass(frozen=True)
class Finding:
    """A refusal and the index of the step that caused it."""

    index: int
    code: Refusal

    def __str__(self) -> str:
        return f"step {self.index + 1}: {self.code.value}"


@dataclass(frozen=True)
class _State:
    """What the plan has achieved so far, by its own predictions."""

    at: str
    held: str
    done: frozenset[str]


def validate(steps: Sequence[Step], query: Query) -> Finding | None:
    """Return the first reason to refuse a plan, or None if it may be dispatched.

    Preconditions are simulated along the whole plan: a deliver is refused unless an earlier
    step, or the present state, puts the object into the gripper and the robot at the station.
    """
    if len(steps) > MAX_STEPS:
        return Finding(MAX_STEPS, Refusal.TOO_LONG)
    state = _State(at="", held=query.focus.held_id, done=frozenset())
    for index, step in enumerate(steps):
        code = _check_form(step, query) or _check_references(step, query, state)
        code = code or _check_preconditions(step, query, state)
        if code is not None:
            return Finding(index, code)
        state = _apply(step, state)
    return _check_progress(steps, query)


def _check_form(step: Step, query: Query) -> Refusal | None:
    skill = SKILLS.get(step.skill)
    if skill is None or step.skill not in query.mission.skills:
        return Refusal.UNKNOWN_SKILL
    if step.skill == "navigate":
        given = bool(step.target_id) + bool(step.station_id)
        return (Refusal.MISSING_ARGUMENT, None, Refusal.UNEXPECTED_ARGUMENT)[given]
    for wanted, value in ((skill.target, step.target_id), (skill.station, step.station_id)):
        if wanted and not value:
            return Refusal.MISSING_ARGUMENT
        if value and not wanted:
            return Refusal.UNEXPECTED_ARGUMENT
    return None


def _check_references(step: Step, query: Query, state: _State) -> Refusal | None:
    if step.station_id and query.mission.station(step.station_id) is None:
        return Refusal.UNKNOWN_STATION
    if step.skill == "observe" and query.mission.region(step.target_id):
        return None
    if step.target_id and step.target_id != state.held:
        record = query.record(step.target_id)
        terminal = {name for name, _ in query.exposure.terminal}
        if step.target_id in state.done or step.target_id in terminal:
            return Refusal.TERMINAL_TARGET
        if record is None:
            return Refusal.UNKNOWN_ENTITY
        if record.status.terminal:
            return Refusal.TERMINAL_TARGET
        if record.status not in OPEN:
            return Refusal.TARGET_STATUS
    return None


def _check_preconditions(step: Step, query: Query, state: _State) -> Refusal | None:
    if step.skill == "navigate" and step.target_id:
        return _check_way(step, query, state)
    if step.skill == "observe" and step.target_id == state.held:
        return Refusal.TARGET_HELD
    if step.skill == "approach" and state.at != step.target_id:
        return Refusal.NOT_AT_TARGET
    if step.skill == "grasp":
        return _check_grasp(step, query, state)
    if step.skill == "deliver":
        return _check_delivery(step, query, state)
    return None


def _check_way(step: Step, query: Query, state: _State) -> Refusal | None:
    if step.target_id == state.held:
        return Refusal.TARGET_HELD
    distance = query.distance_to(step.target_id)
    return Refusal.UNREACHABLE if math.isinf(distance) else None


def _check_grasp(step: Step, query: Query, state: _State) -> Refusal | None:
    if state.held:
        return Refusal.HANDS_FULL
    if state.at != step.target_id:
        return Refusal.NOT_AT_TARGET
    record = query.record(step.target_id)
    if record is None or query.mission.station_for(record.label) is None:
        return Refusal.NO_STATION
    return None


def _check_delivery(step: Step, query: Query, state: _State) -> Refusal | None:
    if state.held != step.target_id:
        return Refusal.NOT_HELD
    record = query.record(step.target_id)
    station = query.mission.station(step.station_id)
    if record is None or station is None or record.label not in station.accepts:
        return Refusal.INCOMPATIBLE_STATION
    return None if state.at == step.station_id else Refusal.NOT_AT_STATION


def _check_progress(steps: Sequence[Step], query: Query) -> Finding | None:
    if not steps:
        return Finding(0, Refusal.EMPTY_PLAN) if query.has_work else None
    if any(step.skill in ("grasp", "deliver") for step in steps):
        return None
    return Finding(len(steps) - 1, Refusal.NO_PROGRESS)


def _apply(step: Step, state: _State) -> _State:
    if step.skill == "navigate":
        return replace(state, at=step.target_id or step.station_id)
    if step.skill == "grasp":
        return replace(state, held=step.target_id)
    if step.skill == "deliver":
        return replace(state, held="", done=state.done | {step.target_id})
    return state
