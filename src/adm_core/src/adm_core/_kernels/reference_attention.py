"""Slow twin of the attention kernel, for tests: the same sums in the same order, bit by bit."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[np.float64]

_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_LOG2_E = 1.44269504088896338700e00
_TERMS = [1.0 / math.factorial(i) for i in range(14)]


def exponential(x: Column) -> Column:
    """Return exp(x) for x <= 0 as the kernel computes it."""
    x = np.asarray(x, np.float64)
    zero = x < -708.0
    x = np.where(zero, 0.0, x)
    n = np.rint(x * _LOG2_E)
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    t = _TERMS
    series = (
        ((1.0 + r) + r2 * (t[2] + r * t[3]))
        + r4 * ((t[4] + r * t[5]) + r2 * (t[6] + r * t[7]))
        + (r4 * r4) * ((t[8] + r * t[9]) + r2 * (t[10] + r * t[11]) + r4 * (t[12] + r * t[13]))
    )
    return np.where(zero, 0.0, np.ldexp(series, n.astype(np.int32)))


def decay(form: str, age: Column, scale: float) -> Column:
    """Return the factor of age."""
    x = age / scale * (math.log(2.0) if form == "half_life" else 1.0)
    if form == "none":
        return np.ones_like(x)
    return np.where(x < 1.0, 1.0 - x, 0.0) if form == "linear" else exponential(-x)


def proximity(form: str, distance: Column, scale: float) -> Column:
    """Return the factor of distance."""
    y = distance / scale
    if form == "none":
        return np.ones_like(y)
    return 1.0 / (1.0 + y) if form == "rational" else exponential(-y)


def top_k(
    weight: Column,
    confidence: Column,
    stamp: Column,
    distance: Column,
    now: float,
    *,
    k: int,
    forms: tuple[str, str] = ("exp", "rational"),
    scales: tuple[float, float] = (18.0, 1.0),
    shares: tuple[float, float, float] | None = None,
    floor: float = 0.0,
    mask: npt.NDArray[np.bool_] | None = None,
    pinned: npt.NDArray[np.bool_] | None = None,
    ids: npt.NDArray[np.int64] | None = None,
) -> tuple[list[int], list[float]]:
    """Return positions and scores, best first, as ``memory.top_k`` defines them."""
    size = len(confidence)
    ids = np.arange(size) if ids is None else ids
    candidates = np.ones(size, bool) if mask is None else np.asarray(mask, bool)
    pins = np.zeros(size, bool) if pinned is None else np.asarray(pinned, bool)
    fresh = decay(forms[0], np.maximum(now - stamp, 0.0), scales[0])
    near = proximity(forms[1], distance, scales[1])
    trust = weight * confidence
    support = trust * fresh
    score = support * near
    if shares is not None:
        score = shares[0] * trust + shares[1] * fresh + shares[2] * near
    supported = support >= floor
    if not np.any(candidates & supported):
        supported[:] = True
    order = np.lexsort((np.arange(size), ids, -stamp, -score))
    first = [int(i) for i in order if candidates[i] and pins[i]][:k]
    rest = [int(i) for i in order if candidates[i] and not pins[i] and supported[i]]
    chosen = set(first + rest[: k - len(first)])
    best = [int(i) for i in order if int(i) in chosen]
    return best, [float(score[i]) for i in best]
