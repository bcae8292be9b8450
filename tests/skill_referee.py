"""A second opinion on plans: the skill rules of the paper played out in a small world.

Written apart from the validator and in another way: objects have places, the robot has a hand,
and at every step *all* rules are asked, so that the verdict is the set of all broken ones. The
text of an answer is read by another JSON parser and checked by another schema library.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import pydantic
import pydantic_core

LONGEST_PLAN, LONGEST_TEXT, LONGEST_RATIONALE = 20, 65_536, 400
SKILLS = ("navigate", "approach", "grasp", "deliver", "verify")
ON_FLOOR, IN_HAND, DONE, ELSEWHERE = "floor", "hand", "done", "elsewhere"


@dataclass
class Thing:
    """An object that the planner has been shown, or told is finished."""

    name: str
    kind: str
    place: str
    reachable: bool = True


@dataclass
class World:
    """What is where, and who accepts what."""

    things: dict[str, Thing]
    stations: dict[str, tuple[str, ...]]
    hand: str | None = None
    standing: tuple[str, str] | None = None  # ("thing" or "station", name)
    placed: list[str] = field(default_factory=list)

    def thing(self, name):
        return self.things.get(name)

    def wanted_somewhere(self, name):
        thing = self.thing(name)
        return thing is not None and any(thing.kind in kinds for kinds in self.stations.values())

    def something_to_do(self):
        if self.hand is not None:
            return self.wanted_somewhere(self.hand)
        return any(
            item.place == ON_FLOOR and item.reachable and self.wanted_somewhere(item.name)
            for item in self.things.values()
        )


def rule_unknown_skill(world, skill, target, station):
    return skill not in SKILLS


def rule_missing_argument(world, skill, target, station):
    if skill == "navigate":
        return not target and not station
    if skill == "deliver":
        return not target or not station
    return skill in SKILLS and not target


def rule_unexpected_argument(world, skill, target, station):
    if skill == "navigate":
        return bool(target) and bool(station)
    return skill in ("approach", "grasp", "verify") and bool(station)


def rule_unknown_station(world, skill, target, station):
    return bool(station) and station not in world.stations


def rule_unknown_entity(world, skill, target, station):
    return bool(target) and world.thing(target) is None


def rule_terminal_target(world, skill, target, station):
    thing = world.thing(target)
    return thing is not None and thing.place == DONE


def rule_target_status(world, skill, target, station):
    thing = world.thing(target)
    return thing is not None and thing.place == ELSEWHERE


def rule_target_held(world, skill, target, station):
    return skill == "navigate" and bool(target) and target == world.hand


def rule_unreachable(world, skill, target, station):
    thing = world.thing(target)
    return skill == "navigate" and thing is not None and not thing.reachable


def rule_hands_full(world, skill, target, station):
    return skill == "grasp" and world.hand is not None


def rule_no_station(world, skill, target, station):
    return skill == "grasp" and bool(target) and not world.wanted_somewhere(target)


def rule_not_at_target(world, skill, target, station):
    return skill in ("approach", "grasp") and world.standing != ("thing", target)


def rule_not_held(world, skill, target, station):
    return skill == "deliver" and bool(target) and world.hand != target


def rule_not_at_station(world, skill, target, station):
    return skill == "deliver" and bool(station) and world.standing != ("station", station)


def rule_incompatible_station(world, skill, target, station):
    thing = world.thing(target)
    accepted = world.stations.get(station, ())
    return skill == "deliver" and (thing is None or thing.kind not in accepted)


RULES = {
    name.removeprefix("rule_"): rule
    for name, rule in list(globals().items())
    if name.startswith("rule_")
}


def play(steps, world):
    """Return (index, set of broken rules) at the first refused step, or None.

    `steps` are (skill, target or "", station or "").
    """
    if len(steps) > LONGEST_PLAN:
        return LONGEST_PLAN, {"too_long"}
    if not steps:
        return (0, {"empty_plan"}) if world.something_to_do() else None
    useful = False
    for index, (skill, target, station) in enumerate(steps):
        broken = {name for name, rule in RULES.items() if rule(world, skill, target, station)}
        if broken:
            return index, broken
        if skill == "navigate":
            world.standing = ("thing", target) if target else ("station", station)
        elif skill == "grasp":
            useful, world.hand, world.thing(target).place = True, target, IN_HAND
        elif skill == "deliver":
            useful, world.hand, world.thing(target).place = True, None, DONE
    return None if useful else (len(steps) - 1, {"no_progress"})


class StepModel(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True, extra="forbid")
    skill: Literal["navigate", "approach", "grasp", "deliver", "verify"]
    target_id: str | None
    station_id: str | None


class PlanModel(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True, extra="forbid")
    rationale: str = pydantic.Field(max_length=LONGEST_RATIONALE)
    steps: list[StepModel] = pydantic.Field(max_length=LONGEST_PLAN)


def read(text):
    """Return the steps of an answer as triples, or None if it is no plan by its form."""
    if len(text) > LONGEST_TEXT:
        return None
    try:
        value = pydantic_core.from_json(text, allow_inf_nan=False)
        plan = PlanModel.model_validate(value)
    except ValueError:
        return None
    if text_repeats_a_key(text, value):
        return None
    return [(item.skill, item.target_id or "", item.station_id or "") for item in plan.steps]


def text_repeats_a_key(text, value):
    """Tell whether some object had a key twice: count the colons outside of strings."""
    colons, inside, escaped = 0, False, False
    for letter in text:
        if escaped:
            escaped = False
        elif inside:
            escaped, inside = letter == "\\", letter != '"'
        else:
            inside = letter == '"'
            colons += letter == ":"
    return colons != count_keys(value)


def count_keys(value):
    if isinstance(value, dict):
        return len(value) + sum(map(count_keys, value.values()))
    if isinstance(value, list):
        return sum(map(count_keys, value))
    return 0
