"""What a mission says beyond its parameters: static memory, and changes of profile and noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from adm_core.memory.static import Region, Station
from adm_core.types import Pose2D


@dataclass(frozen=True)
class MissionSpec:
    """Everything that a mission file can say; what it does not say stays empty.

    Attributes
    ----------
    goal : str
        The mission as a sentence.
    map_id : str
        Digest of the map that the poses belong to; another map is then refused.
    stations : tuple of Station
        Collection stations.
    classes : tuple of str
        Classes of the containers in the simulated world.
    regions : tuple of Region
        Named areas.
    rules, skills : tuple of str
        Task rules and enabled skills.
    profile : tuple of (str, value)
        Parameters that differ from the profile, named ``section.parameter``.
    scenario : tuple of (str, value)
        Parameters of the scenario that differ.
    """

    goal: str = ""
    map_id: str = ""
    stations: tuple[Station, ...] = ()
    classes: tuple[str, ...] = ()
    regions: tuple[Region, ...] = ()
    rules: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    profile: tuple[tuple[str, Any], ...] = ()
    scenario: tuple[tuple[str, Any], ...] = ()

    def with_containers(self, count: int) -> MissionSpec:
        """Return the spec with another number of containers."""
        others = tuple(item for item in self.scenario if item[0] != "containers")
        return replace(self, scenario=(*others, ("containers", count)))

    def as_plain(self) -> dict[str, Any]:
        """Return the spec as plain data, for a run's log."""
        return {
            "goal": self.goal,
            "map_id": self.map_id,
            "stations": [[item.id, list(item.pose), list(item.accepts)] for item in self.stations],
            "classes": list(self.classes),
            "regions": [[item.name, list(map(list, item.corners))] for item in self.regions],
            "rules": list(self.rules),
            "skills": list(self.skills),
            "profile": dict(self.profile),
            "scenario": dict(self.scenario),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> MissionSpec:
        """Return the spec of :meth:`as_plain`; of nothing, the empty one."""
        return cls(
            plain.get("goal", ""),
            plain.get("map_id", ""),
            tuple(
                Station(name, Pose2D(*pose), tuple(accepts))
                for name, pose, accepts in plain.get("stations", ())
            ),
            tuple(plain.get("classes", ())),
            tuple(
                Region(name, tuple((float(x), float(y)) for x, y in corners))
                for name, corners in plain.get("regions", ())
            ),
            tuple(plain.get("rules", ())),
            tuple(plain.get("skills", ())),
            tuple(plain.get("profile", {}).items()),
            tuple(plain.get("scenario", {}).items()),
        )


NOTHING_ELSE = MissionSpec()
