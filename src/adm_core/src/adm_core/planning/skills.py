"""Typed skills that a plan may name, and the fields each of them reads (section IV-D)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Skill:
    """Signature and properties of a skill.

    Attributes
    ----------
    name : str
        As plans name it.
    target, station : bool
        Whether it takes an entity and whether it takes a station; navigate takes exactly
        one of the two.
    reads : tuple of str
        Record fields of the target that arguments and preconditions read; never time or source.
    preemptible : bool
        Whether a replan may interrupt it.
    reversible : bool
        Whether its effect can be undone by another skill.
    """

    name: str
    target: bool
    station: bool
    reads: tuple[str, ...]
    preemptible: bool
    reversible: bool
    help: str

    @property
    def signature(self) -> str:
        """The call as shown to a planner."""
        if self.name == "navigate":
            return "navigate(target_id | station_id)"
        taken = [*["target_id"] * self.target, *["station_id"] * self.station]
        return f"{self.name}({', '.join(taken)})"


SKILLS = {
    skill.name: skill
    for skill in (
        Skill(
            "navigate", True, True, ("pose", "supported", "support"), True, True, "drive to a place"
        ),
        Skill("approach", True, False, ("pose", "supported"), True, True, "line up with it"),
        Skill(
            "grasp",
            True,
            False,
            ("pose", "label", "status", "supported"),
            False,
            True,
            "pick it up; hands must be empty",
        ),
        Skill(
            "deliver",
            True,
            True,
            ("label", "status"),
            False,
            False,
            "put the held object into a station that accepts its class",
        ),
        Skill("verify", True, False, ("label", "status"), True, True, "look at it again"),
        # Not among the skills of a mission unless it says so: see DEFAULT_SKILLS.
        Skill(
            "observe",
            True,
            False,
            (),
            True,
            True,
            "ask the drone to look at a container or region; takes no time, the report comes later",
        ),
    )
}

#: Without these no container reaches a station.
NECESSARY = ("navigate", "grasp", "deliver")


def enabled_skills(names: Iterable[str]) -> dict[str, Skill]:
    """Return the skills of those names, in our order; other names are passed over."""
    wanted = set(names)
    return {name: skill for name, skill in SKILLS.items() if name in wanted}
