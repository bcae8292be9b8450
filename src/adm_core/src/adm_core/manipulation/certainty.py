"""How far a place may be believed."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt


def place_confidence(covariance: npt.ArrayLike, tolerance_m: float) -> float:
    """Return how likely the truth lies within a distance of a place, in [0, 1].

    Both axes get the mean variance: the integral of the circular normal distribution is then
    closed, and exact where the covariance is round.
    """
    variance = float(np.trace(np.asarray(covariance, np.float64)[:2, :2])) / 2
    if variance <= 0:
        return 1.0
    return 1.0 - math.exp(-(tolerance_m**2) / (2 * variance))
