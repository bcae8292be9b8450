"""A flight plan from the parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence

from adm_core.aerial.config import PICTURE, VIEW_RAD, FlightConfig, TelloConfig
from adm_core.aerial.estimate import standing
from adm_core.aerial.flight import FlightPlan
from adm_core.aerial.geofence import Geofence, Point, parse_corners
from adm_core.aerial.sightings import Observer
from adm_core.aerial.tags import parse_tagged, parse_tags
from adm_core.aerial.view import AerialCamera
from adm_core.errors import ConfigError
from adm_core.manipulation.camera import Intrinsics
from adm_core.manipulation.kinds import load_kinds


def make_plan(
    tello: TelloConfig, flight: FlightConfig, waypoints: Sequence[Point] = ()
) -> FlightPlan:
    """Return what the parameters ask for; no way-points: rows over the whole fence.

    Raises
    ------
    ConfigError
        If fence, tags or containers are malformed, or break the flight's limits.
    """
    if not tello.fence:
        raise ConfigError("fence must be given, like 0,0 3,0 3,3 0,3: nothing flies without one")
    try:
        return _plan(tello, flight, waypoints)
    except ValueError as err:
        raise ConfigError(str(err)) from err


def _plan(tello: TelloConfig, flight: FlightConfig, waypoints: Sequence[Point]) -> FlightPlan:
    model = Intrinsics.from_view(*PICTURE, VIEW_RAD)
    camera = AerialCamera(model, math.radians(flight.tilt_deg), flight.range_m)
    observer = Observer(
        camera,
        load_kinds(tello.containers),
        parse_tagged(tello.tagged),
        tello.confidence,
        math.radians(flight.attitude_deg),
    )
    start = standing(
        tello.start_x,
        tello.start_y,
        math.radians(tello.start_yaw_deg),
        tello.start_sigma_m,
        math.radians(tello.start_sigma_deg),
    )
    plan = FlightPlan(
        Geofence(parse_corners(tello.fence), tello.ceiling_m),
        start,
        observer,
        parse_tags(tello.tags, tello.tag_size_m),
        tello.tag_family,
        tuple(waypoints),
        flight,
        tello.dry_run,
    )
    plan.survey()
    return plan
