"""Parameters of a survey flight and of the drone that flies it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from adm_core.config import Config, param

#: The Tello's picture and its horizontal angle of view (82.6 degrees across the diagonal).
PICTURE = (960, 720)
VIEW_RAD = math.radians(70.2)


@dataclass(frozen=True)
class FlightConfig(Config):
    """Parameters of a survey flight."""

    altitude_m: float = param(1.5, "height of the survey", unit="m", min=0.5, max=5.0)
    speed_m_s: float = param(0.4, "speed of a leg", unit="m/s", min=0.1, max=1.0)
    max_leg_m: float = param(1.2, "longest single motion", unit="m", min=0.3, max=5.0)
    overlap: float = param(0.2, "share by which neighbouring pictures overlap", min=0.0, max=0.9)
    rounds: int = param(1, "how often the survey is flown before it comes home", min=1, max=100)
    tilt_deg: float = param(
        90.0,
        "camera below the horizon; 90: straight down (mirror clip), about 10: as delivered",
        unit="deg",
        min=5.0,
        max=90.0,
    )
    range_m: float = param(4.0, "how far detections on the floor count", unit="m", min=0.5)
    settle_s: float = param(0.5, "lag of the video: wait before a picture", unit="s", min=0.0)
    picture_timeout_s: float = param(3.0, "without a picture: no video", unit="s", min=0.2)
    answer_s: float = param(4.0, "patience for an answer, over the flight time", unit="s", min=0.5)
    takeoff_s: float = param(20.0, "patience for the take-off", unit="s", min=1.0)
    link_s: float = param(1.5, "without a state packet: link lost", unit="s", min=0.3)
    reconnect_s: float = param(20.0, "how long a lost link is waited for", unit="s", min=0.0)
    keepalive_s: float = param(4.0, "between two signs of life while it hovers", unit="s", min=0.5)
    battery_start: int = param(30, "no take-off below", unit="%", min=0, max=100)
    battery_return: int = param(25, "flies home below", unit="%", min=0, max=100)
    battery_land: int = param(15, "lands where it is below", unit="%", min=0, max=100)
    fence_margin_m: float = param(0.3, "kept from the fence", unit="m", min=0.0)
    fence_sigmas: float = param(2.0, "kept besides, in standard deviations of the place", min=0.0)
    max_sigma_m: float = param(0.8, "lands if its place is less certain", unit="m", min=0.05)
    motion_error: float = param(0.05, "standard deviation of a motion, per metre", min=0.0)
    heading_error_deg: float = param(1.0, "of the heading, per metre", unit="deg", min=0.0)
    drift_m: float = param(0.02, "of the place, per root of a second", unit="m", min=0.0)
    attitude_deg: float = param(1.0, "sway while it hovers", unit="deg", min=0.0)
    place_tolerance_m: float = param(
        0.35, "a report counts for as much as its place is likely this near", unit="m", min=0.01
    )


@dataclass(frozen=True)
class TelloConfig(Config):
    """Where the drone is and how it is used."""

    host: str = param("192.168.10.1", "address of the drone")
    port: int = param(8889, "its command port", min=1, max=65535)
    source_id: str = param("tello", "name in its reports")
    dry_run: bool = param(False, "everything but take-off: no motor turns")
    fly_on_request: bool = param(
        False, "takes off by itself when the planner asks to look at a place"
    )
    start_x: float = param(0.0, "where it stands in the map frame", unit="m")
    start_y: float = param(0.0, "where it stands in the map frame", unit="m")
    start_yaw_deg: float = param(0.0, "its heading there, counter-clockwise from x", unit="deg")
    start_sigma_m: float = param(0.05, "standard deviation of that place", unit="m", min=0.0)
    start_sigma_deg: float = param(2.0, "standard deviation of that heading", unit="deg", min=0.0)
    fence: str = param("", "corners of the geofence in the map frame: x,y x,y x,y ...", unit="m")
    ceiling_m: float = param(2.5, "height that is never exceeded", unit="m", min=0.5, max=10.0)
    tags: str = param("", "tags of known place: id:x,y,yaw_deg id:x,y,yaw_deg ...", unit="m")
    tag_size_m: float = param(0.20, "side of a tag's black square", unit="m", min=0.01)
    tag_family: str = param(
        "4x4_50", "family of the tags", choices=("4x4_50", "5x5_100", "apriltag_36h11")
    )
    tagged: str = param("", "tags that are containers: id:class id:class ...")
    containers: str = param("", "file of containers and their colours; empty: the shipped ones")
    confidence: float = param(0.85, "how sure a detection of a whole spot is", min=0.0, max=1.0)
