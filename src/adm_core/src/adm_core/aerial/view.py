"""What a drone's camera sees of the floor."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adm_core.aerial.estimate import Pose3
from adm_core.manipulation.camera import Intrinsics, Mount
from adm_core.memory.footprint import Footprint

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class AerialCamera:
    """Camera of a level drone, looking ahead and down.

    Attributes
    ----------
    model : Intrinsics
        Pinhole model.
    tilt_rad : float
        Optical axis below the horizon; pi/2: straight down, the picture's up is ahead.
    range_m : float
        Floor that is farther from the drone's foot does not count.
    """

    model: Intrinsics
    tilt_rad: float
    range_m: float

    def mount(self, pose: Pose3) -> Mount:
        """Return the camera in the map frame."""
        sin, cos = math.sin(self.tilt_rad), math.cos(self.tilt_rad)
        # Columns: the picture's right, its down and the optical axis in the drone's frame.
        level = np.array([[0.0, -sin, cos], [-1.0, 0.0, 0.0], [0.0, -cos, -sin]])
        c, s = math.cos(pose.yaw), math.sin(pose.yaw)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return Mount(turn @ level, np.array([pose.x, pose.y, pose.z]))

    def on_floor(self, pose: Pose3, pixels: npt.ArrayLike, height_m: float = 0.0) -> Floats:
        """Return where rays meet a level plane.

        Parameters
        ----------
        pose : Pose3
            The drone.
        pixels : float[n, 2]
            Column and row.
        height_m : float
            Height of the plane.

        Returns
        -------
        float64[n, 2]
            x, y in the map frame; NaN where a ray does not come down within the range.
        """
        spots = np.asarray(pixels, np.float64).reshape(-1, 2)
        mount = self.mount(pose)
        rays = self.model.back_project(spots[:, 0], spots[:, 1], np.ones(len(spots)))
        rays = rays @ mount.rotation.T
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (height_m - pose.z) / rays[:, 2]
        places = mount.centre[:2] + reach[:, None] * rays[:, :2]
        away = np.linalg.norm(places - mount.centre[:2], axis=1)
        bad = ~((rays[:, 2] < 0) & (reach > 0) & (away <= self.range_m))
        places[bad] = np.nan
        return places

    def footprint(self, pose: Pose3) -> Footprint | None:
        """Return the floor in the picture within the range, or None if there is none.

        It is the hull of where rays all over the picture come down, so that a horizon in it
        cuts the area off instead of turning it inside out.
        """
        columns = np.linspace(0, self.model.width - 1, 9)
        rows = np.linspace(0, self.model.height - 1, 25)
        seen = self.on_floor(pose, np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2))
        seen = seen[np.isfinite(seen).all(axis=1)]
        corners = _hull(seen)
        return Footprint(corners=corners) if len(corners) >= 3 else None

    def swath(self, height_m: float) -> tuple[float, float]:
        """Return width across and length along of the floor in one picture, metres.

        ValueError if no floor is in sight from that height.
        """
        seen = self.footprint(Pose3(0.0, 0.0, height_m, 0.0))
        if seen is None:
            raise ValueError(f"no floor in sight from {height_m} m with a tilt of {self.tilt_rad}")
        xs, ys = (np.array(values) for values in zip(*seen.corners, strict=True))
        near = ys[xs <= xs.min() + 1e-6]  # a picture is narrowest at its near end
        return float(np.ptp(near)), float(np.ptp(xs))


def _hull(places: Floats) -> tuple[tuple[float, float], ...]:
    """Return the convex hull counter-clockwise (monotone chain)."""
    points = sorted(set(map(tuple, places.tolist())))
    if len(points) < 3:
        return ()
    chains = []
    for sequence in (points, points[::-1]):
        chain: list[tuple[float, float]] = []
        for p in sequence:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 1e-12:
                chain.pop()
            chain.append((p[0], p[1]))
        chains.append(chain[:-1])
    return tuple(chains[0] + chains[1])


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
