"""From a colour and a depth picture to targets in the robot's frame, with covariance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from adm_core.manipulation.camera import Floats, Intrinsics, Mount
from adm_core.manipulation.colour import Blob, HsvRange, Picture, SegmentationConfig, segment
from adm_core.manipulation.depth import Depth, DepthConfig, DepthReading, robust_depth

_FIT_ROUNDS = 8
_OUTLIER_M = 0.012
_FLOOR_SIGMA_M = 0.002  # calibration of camera and arm: never better than this
_PIXEL_SIGMA = 0.5
_TOP_SHARE = 0.85  # above this share of the height a point may belong to the lid


@dataclass(frozen=True)
class ContainerKind:
    """What a class of containers looks like.

    Attributes
    ----------
    label : str
        Class name.
    ranges : tuple of HsvRange
        Its colours.
    radius_m, height_m : float
        Radius of the body, and height up to which it has that radius.
    """

    label: str
    ranges: tuple[HsvRange, ...]
    radius_m: float
    height_m: float


@dataclass(frozen=True)
class PerceptionConfig:
    """Parameters of segmentation and depth."""

    segmentation: SegmentationConfig = field(default_factory=SegmentationConfig)
    depth: DepthConfig = field(default_factory=DepthConfig)


@dataclass(frozen=True)
class Frame:
    """One picture of an RGB-D camera.

    Attributes
    ----------
    stamp : float
        When it was taken, seconds.
    picture : uint8[rows, cols, 3]
        Blue, green, red.
    depth : float32[rows, cols]
        Metres along the optical axis, 0 where there is none.
    mount : Mount
        The camera in the robot's frame.
    """

    stamp: float
    picture: Picture
    depth: Depth
    mount: Mount


@dataclass(frozen=True)
class Target:
    """A container that was seen.

    Attributes
    ----------
    label : str
        Class.
    position : float64[3]
        Axis of the container at the middle of its visible part, metres in the robot's frame.
    covariance : float64[3, 3]
        Of the position, square metres.
    depth_share : float
        Share of its pixels with a usable depth.
    blob : Blob
        Its pixels.
    """

    label: str
    position: Floats
    covariance: Floats
    depth_share: float
    blob: Blob

    @property
    def sigma_m(self) -> float:
        """Standard deviation of the position along its worst direction, metres."""
        return float(np.sqrt(np.linalg.eigvalsh(self.covariance)[-1]))


def find_targets(
    picture: Picture,
    depth: Depth,
    camera: Intrinsics,
    mount: Mount,
    kinds: Sequence[ContainerKind],
    config: PerceptionConfig | None = None,
) -> list[Target]:
    """Return all containers of the given kinds, nearest first; an empty list if none is seen.

    Parameters
    ----------
    picture : uint8[rows, cols, 3]
        Blue, green, red.
    depth : float[rows, cols]
        Metres along the optical axis, aligned with `picture`; 0 or NaN without measurement.
    camera : Intrinsics
        Of both pictures.
    mount : Mount
        Camera in the robot's frame (z up) at the time of the pictures.
    kinds : sequence of ContainerKind
        What to look for.
    config : PerceptionConfig, optional
        Parameters.

    Raises
    ------
    ValueError
        If a picture has not the camera's size.
    """
    config = config or PerceptionConfig()
    shape = (camera.height, camera.width)
    for name, image in (("picture", picture), ("depth", depth)):
        if image.shape[:2] != shape:
            raise ValueError(f"{name} must have the camera's size {shape}, got {image.shape[:2]}")
    found = []
    for kind in kinds:
        for blob in segment(picture, kind.label, kind.ranges, config.segmentation):
            reading = robust_depth(depth, blob.mask, config.depth)
            if reading is not None:
                found.append(_target(kind, blob, reading, depth, camera, mount))
    return sorted(found, key=lambda item: float(np.linalg.norm(item.position - mount.centre)))


def _target(
    kind: ContainerKind,
    blob: Blob,
    reading: DepthReading,
    depth: Depth,
    camera: Intrinsics,
    mount: Mount,
) -> Target:
    rows, cols = np.nonzero(reading.good)
    points = mount.to_frame(camera.back_project(cols, rows, depth[rows, cols].astype(np.float64)))
    axis = _axis(points, kind, mount.centre)
    position = np.array([axis[0], axis[1], float(np.median(points[:, 2]))])
    covariance = _covariance(reading, camera, mount, len(points))
    return Target(blob.label, position, covariance, reading.share, blob)


def _axis(points: Floats, kind: ContainerKind, eye: Floats) -> Floats:
    """Return x, y of an upright cylinder's axis: a circle of known radius through its side.

    The lid, seen from above, lies on the axis, the side in front of it: a plain median would
    be off by half a radius, this way or the other, as the camera's height has it.
    """
    side = points[points[:, 2] < _TOP_SHARE * kind.height_m][:, :2]
    if len(side) < 3:
        return np.median(points[:, :2], axis=0)
    middle = np.median(side, axis=0)
    away = middle - eye[:2]
    centre = middle + kind.radius_m * away / max(float(np.linalg.norm(away)), 1e-9)
    for _ in range(_FIT_ROUNDS):
        spokes = side - centre
        length = np.maximum(np.linalg.norm(spokes, axis=1), 1e-9)
        residual = length - kind.radius_m
        weight = 1.0 / (1.0 + (residual / _OUTLIER_M) ** 2)  # Cauchy: stray pixels fade out
        slope = -spokes / length[:, None]
        normal = (slope * weight[:, None]).T @ slope + 1e-3 * np.eye(2)
        centre = centre - np.linalg.solve(normal, (slope * weight[:, None]).T @ residual)
    return centre


def _covariance(reading: DepthReading, camera: Intrinsics, mount: Mount, count: int) -> Floats:
    """Return the covariance in the frame: pixels across the ray, depth along it."""
    across = _PIXEL_SIGMA * reading.depth_m / camera.fx
    along = reading.sigma_m / np.sqrt(count)
    optical = np.diag([across**2, across**2, along**2])
    return mount.rotation @ optical @ mount.rotation.T + _FLOOR_SIGMA_M**2 * np.eye(3)


def nearest_to(
    targets: Sequence[Target], label: str, place: npt.ArrayLike, within_m: float
) -> Target | None:
    """Return the target of a class that is nearest to a place (x, y), or None within a radius."""
    best, least = None, within_m
    for item in targets:
        away = float(np.hypot(*(item.position[:2] - np.asarray(place)[:2])))
        if item.label == label and away <= least:
            best, least = item, away
    return best


def kinds_from(document: Mapping[str, Mapping[str, Any]]) -> tuple[ContainerKind, ...]:
    """Return the kinds of a calibration: class to ``ranges`` (low and high), radius, height.

    Raises
    ------
    ValueError
        If an entry lacks something or a range is out of order; names the class.
    """
    kinds = []
    for label, item in document.items():
        try:
            ranges = tuple(HsvRange(tuple(low), tuple(high)) for low, high in item["ranges"])
            radius, height = float(item["radius_m"]), float(item["height_m"])
        except (KeyError, TypeError, ValueError) as err:
            raise ValueError(f"container {label}: {type(err).__name__}: {err}") from err
        kinds.append(ContainerKind(str(label), ranges, radius, height))
    return tuple(kinds)
