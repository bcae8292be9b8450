"""Parameters of generated buildings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from adm_core.config import Config, param
from adm_core.errors import ConfigError

#: Outer sizes in metres.
SCALES = {"small": (14.0, 11.0), "medium": (20.0, 15.0), "large": (30.0, 20.0)}
MAX_SIDE_M = 250.0

_SIZE = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)x(\d{1,4}(?:\.\d{1,4})?)")


@dataclass(frozen=True)
class BuildingConfig(Config):
    """What to generate; walls, doors and corridors lie on a lattice of 0.25 m."""

    kind: str = param("office", "use of the building", choices=("office", "apartment"))
    scale: str = param("medium", "14x11, 20x15 or 30x20 m", choices=tuple(SCALES))
    size: str = param("", "outer size WIDTHxHEIGHT in metres, instead of a scale")
    rooms: int = param(0, "number of rooms besides corridors, 0: by area", min=0, max=4000)
    corridor_m: float = param(1.75, "width of corridors", unit="m", min=1.0, max=5.0)
    door_m: float = param(1.0, "width of doors", unit="m", min=0.75, max=1.75)
    furniture: bool = param(True, "put furniture into the rooms")
    resolution_m: float = param(0.05, "side of a cell", unit="m", min=0.02, max=0.25)
    robot_radius_m: float = param(
        0.20, "radius of the robot that gets everywhere", unit="m", min=0.0, max=0.25
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if max(self.extent_m) > MAX_SIDE_M:
            raise ConfigError(f"size must be at most {MAX_SIDE_M:g} m a side, got {self.size}")

    @property
    def extent_m(self) -> tuple[float, float]:
        """Outer size along x and y."""
        if not self.size:
            return SCALES[self.scale]
        match = _SIZE.fullmatch(self.size)
        if not match:
            raise ConfigError(f"size must be WIDTHxHEIGHT in metres, got {self.size!r}")
        return float(match[1]), float(match[2])
