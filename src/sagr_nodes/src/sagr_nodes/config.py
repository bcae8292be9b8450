"""Parameters that the nodes of a team share."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.config import Config, param
from adm_core.search.methods import METHODS


@dataclass(frozen=True)
class TeamConfig(Config):
    """Who the team is, and whether its nodes wait for each other."""

    robots: int = param(3, "searching robots: robot_0, robot_1, ...", min=1, max=64)
    lockstep: bool = param(
        True, "wait for every robot and map in every step; else go on with what is there"
    )
    patience_s: float = param(
        10.0, "how long lockstep waits for a node that is silent, once", unit="s", min=0.05
    )
    common_frame: str = param("map", "frame of the fused map")
    map_frame: str = param("{robot}/map", "map frame of a robot; {robot} is its namespace")

    @property
    def names(self) -> list[str]:
        """Namespaces of the robots."""
        return [f"robot_{number}" for number in range(self.robots)]

    def frame_of(self, robot: str) -> str:
        """Return the name of a robot's own map frame."""
        return self.map_frame.replace("{robot}", robot)


@dataclass(frozen=True)
class MethodConfig(Config):
    """Which method of search the team follows."""

    method: str = param("sagr+", "method of search", choices=tuple(METHODS))
    seed: int = param(0, "of the method's random choices", min=0)


@dataclass(frozen=True)
class ExplorerConfig(Config):
    """One robot's explorer."""

    robot: int = param(0, "number of the robot that it moves", min=0, max=63)
    assignment_s: float = param(
        10.0, "how long lockstep waits for the coordinator, once", unit="s", min=0.05
    )
    room_ids_s: float = param(2.0, "how long lasting room ids are waited for", unit="s", min=0.05)
