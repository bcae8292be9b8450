"""What the drone and the wrist camera report: real pictures, real errors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from adm_core.manipulation.camera import Intrinsics, Mount
from adm_core.manipulation.colour import Blob, Picture, SegmentationConfig, segment
from adm_core.manipulation.perception import ContainerKind, find_targets
from adm_core.manipulation.planar import Point, in_map_frame
from adm_core.memory.records import Detection
from adm_core.simulation.rigid_body.arena import Arena, Thing
from adm_core.simulation.rigid_body.bodies import is_on_tray
from adm_core.simulation.rigid_body.cameras import drone_intrinsics, wrist_intrinsics
from adm_core.simulation.rigid_body.containers import container_kinds
from adm_core.types import Pose2D

#: From above a container is a few pixels: nothing may be opened away.
_FROM_ABOVE = SegmentationConfig(open_px=1, close_px=3, min_area_px=6)
_HAND_M = 0.30  # what is this near to a robot with full hands is in them
_STANDING_M = 0.16  # what is higher does not stand on the floor
_SAME_M = 0.20


def seen_from_above(
    picture: Picture, camera: Intrinsics, mount: Mount, kinds: Sequence[ContainerKind]
) -> list[tuple[str, Point]]:
    """Return class and place of every container in a picture taken straight from above.

    Parameters
    ----------
    picture : uint8[rows, cols, 3]
        Blue, green, red.
    camera, mount : Intrinsics, Mount
        The camera in the map frame.
    kinds : sequence of ContainerKind
        What to look for; a spot of its colour lies half-way up its body.
    """
    found = []
    for kind in kinds:
        for blob in segment(picture, kind.label, kind.ranges, _FROM_ABOVE):
            ray = mount.rotation @ camera.back_project(*blob.centre, 1.0)
            reach = (kind.height_m - mount.centre[2]) / ray[2]
            place = mount.centre + reach * ray
            found.append((kind.label, (float(place[0]), float(place[1]))))
    return found


def drone_detections(
    arena: Arena, found: npt.NDArray[np.bool_], confidence: npt.NDArray[np.float64]
) -> list[Detection]:
    """Take a picture from above; return what its detector reports.

    Places come from the picture. Whether a container is overlooked and how sure the detector is
    come from the event tape, so that all memory methods of one seed meet the same luck.

    Parameters
    ----------
    arena : Arena
        The world.
    found : bool[n]
        Containers that are not overlooked.
    confidence : float64[n]
        What the detector says of each.
    """
    picture, mount = arena.look_down()
    spots = seen_from_above(picture, drone_intrinsics(arena.config), mount, container_kinds())
    robot = arena.robot.pose()
    full = arena.robot.grip is not None
    reports = []
    for label, place in spots:
        in_hand = full and math.hypot(place[0] - robot.x, place[1] - robot.y) < _HAND_M
        if in_hand or on_any_tray(arena, place):
            continue
        index = _which(arena, label, place)
        if index is None or found[index]:
            sure = 0.5 if index is None else float(confidence[index])
            reports.append(Detection(label, Pose2D(*place), sure))
    return reports


def onboard_detections(arena: Arena, confidence: float) -> list[Detection]:
    """Look with the wrist camera; return what stands within sight.

    Nothing is rendered while nothing could be in the picture: that would report nothing.
    """
    if not any(arena.is_in_sight(thing) and not arena.is_held(thing) for thing in arena.things):
        return []
    frame, camera = arena.look(), wrist_intrinsics(arena.config)
    targets = find_targets(frame.picture, frame.depth, camera, frame.mount, container_kinds())
    robot = arena.measured_pose()
    reports = []
    for target in targets:
        ahead, left, height = map(float, target.position)
        place = in_map_frame(robot, ahead, left)
        counts = math.hypot(ahead, left) <= arena.config.sight_m and height < _STANDING_M
        if counts and not _is_cut_sideways(target.blob, camera) and not on_any_tray(arena, place):
            reports.append(Detection(target.label, Pose2D(*place), confidence))
    return reports


def _is_cut_sideways(blob: Blob, camera: Intrinsics) -> bool:
    """Tell whether the picture ends beside a container: its middle is then not where it seems."""
    left, _, width, _ = blob.box
    return left == 0 or left + width == camera.width


def on_any_tray(arena: Arena, place: Point) -> bool:
    """Tell whether a place is on a station's plate, where what lies is done with."""
    return any(is_on_tray(arena.layout, station, *place) for station in arena.layout.stations)


def _which(arena: Arena, label: str, place: Point) -> int | None:
    """Return the container that a spot of colour is, or None if it is none."""
    away = [
        math.dist(arena.place_of(thing)[:2], place) if thing.label == label else math.inf
        for thing in arena.things
    ]
    best = int(np.argmin(away))
    return best if away[best] <= _SAME_M else None


def visible(arena: Arena, thing: Thing) -> bool:
    """Tell whether a container still waits to be fetched."""
    return not arena.is_held(thing) and not arena.is_delivered(thing)
