"""A plan P_t: typed skill calls, and the fields D(P_t) that it depends on (section IV-B)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from adm_core.memory.records import Change, Status
from adm_core.planning.skills import SKILLS


class Step(NamedTuple):
    """One skill call; ids only, empty where the skill takes none."""

    skill: str
    target_id: str = ""
    station_id: str = ""

    def __str__(self) -> str:
        arguments = ", ".join(item for item in (self.target_id, self.station_id) if item)
        return f"{self.skill}({arguments})"


def dependencies(steps: Iterable[Step]) -> frozenset[tuple[str, str]]:
    """Return D(P): the (entity, field) pairs that the remaining steps read.

    After a grasp the object's pose is no longer read: it travels with the robot.
    """
    needed = set()
    for step in steps:
        if step.target_id:
            needed |= {(step.target_id, field) for field in SKILLS[step.skill].reads}
    return frozenset(needed)


def effects(step: Step) -> frozenset[tuple[str, str, str]]:
    """Return (entity, field, new value) that a skill's success changes by definition."""
    status = {"grasp": Status.GRASPED, "deliver": Status.DELIVERED}.get(step.skill)
    return frozenset({(step.target_id, "status", status.value)}) if status else frozenset()


def triggering_change(
    changes: Iterable[Change],
    steps: Iterable[Step],
    predicted: frozenset[tuple[str, str, str]] = frozenset(),
) -> Change | None:
    """Return the first change in C_t that the remaining plan depends on, or None.

    Parameters
    ----------
    changes : iterable of Change
        C_t, after the tolerance filter of the memory.
    steps : iterable of Step
        Remaining plan.
    predicted : set of (entity, field, new value)
        Expected effects, hence no reason to replan.
    """
    needed = dependencies(steps)
    for item in changes:
        expected = (item.entity, item.field, item.new) in predicted
        if (item.entity, item.field) in needed and not expected:
            return item
    return None
