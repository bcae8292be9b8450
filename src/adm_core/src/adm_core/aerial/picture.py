"""Picture of a survey: fence, way-points, where the drone believed to be, what it saw."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from adm_core.aerial.flight import FlightPlan, FlightStatus, Look
from adm_core.aerial.geofence import Geofence, Point
from adm_core.grid.picture import INK, PAPER, Colour, MapPicture, framed
from adm_core.types import GridMap, Pose2D

Floats = npt.NDArray[np.float64]

FENCE: Colour = (72, 72, 226)
BELIEVED: Colour = (170, 110, 40)
TRUE: Colour = (150, 150, 150)
TAG: Colour = (60, 140, 40)
SEEN: tuple[Colour, ...] = ((200, 90, 30), (40, 40, 200), (30, 150, 150), (150, 40, 150))
_CELL_M, _MARGIN_M = 0.02, 0.3
#: Ellipses hold a place in 95 of 100 cases: two standard deviations are not enough in the plane.
_SIGMAS = 2.45


def draw_survey(
    plan: FlightPlan,
    looks: Sequence[Look],
    end: FlightStatus,
    truth: Sequence[Point] = (),
) -> npt.NDArray[np.uint8]:
    """Return a picture uint8[rows, cols, 3], blue, green, red.

    Parameters
    ----------
    plan : FlightPlan
        Fence, way-points and tags.
    looks : sequence of Look
        What the flight brought.
    end : FlightStatus
        How it ended.
    truth : sequence of (x, y), optional
        Where it really was, if anybody knows.
    """
    picture = MapPicture(_ground(plan.fence), longest_px=900)
    picture.line([*plan.fence.corners, plan.fence.corners[0]], FENCE, 2)
    if len(truth) > 1:
        picture.line(truth, TRUE, 2)
    for place in plan.survey():
        picture.dot(*place, 4, TRUE, 1)
    _draw_tags(picture, plan)
    _draw_way(picture, plan, looks)
    labels = sorted({item.label for look in looks for item in look.sightings})
    colours = {label: SEEN[i % len(SEEN)] for i, label in enumerate(labels)}
    for look in looks:
        for item in look.sightings:
            _draw_ellipse(picture, item.place, item.covariance, colours[item.label])
    legend = [("fence", FENCE), ("believed, 95 %", BELIEVED)]
    legend += [("true", TRUE)] * bool(len(truth)) + [("tag", TAG)] * bool(plan.tags)
    legend += [(label, colours[label]) for label in labels]
    words = f"{end.visited} of {end.planned} way-points, {end.phase.value} ({end.reason.value})"
    return np.asarray(framed(picture, "Aerial survey", words, legend), np.uint8)


def _ground(fence: Geofence) -> GridMap:
    """Return a map that is free within the fence's box and a margin."""
    x0, x1, y0, y1 = fence.box
    shape = [math.ceil((size + 2 * _MARGIN_M) / _CELL_M) for size in (y1 - y0, x1 - x0)]
    origin = Pose2D(x0 - _MARGIN_M, y0 - _MARGIN_M)
    return GridMap(np.zeros(shape, np.int8), _CELL_M, origin)


def _draw_tags(picture: MapPicture, plan: FlightPlan) -> None:
    for number, tag in plan.tags.items():
        corners = [(float(x), float(y)) for x, y in tag.corners]
        picture.line([*corners, corners[0]], TAG, 2)
        picture.write(str(number), tag.x, tag.y, 0.45)


def _draw_way(picture: MapPicture, plan: FlightPlan, looks: Sequence[Look]) -> None:
    """Draw where pictures were taken; a correction by a tag is a dot."""
    start = plan.start.pose
    way = [(start.x, start.y), *((look.known.pose.x, look.known.pose.y) for look in looks)]
    if len(way) > 1:
        picture.line(way, BELIEVED, 2)
    picture.dot(*way[0], 6, INK)
    for look in looks:
        place = (look.known.pose.x, look.known.pose.y)
        _draw_ellipse(picture, place, look.known.covariance[:2, :2], BELIEVED)
        picture.dot(*place, 4, TAG if look.tags else BELIEVED)


def _draw_ellipse(
    picture: MapPicture, place: Point, covariance: npt.ArrayLike, colour: Colour
) -> None:
    values, vectors = np.linalg.eigh(np.asarray(covariance, np.float64))
    long, short = _SIGMAS * picture.px_per_m * np.sqrt(np.maximum(values[::-1], 0.0))
    angle = -math.degrees(math.atan2(vectors[1, -1], vectors[0, -1]))  # rows grow downward
    right, down = picture.pixel(*place)
    centre = (round(right), round(down))
    axes = (max(2, round(float(long))), max(2, round(float(short))))
    cv2.ellipse(picture.image, centre, axes, angle, 0, 360, PAPER, 3, cv2.LINE_AA)
    cv2.ellipse(picture.image, centre, axes, angle, 0, 360, colour, 1, cv2.LINE_AA)
    cv2.circle(picture.image, centre, 2, colour, -1, cv2.LINE_AA)
