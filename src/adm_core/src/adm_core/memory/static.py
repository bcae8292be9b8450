"""Static memory M^s: what a mission fixes before it starts; evidence never rewrites it."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.types import Pose2D


@dataclass(frozen=True)
class Station:
    """Collection station: where containers of the accepted classes are delivered."""

    id: str
    pose: Pose2D
    accepts: tuple[str, ...]


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
    rules: tuple[str, ...] = (
        "carry one container at a time",
        "deliver a container only to a station that accepts its class",
    )

    def station(self, station_id: str) -> Station | None:
        """Return the station of that id, or None."""
        return next((item for item in self.stations if item.id == station_id), None)

    def station_for(self, label: str) -> Station | None:
        """Return the first station that accepts class `label`, or None."""
        return next((item for item in self.stations if label in item.accepts), None)
