"""Square tags (ArUco, AprilTag): known ones tell where the drone is, others mark containers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from adm_core.aerial.estimate import Pose3, Whereabouts
from adm_core.aerial.view import AerialCamera
from adm_core.manipulation.colour import Picture

Floats = npt.NDArray[np.float64]

FAMILIES = {
    "4x4_50": cv2.aruco.DICT_4X4_50,
    "5x5_100": cv2.aruco.DICT_5X5_100,
    "apriltag_36h11": cv2.aruco.DICT_APRILTAG_36h11,
}
_CORNER_PX = 0.7
#: A fit that is worse than this share of a tag's side was no fit.
_MISFIT = 0.25


@dataclass(frozen=True)
class FloorTag:
    """A tag that lies on the floor, face up.

    Attributes
    ----------
    x, y : float
        Its middle in the map frame, metres.
    yaw : float
        Where its top edge points, radians counter-clockwise from x.
    size_m : float
        Side of the black square.
    """

    x: float
    y: float
    yaw: float
    size_m: float

    @property
    def corners(self) -> Floats:
        """Corners float64[4, 2] in the order of the detector: left top, then clockwise."""
        half = self.size_m / 2
        own = np.array([[half, half], [half, -half], [-half, -half], [-half, half]])
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return own @ np.array([[cos, sin], [-sin, cos]]) + [self.x, self.y]


@dataclass(frozen=True)
class SeenTag:
    """A tag in a picture: its number, and its corners as column and row, float64[4, 2]."""

    id: int
    corners: Floats

    @property
    def centre(self) -> Floats:
        """Middle, column and row."""
        return self.corners.mean(axis=0)


@cache
def _detector(family: str) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(FAMILIES[family]), parameters)


def find_tags(picture: Picture, family: str) -> list[SeenTag]:
    """Return the tags of a family in a picture, by number; empty if there is none.

    Raises
    ------
    ValueError
        If the family is unknown.
    """
    if family not in FAMILIES:
        raise ValueError(f"family must be one of {list(FAMILIES)}, got {family!r}")
    corners, numbers, _ = _detector(family).detectMarkers(picture)
    if numbers is None:
        return []
    found = zip(numbers.ravel(), corners, strict=True)
    seen = [SeenTag(int(number), np.asarray(four, np.float64)[0]) for number, four in found]
    return sorted(seen, key=lambda tag: tag.id)


def locate(
    seen: Sequence[SeenTag],
    known: Mapping[int, FloorTag],
    camera: AerialCamera,
    height_m: float,
    attitude_rad: float,
) -> Whereabouts | None:
    """Return where the drone must be to see tags of known place so; None if it sees none.

    The corners, projected onto the floor from the origin, are laid over their known places by
    a rotation and a shift (least squares, in closed form). Tags of equal number at several
    places, or wrong ones, do not fit and are not believed.

    Parameters
    ----------
    seen : sequence of SeenTag
        From :func:`find_tags`.
    known : mapping of int to FloorTag
        Tags of known place.
    camera : AerialCamera
        The camera.
    height_m : float
        Height over the floor, > 0.
    attitude_rad : float
        Standard deviation of roll and pitch, which shift everything seen.
    """
    used = [tag for tag in seen if tag.id in known]
    if not used or height_m <= 0:
        return None
    pixels = np.concatenate([tag.corners for tag in used])
    there = np.concatenate([known[tag.id].corners for tag in used])
    here = camera.on_floor(Pose3(0.0, 0.0, height_m, 0.0), pixels)
    if not np.isfinite(here).all():
        return None
    yaw, shift, misfit = _rigid_fit(here, there)
    if misfit > _MISFIT * min(known[tag.id].size_m for tag in used):
        return None
    pose = Pose3(float(shift[0]), float(shift[1]), height_m, yaw)
    return Whereabouts(pose, _covariance(here, camera, height_m, attitude_rad, yaw))


def _rigid_fit(here: Floats, there: Floats) -> tuple[float, Floats, float]:
    """Return yaw, shift and root mean square error that lay `here` over `there`."""
    middle, target = here.mean(axis=0), there.mean(axis=0)
    a, b = here - middle, there - target
    yaw = math.atan2(float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()), float((a * b).sum()))
    cos, sin = math.cos(yaw), math.sin(yaw)
    turn = np.array([[cos, -sin], [sin, cos]])
    shift = target - turn @ middle
    error = here @ turn.T + shift - there
    return yaw, shift, float(np.sqrt((error**2).sum(axis=1).mean()))


def _covariance(
    here: Floats, camera: AerialCamera, height: float, attitude: float, yaw: float
) -> Floats:
    """Return the covariance of x, y, yaw: pixels by the fit, sway of the drone on top."""
    slant = np.sqrt(height**2 + (here**2).sum(axis=1).mean())
    pixel = _CORNER_PX * slant / camera.model.fx
    arms = here - here.mean(axis=0)
    turning = pixel**2 / max(float((arms**2).sum()), 1e-12)
    lever = here.mean(axis=0)  # a wrong heading moves the drone around the tag
    cos, sin = math.cos(yaw), math.sin(yaw)
    swing = np.array([sin * lever[0] + cos * lever[1], -cos * lever[0] + sin * lever[1], 1.0])
    sway = (slant * attitude) ** 2
    spread = pixel**2 / len(here) + sway
    return np.diag([spread, spread, 1e-6]) + turning * np.outer(swing, swing)


def parse_tags(text: str, size_m: float) -> dict[int, FloorTag]:
    """Return the tags of ``id:x,y,yaw_deg ...``; ValueError if it is something else."""
    tags = {}
    for item in text.split():
        number, _, place = item.partition(":")
        values = place.split(",")
        if len(values) != 3:
            raise ValueError(f"tags must be like 3:1.0,2.0,90, got {text!r}")
        x, y, yaw = map(float, values)
        tags[int(number)] = FloorTag(x, y, math.radians(yaw), size_m)
    return tags


def parse_tagged(text: str) -> dict[int, str]:
    """Return the classes of ``id:class ...``; ValueError if it is something else."""
    classes = {}
    for item in text.split():
        number, found, label = item.partition(":")
        if not (found and label):
            raise ValueError(f"tagged must be like 7:can 8:bottle, got {text!r}")
        classes[int(number)] = label
    return classes
