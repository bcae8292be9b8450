"""A square room for pretended drones: 3 m by 3 m, two containers, two tags of known place."""

import math

from adm_core.aerial.config import VIEW_RAD, FlightConfig
from adm_core.aerial.estimate import Pose3, standing
from adm_core.aerial.flight import FlightPlan
from adm_core.aerial.geofence import Geofence
from adm_core.aerial.sightings import Observer
from adm_core.aerial.tags import FloorTag
from adm_core.aerial.view import AerialCamera
from adm_core.manipulation.camera import Intrinsics
from adm_core.manipulation.colour import HsvRange, SegmentationConfig
from adm_core.manipulation.perception import ContainerKind
from adm_core.testing.direct_tello import DirectTello
from adm_core.testing.tello_flight import TelloBody
from adm_core.testing.tello_scene import FloorScene

ROOM = ((0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (0.0, 3.0))
START = (0.6, 0.6)
CAN, BOTTLE = (1.0, 1.1), (2.2, 2.0)
TAGS = {1: FloorTag(1.5, 1.5, 0.3, 0.2), 2: FloorTag(0.6, 2.4, 0.0, 0.2)}
# Flat, as the synthetic floor shows them.
KINDS = (
    ContainerKind("can", (HsvRange((170, 110, 40), (10, 255, 255)),), 0.03, 0.0),
    ContainerKind("bottle", (HsvRange((105, 110, 40), (128, 255, 255)),), 0.03, 0.0),
)
SMALL = SegmentationConfig(open_px=1, close_px=3, min_area_px=8)


def camera(width=320, tilt_deg=90.0, range_m=4.0):
    model = Intrinsics.from_view(width, width * 3 // 4, VIEW_RAD)
    return AerialCamera(model, math.radians(tilt_deg), range_m)


def floor(view=None, tags=None):
    discs = [(*CAN, 0.05, (30, 30, 200)), (*BOTTLE, 0.05, (200, 60, 30))]
    return FloorScene(
        view or camera(), (-1.0, 4.0, -1.0, 4.0), discs, TAGS if tags is None else tags
    )


def plan(view=None, tags=None, corners=ROOM, waypoints=(), dry_run=False, **changes):
    view = view or camera()
    observer = Observer(view, KINDS, {9: "can"}, attitude_rad=math.radians(1), segmentation=SMALL)
    return FlightPlan(
        Geofence(corners, 2.5),
        standing(*START, 0.0, 0.05, math.radians(2)),
        observer,
        TAGS if tags is None else tags,
        waypoints=waypoints,
        config=FlightConfig(**{"settle_s": 0.1, **changes}),
        dry_run=dry_run,
    )


def body(**changes):
    return TelloBody(Pose3(*START, 0.0, 0.0), **changes)


def direct(faults=(), scene=floor, **changes):
    return DirectTello(scene() if callable(scene) else scene, faults, body(**changes))
