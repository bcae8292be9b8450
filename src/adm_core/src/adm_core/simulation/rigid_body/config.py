"""Parameters of the arena: sizes, rates and noise of body and sensors."""

from __future__ import annotations

import re
from dataclasses import dataclass

from adm_core.config import Config, param
from adm_core.errors import ConfigError

#: Steps of physics, and control periods, a second; the fastest camera takes one picture a period.
PHYSICS_HZ, CONTROL_HZ = 120, 30

_CAMERA = re.compile(r"(\d{1,4})x(\d{1,4})@(\d{1,4})\Z", re.ASCII)


@dataclass(frozen=True)
class ArenaConfig(Config):
    """Parameters of the rigid-body arena."""

    size_m: float = param(3.5, "side of the arena", unit="m", min=2.8, max=10.0)
    cell_m: float = param(0.35, "cell by which reports are matched", unit="m", min=0.2, max=1.0)
    obstacles: int = param(2, "boxes in the way", min=0, max=6)
    base: str = param("differential", "how the base moves", choices=("differential", "mecanum"))
    speed_m_s: float = param(0.30, "driving speed", unit="m/s", min=0.05, max=0.6)
    turn_rad_s: float = param(1.2, "turning speed", unit="rad/s", min=0.1, max=3.0)
    standoff_m: float = param(0.50, "where driving ends before a target", unit="m", min=0.4)
    clearance_m: float = param(0.19, "room kept around the robot's centre", unit="m", min=0.17)
    camera: str = param("160x120@5", "wrist camera: width x height @ pictures a second")
    colour_noise: float = param(6.0, "standard deviation of a colour value of 255", min=0.0)
    light: float = param(1.0, "brightness of the pictures", min=0.2, max=1.5)
    depth_noise: float = param(
        0.004, "standard deviation of depth over its square", unit="1/m", min=0.0
    )
    depth_dropout: float = param(0.03, "share of depth pixels without value", min=0.0, max=1.0)
    depth_min_m: float = param(0.11, "least measured depth", unit="m", min=0.01)
    depth_max_m: float = param(3.0, "largest measured depth", unit="m", min=0.1)
    sight_m: float = param(0.8, "how far sightings of the wrist camera count", unit="m", min=0.3)
    drone_height_m: float = param(4.0, "height of the drone's camera", unit="m", min=2.0)
    drone_px: int = param(256, "side of the drone's picture", unit="px", min=64, max=1024)
    scan_period_s: int = param(2, "time between two pictures of the drone", unit="s", min=1)
    drone_noise_m: float = param(0.03, "error of the drone's own place", unit="m", min=0.0)
    place_noise_m: float = param(0.008, "error of the robot's own place", unit="m", min=0.0)
    place_noise_rad: float = param(0.008, "error of the robot's heading", unit="rad", min=0.0)
    lidar_rays: int = param(120, "rays of a scan", min=16, max=1440)
    lidar_hz: int = param(10, "scans a second: a divisor of 30", unit="Hz", min=1, max=30)
    lidar_noise_m: float = param(0.01, "error of a range", unit="m", min=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        width, height, rate = self.camera_mode
        if not (32 <= width <= 1920 and 24 <= height <= 1080 and 1 <= rate <= CONTROL_HZ):
            raise ConfigError(
                f"camera must be 32x24 to 1920x1080 at 1 to {CONTROL_HZ}, got {self.camera}"
            )
        if CONTROL_HZ % self.lidar_hz:
            raise ConfigError(f"lidar_hz must be a divisor of {CONTROL_HZ}, got {self.lidar_hz}")

    @property
    def camera_mode(self) -> tuple[int, int, int]:
        """Width, height and pictures a second of the wrist camera."""
        found = _CAMERA.match(self.camera)
        if not found:
            raise ConfigError(f"camera must be like 160x120@5, got {self.camera!r}")
        width, height, rate = map(int, found.groups())
        return width, height, rate
