"""Pinhole camera: between pixels with depth and points of the optical frame."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Intrinsics:
    """Pinhole model of a rectified picture, as in the K of ``CameraInfo``.

    Attributes
    ----------
    width, height : int
        Size in pixels.
    fx, fy, cx, cy : float
        Focal lengths and principal point in pixels; the centre of pixel (0, 0) is at 0, 0.
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float

    def __post_init__(self) -> None:
        if not (self.width > 0 and self.height > 0):
            raise ValueError(f"size must be positive, got {self.width} x {self.height}")
        values = (self.fx, self.fy, self.cx, self.cy)
        if not (all(map(math.isfinite, values)) and self.fx > 0 and self.fy > 0):
            raise ValueError(f"fx, fy, cx, cy must be finite, fx and fy > 0, got {values}")

    @classmethod
    def from_view(cls, width: int, height: int, horizontal_rad: float) -> Intrinsics:
        """Return a camera with square pixels and the given horizontal angle of view."""
        if not 0 < horizontal_rad < math.pi:
            raise ValueError(f"horizontal_rad must be in (0, pi), got {horizontal_rad}")
        focal = width / 2 / math.tan(horizontal_rad / 2)
        return cls(width, height, focal, focal, (width - 1) / 2, (height - 1) / 2)

    def back_project(
        self, columns: npt.ArrayLike, rows: npt.ArrayLike, depth: npt.ArrayLike
    ) -> Floats:
        """Return points float64[n, 3] of the optical frame for pixels at a depth along z."""
        z = np.asarray(depth, np.float64)
        x = (np.asarray(columns) - self.cx) * z / self.fx
        y = (np.asarray(rows) - self.cy) * z / self.fy
        return np.stack([x, y, z], axis=-1)

    def project(self, points: npt.ArrayLike) -> Floats:
        """Return pixels float64[n, 2] as (column, row) of points float64[n, 3] with z > 0."""
        x, y, z = np.moveaxis(np.asarray(points, np.float64), -1, 0)
        column, row = self.cx + self.fx * x / z, self.cy + self.fy * y / z
        return np.stack([column, row], axis=-1)


@dataclass(frozen=True)
class Mount:
    """Where a camera is in a frame, and how it looks.

    Attributes
    ----------
    rotation : float64[3, 3]
        Turns vectors of the optical frame into the frame.
    centre : float64[3]
        Optical centre in the frame, metres.
    """

    rotation: Floats
    centre: Floats

    def to_frame(self, points: npt.ArrayLike) -> Floats:
        """Return optical points float64[..., 3] in the frame."""
        return np.asarray(points) @ self.rotation.T + self.centre

    def to_optical(self, points: npt.ArrayLike) -> Floats:
        """Return points float64[..., 3] of the frame in the optical one."""
        return (np.asarray(points) - self.centre) @ self.rotation
