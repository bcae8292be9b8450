"""Static memory M^s: what a mission fixes before it starts; evidence never rewrites it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from adm_core.types import Pose2D

#: What plans may use, and the rules they keep to, where a mission says nothing else.
DEFAULT_SKILLS = ("navigate", "approach", "grasp", "deliver", "verify")
DEFAULT_RULES = (
    "carry one container at a time",
    "deliver a container only to a station that accepts its class",
)


@dataclass(frozen=True)
class Station:
    """Collection station: where containers of the accepted classes are delivered."""

    id: str
    pose: Pose2D
    accepts: tuple[str, ...]


@dataclass(frozen=True)
class Region:
    """Named area of the map: a polygon of three or more corners (x, y) in metres."""

    name: str
    corners: tuple[tuple[float, float], ...]

    @property
    def centre(self) -> tuple[float, float]:
        """Mean of the corners."""
        xs, ys = zip(*self.corners, strict=True)
        return sum(xs) / len(xs), sum(ys) / len(ys)


@dataclass(frozen=True)
class Mission:
    """Stable knowledge of one mission (paper, section IV-B).

    Attributes
    ----------
    goal : str
        The mission as a sentence.
    map_id, frame_id : str
        The map that all poses belong to, and its frame.
    stations : tuple of Station
        Collection stations.
    expected : int
        Number of containers that complete the mission.
    budget_steps : int
        Steps after which the mission counts as failed.
    step_m : float
        Length of one step of motion in metres.
    robot_radius_m : float
        The robot's centre keeps more than this from everything that is not free.
    diagonal : bool
        Whether the robot moves to eight neighbours, or to four.
    view_m : float
        Path length up to which the robot sees containers around it.
    rules : tuple of str
        Task rules, as shown to the planner.
    skills : tuple of str
        Names of the skills that plans may use; all others are unknown to this mission.
    regions : tuple of Region
        Named areas.
    observe_below : float
        Support S(t) of a target below which the built-in policy asks the aerial source to look
        at it; 0: never.
    """

    goal: str
    map_id: str
    stations: tuple[Station, ...]
    expected: int
    budget_steps: int
    step_m: float
    robot_radius_m: float
    diagonal: bool
    view_m: float
    frame_id: str = "map"
    rules: tuple[str, ...] = DEFAULT_RULES
    skills: tuple[str, ...] = DEFAULT_SKILLS
    regions: tuple[Region, ...] = ()
    observe_below: float = 0.0

    def station(self, station_id: str) -> Station | None:
        """Return the station of that id, or None."""
        return self._by_id.get(station_id)

    def station_for(self, label: str) -> Station | None:
        """Return the first station that accepts class `label`, or None."""
        return self._by_label.get(label)

    def region(self, name: str) -> Region | None:
        """Return the region of that name, or None."""
        return next((item for item in self.regions if item.name == name), None)

    @cached_property
    def _by_id(self) -> dict[str, Station]:
        return {item.id: item for item in reversed(self.stations)}

    @cached_property
    def _by_label(self) -> dict[str, Station]:
        return {label: item for item in reversed(self.stations) for label in item.accepts}
