"""The order in which a robot visits its places: short open paths from where it stands."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from adm_core._kernels import tour as _kernel
from adm_core._kernels.checks import longest_distance

_FLOAT64, _INT64 = np.dtype(np.float64), np.dtype(np.int64)

#: Up to this number of points, the start included, the path is the shortest one.
EXACT = 12
#: Trials of the local search for each point, if none are asked for.
EFFORT = 5


def order_open_path(
    dist: npt.NDArray[np.float64], start: int = 0, *, trials: int | None = None
) -> npt.NDArray[np.int64]:
    """Order points so that the path from `start` through all of them is short.

    Parameters
    ----------
    dist : float64[n, n]
        Symmetric distances, finite and >= 0. The diagonal does not matter.
    start : int
        Point where the path begins; it may end anywhere.
    trials : int, optional
        Trials of the local search (default: 5 for each point). More make the path shorter
        and the time longer in proportion; 0 leaves 2-opt and or-opt from the nearest
        neighbour path.

    Returns
    -------
    int64[n]
        The points in order of visit, `start` first.

    Raises
    ------
    ValueError
        If `dist` is not of that kind, or `start` is no point, or `trials` is negative.

    Notes
    -----
    The shortest path up to 12 points, in O(2^n n^2). Beyond that a local search with a fixed
    number of trials, the same on every run and machine: it counts trials, not time.
    """
    dist, most = _check_dist(dist)
    size = len(dist)
    if not 0 <= start < (size or 1):
        raise ValueError(f"start must be a point 0..{size - 1}, got {start}")
    if trials is not None and trials < 0:
        raise ValueError(f"trials must be >= 0, got {trials}")
    out = np.empty(size, _INT64)
    if size == 0:
        return out
    if size <= EXACT:
        _kernel.order_short(dist, start, out)
        return out
    gated = np.zeros((size + 1, size + 1))
    gated[:size, :size] = dist
    gated[size, start] = gated[start, size] = -4.0 * (most + 1.0)
    _kernel.order_long(gated, start, EFFORT * size if trials is None else trials, out)
    return out


def _check_dist(dist: Any) -> tuple[npt.NDArray[np.float64], float]:
    """Return the distances as the kernels read them, and the largest one."""
    if not isinstance(dist, np.ndarray) or dist.dtype != _FLOAT64 or dist.ndim != 2:
        given = f"{dist.dtype}{list(dist.shape)}" if isinstance(dist, np.ndarray) else type(dist)
        raise ValueError(f"dist must be float64[n, n], got {given}")
    size, columns = dist.shape
    if size != columns:
        raise ValueError(f"dist must be square, got {list(dist.shape)}")
    dist = np.ascontiguousarray(dist, _FLOAT64)
    most = longest_distance(dist, size)
    if most >= 0:
        return dist, most
    if not np.array_equal(dist, dist.T):
        raise ValueError("dist must be symmetric and hold no NaN")
    raise ValueError(f"dist must be finite and >= 0, got values from {dist.min()} to {dist.max()}")
