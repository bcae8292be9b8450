"""Which depth pixels of an object to believe: no holes, no edges, no outliers."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from adm_core.config import Config, param

Depth = npt.NDArray[np.float32]

#: Standard deviations per median absolute deviation of normal noise.
_MAD = 1.4826


@dataclass(frozen=True)
class DepthConfig(Config):
    """Parameters of the robust depth."""

    min_m: float = param(0.10, "least depth that the camera measures", unit="m", min=0.0)
    max_m: float = param(3.0, "largest depth to believe", unit="m", min=0.0)
    edge_px: int = param(1, "rim of the mask that is left out", unit="px", min=0, max=10)
    spread_m: float = param(
        0.08, "depth of an object: pixels farther from the median are others", unit="m", min=0.001
    )
    min_pixels: int = param(8, "least number of good pixels", min=1)


@dataclass(frozen=True)
class DepthReading:
    """Robust depth of one object.

    Attributes
    ----------
    depth_m : float
        Median depth along the optical axis.
    sigma_m : float
        Spread of the good pixels by their median absolute deviation, as a standard deviation.
    good : bool[rows, cols]
        Pixels that may be used.
    share : float
        Their share of the mask, in (0, 1].
    """

    depth_m: float
    sigma_m: float
    good: npt.NDArray[np.bool_]
    share: float


def robust_depth(
    depth: Depth, mask: npt.NDArray[np.bool_], config: DepthConfig
) -> DepthReading | None:
    """Return the depth of the object under a mask, or None if too few pixels have one.

    The rim is left out first, since a depth edge never lies exactly on a colour edge; where a
    small object would vanish with it, the whole mask is used.

    Parameters
    ----------
    depth : float[rows, cols]
        Metres along the optical axis; 0 or NaN where there is no measurement.
    mask : bool[rows, cols]
        Pixels of the object.
    config : DepthConfig
        Limits.

    Raises
    ------
    ValueError
        If the shapes differ.
    """
    if depth.shape != mask.shape:
        raise ValueError(f"mask must have the depth's shape {depth.shape}, got {mask.shape}")
    with np.errstate(invalid="ignore"):
        measured = (depth >= config.min_m) & (depth <= config.max_m)
    good = measured & _without_rim(mask, config.edge_px)
    if np.count_nonzero(good) < config.min_pixels:
        good = measured & mask
    if np.count_nonzero(good) < config.min_pixels:
        return None
    good &= np.abs(np.where(good, depth, 0.0) - np.median(depth[good])) <= config.spread_m
    values = depth[good]
    if len(values) < config.min_pixels:
        return None
    middle = float(np.median(values))
    sigma = _MAD * float(np.median(np.abs(values - middle)))
    return DepthReading(middle, sigma, good, float(len(values)) / float(np.count_nonzero(mask)))


def _without_rim(mask: npt.NDArray[np.bool_], pixels: int) -> npt.NDArray[np.bool_]:
    if pixels == 0:
        return mask
    side = 2 * pixels + 1
    kernel = np.ones((side, side), np.uint8)
    return cv2.erode(mask.astype(np.uint8), kernel).astype(np.bool_)
