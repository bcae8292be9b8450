"""Intervals for paired experiments: Wilson for shares, bootstrap for paired differences."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_Z95 = 1.959963984540054
_CHUNK = 2_000_000  # drawn indices at a time


class Estimate(NamedTuple):
    """A value with the ends of its interval."""

    value: float
    low: float
    high: float


def wilson(successes: int, trials: int, z: float = _Z95) -> Estimate:
    """Return the share of successes with its Wilson score interval.

    Parameters
    ----------
    successes, trials : int
        0 <= `successes` <= `trials`, `trials` >= 1.
    z : float
        Quantile of the normal distribution (default: 95 % two-sided).

    Raises
    ------
    ValueError
        If the counts are out of range.
    """
    if not (trials >= 1 and 0 <= successes <= trials):
        raise ValueError(f"need 0 <= successes <= trials, trials >= 1: got {successes}, {trials}")
    share = successes / trials
    weight = z * z / trials
    centre = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / trials + weight / (4 * trials))
    low = centre - half if successes > 0 else 0.0  # exactly, whatever the rounding
    high = centre + half if successes < trials else 1.0
    return Estimate(share, low, high)


def paired_difference(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Estimate:
    """Return the mean of ``a - b`` over pairs with its percentile bootstrap interval.

    Parameters
    ----------
    a, b : float64[n]
        Values of two methods on the same n seeds, n >= 1.
    rng : numpy.random.Generator
        Source of the resamples.
    resamples : int
        Number of resamples, >= 1.
    level : float
        Share of the resampled means inside the interval.

    Raises
    ------
    ValueError
        If the arrays are empty or of different shapes.
    """
    difference = np.asarray(a, np.float64) - np.asarray(b, np.float64)
    if np.shape(a) != np.shape(b) or difference.ndim != 1 or len(difference) == 0:
        raise ValueError(f"a and b must be [n], n >= 1, got {np.shape(a)} and {np.shape(b)}")
    means = _resampled_means(difference, rng, resamples)
    tail = (1.0 - level) / 2
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return Estimate(float(difference.mean()), float(low), float(high))


def paired_ratio(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Estimate:
    """Return how much the mean of `a` exceeds that of `b`, in percent, with its interval.

    Pairs are resampled together and the ratio of the means is taken anew each time.

    Parameters
    ----------
    a, b : float64[n]
        Values of two methods on the same n seeds, n >= 1; the mean of `b` above 0.
    rng, resamples, level
        As for :func:`paired_difference`.

    Raises
    ------
    ValueError
        If the arrays are empty or of different shapes, or the mean of `b` is not positive.
    """
    both = np.stack([np.asarray(a, np.float64), np.asarray(b, np.float64)], axis=-1)
    if both.ndim != 2 or len(both) == 0 or not both[:, 1].mean() > 0:
        raise ValueError("a and b must be [n], n >= 1, the mean of b above 0")
    rows = rng.integers(len(both), size=(resamples, len(both)))
    means = both[rows].mean(axis=1)
    tail = (1.0 - level) / 2
    low, high = np.quantile(means[:, 0] / means[:, 1], [tail, 1.0 - tail])
    value = both[:, 0].mean() / both[:, 1].mean()
    return Estimate(*(100.0 * (float(ratio) - 1.0) for ratio in (value, low, high)))


def _resampled_means(
    values: npt.NDArray[np.float64], rng: np.random.Generator, resamples: int
) -> npt.NDArray[np.float64]:
    size = len(values)
    rows = max(1, _CHUNK // size)
    pieces = []
    for done in range(0, resamples, rows):
        count = min(rows, resamples - done)
        pieces.append(values[rng.integers(size, size=(count, size))].mean(axis=1))
    return np.concatenate(pieces)
