"""Where a drone is: dead reckoning whose uncertainty grows, corrected by known places."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Pose3(NamedTuple):
    """Place and heading of a level drone in the map frame: metres, radians counter-clockwise."""

    x: float
    y: float
    z: float
    yaw: float


@dataclass(frozen=True)
class Whereabouts:
    """Estimated place and heading.

    Attributes
    ----------
    pose : Pose3
        Mean.
    covariance : float64[3, 3]
        Of x, y (square metres) and yaw (square radians). The height is measured, and its error
        is not carried along.
    doubt_m : float
        How far off the place may be besides: half of every way whose motion was not answered.
        Such errors may all point the same way, so they add up as they are and not as variances.
    """

    pose: Pose3
    covariance: Floats
    doubt_m: float = 0.0

    @property
    def sigma_m(self) -> float:
        """Standard deviation of the place along its worst direction, metres."""
        return float(math.sqrt(max(np.linalg.eigvalsh(self.covariance[:2, :2])[-1], 0.0)))

    def reach_m(self, sigmas: float) -> float:
        """Return how far the drone may be from the place: so many sigmas, and the doubt."""
        return sigmas * self.sigma_m + self.doubt_m

    def at_height(self, height_m: float) -> Whereabouts:
        """Return the same place at another height."""
        return replace(self, pose=self.pose._replace(z=height_m))


def standing(x: float, y: float, yaw: float, sigma_m: float, sigma_rad: float) -> Whereabouts:
    """Return what is known before the start."""
    return Whereabouts(Pose3(x, y, 0.0, yaw), np.diag([sigma_m**2, sigma_m**2, sigma_rad**2]))


def moved(
    known: Whereabouts,
    ahead_m: float,
    left_m: float,
    error: float,
    heading_error_rad: float,
    unsure: bool = False,
) -> Whereabouts:
    """Return the estimate after a motion that was commanded in the drone's own frame.

    Parameters
    ----------
    known : Whereabouts
        Before it.
    ahead_m, left_m : float
        The motion, metres.
    error, heading_error_rad : float
        Standard deviations of the motion (along and across it) and of the heading, per metre.
    unsure : bool
        Whether it is unknown how much of the motion happened: the mean is then the middle of
        the way, with the spread of all places on it.
    """
    x, y, z, yaw = known.pose
    share = 0.5 if unsure else 1.0
    cos, sin = math.cos(yaw), math.sin(yaw)
    way = np.array([cos * ahead_m - sin * left_m, sin * ahead_m + cos * left_m])
    length = float(np.hypot(*way))
    jacobian = np.eye(3)
    jacobian[0, 2], jacobian[1, 2] = -share * way[1], share * way[0]
    noise = np.diag([(error * length) ** 2] * 2 + [(heading_error_rad * length) ** 2])
    if unsure:
        noise[:2, :2] += np.outer(way, way) / 12.0  # variance of a uniform share of the way
    covariance = jacobian @ known.covariance @ jacobian.T + noise
    pose = Pose3(x + share * float(way[0]), y + share * float(way[1]), z, yaw)
    return Whereabouts(pose, covariance, known.doubt_m + (length / 2 if unsure else 0.0))


def hovered(known: Whereabouts, seconds: float, drift_m: float) -> Whereabouts:
    """Return the estimate after hovering: the place spreads like a random walk."""
    spread = max(seconds, 0.0) * drift_m**2
    return replace(known, covariance=known.covariance + np.diag([spread, spread, 0.0]))


def corrected(known: Whereabouts, seen: Whereabouts) -> Whereabouts:
    """Return the estimate after a measurement of the whole pose (Kalman's update).

    The covariance is updated in Joseph's form, so that it stays symmetric and positive. Doubt
    is counted as a standard deviation first: the measurement then ends it.
    """
    prior = known.covariance + known.doubt_m**2 * np.diag([1.0, 1.0, 0.0])
    gain = prior @ np.linalg.inv(prior + seen.covariance)
    error = np.array(seen.pose)[[0, 1, 3]] - np.array(known.pose)[[0, 1, 3]]
    error[2] = math.remainder(error[2], 2 * math.pi)
    step = gain @ error
    rest = np.eye(3) - gain
    covariance = rest @ prior @ rest.T + gain @ seen.covariance @ gain.T
    x, y, z, yaw = known.pose
    turned = math.remainder(yaw + float(step[2]), 2 * math.pi)
    return Whereabouts(Pose3(x + float(step[0]), y + float(step[1]), z, turned), covariance)
