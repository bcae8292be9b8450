"""The words of a flight: what it is to do, its states, and what it brings."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

from adm_core.aerial.config import FlightConfig
from adm_core.aerial.drone import Shot, Telemetry
from adm_core.aerial.errors import FlightReason
from adm_core.aerial.estimate import Whereabouts
from adm_core.aerial.failsafe import margin
from adm_core.aerial.geofence import Geofence, Point
from adm_core.aerial.sightings import Observer, Sighting
from adm_core.aerial.survey import lawn_mower
from adm_core.aerial.tags import FloorTag


class Phase(str, Enum):
    """State of a flight; the last four are ends."""

    IDLE = "idle"
    STARTING = "starting"
    TAKING_OFF = "taking_off"
    SURVEYING = "surveying"
    HOLDING = "holding"
    RETURNING = "returning"
    LANDING = "landing"
    RECONNECTING = "reconnecting"
    LANDED = "landed"
    REHEARSED = "rehearsed"  # a dry run: it never left the floor
    FAILED = "failed"  # not taken off
    LINK_LOST = "link_lost"  # in the air when last heard; it lands by itself

    @property
    def over(self) -> bool:
        """Whether nothing follows."""
        return self in (Phase.LANDED, Phase.REHEARSED, Phase.FAILED, Phase.LINK_LOST)

    @property
    def on_ground(self) -> bool:
        """Whether the motors have not been asked for yet, or are off."""
        return self in (Phase.IDLE, Phase.STARTING, Phase.LANDED, Phase.REHEARSED, Phase.FAILED)


@dataclass(frozen=True)
class FlightStatus:
    """One moment of a flight.

    Attributes
    ----------
    phase, reason, text : Phase, FlightReason, str
        State, and why it came about.
    visited, planned : int
        Way-points.
    known : Whereabouts
        Where the drone believes to be.
    told : Telemetry or None
        What the drone told last.
    """

    phase: Phase
    reason: FlightReason
    text: str
    visited: int
    planned: int
    known: Whereabouts
    told: Telemetry | None


@dataclass(frozen=True)
class Look:
    """What one picture brought.

    Attributes
    ----------
    stamp : float
        When, seconds of the flight's clock.
    known : Whereabouts
        From where, after correction.
    sightings : tuple of Sighting
        Containers.
    tags : tuple of int
        Tags of known place that corrected the estimate.
    shot : Shot
        The picture.
    """

    stamp: float
    known: Whereabouts
    sightings: tuple[Sighting, ...]
    tags: tuple[int, ...]
    shot: Shot


@dataclass(frozen=True)
class FlightPlan:
    """What a flight is to do, and within which limits.

    Attributes
    ----------
    fence : Geofence
        Where the drone may be.
    start : Whereabouts
        Where it stands.
    observer : Observer
        What it looks for.
    tags, family : mapping of int to FloorTag, str
        Tags of known place, and their family.
    waypoints : tuple of (float, float)
        Where to look; empty: rows over the whole fence.
    config : FlightConfig
        Limits.
    dry_run : bool
        Connect, stream, check and look, but send nothing that turns a motor.
    """

    fence: Geofence
    start: Whereabouts
    observer: Observer
    tags: dict[int, FloorTag] = field(default_factory=dict)
    family: str = "4x4_50"
    waypoints: tuple[Point, ...] = ()
    config: FlightConfig = field(default_factory=FlightConfig)
    dry_run: bool = False

    def survey(self) -> tuple[Point, ...]:
        """Return the way-points.

        Raises
        ------
        ValueError
            If the altitude is above the ceiling, a way-point is outside, or the fence leaves
            no room.
        """
        config = self.config
        if config.altitude_m > self.fence.ceiling_m:
            raise ValueError(
                f"altitude_m must be <= the ceiling {self.fence.ceiling_m}, got {config.altitude_m}"
            )
        if not self.waypoints:
            return self._rows()
        for place in self.waypoints:
            if not self.fence.contains(place, config.altitude_m, config.fence_margin_m):
                raise ValueError(
                    f"waypoints must lie {config.fence_margin_m} m inside the fence, got {place}"
                )
        return self.waypoints

    def viewpoint(self, place: Point, yaw: float) -> Point:
        """Return where a drone with a heading must be to have a place in its picture's middle."""
        camera = self.observer.camera
        reach = min(self.config.altitude_m / math.tan(camera.tilt_rad), 0.7 * camera.range_m)
        return place[0] - reach * math.cos(yaw), place[1] - reach * math.sin(yaw)

    def _rows(self) -> tuple[Point, ...]:
        keep = margin(self.start, self.config) + 0.1  # room for what is less certain on the way
        width, length = self.observer.camera.swath(self.config.altitude_m)
        share = 1 - self.config.overlap
        places = lawn_mower(
            self.fence, keep, min(width, length) * share, min(width, length) * share
        )
        if not places:
            raise ValueError(f"fence must leave room for a margin of {keep:.2f} m")
        return places
