"""Containers in a colour picture: calibrated HSV ranges, morphology, connected pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from adm_core.config import Config, param

Picture = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

#: OpenCV's hue counts half degrees.
_HUES = 180


@dataclass(frozen=True)
class HsvRange:
    """Box in OpenCV's HSV space; a hue range may run through red.

    Attributes
    ----------
    low, high : (int, int, int)
        Inclusive ends of hue (0..179), saturation and value (0..255); ``low[0] > high[0]``
        means the hues from ``low[0]`` over 179 to ``high[0]``.
    """

    low: tuple[int, int, int]
    high: tuple[int, int, int]

    def __post_init__(self) -> None:
        for name, triple in (("low", self.low), ("high", self.high)):
            tops = (_HUES - 1, 255, 255)
            if len(triple) != 3 or not all(0 <= v <= t for v, t in zip(triple, tops, strict=True)):
                raise ValueError(f"{name} must be in 0..179, 0..255, 0..255, got {triple}")
        if self.low[1] > self.high[1] or self.low[2] > self.high[2]:
            raise ValueError(f"low must not be above high, got {self.low} and {self.high}")

    def mask(self, hsv: Picture) -> Mask:
        """Return bool[rows, cols]: which pixels of an HSV picture lie in the box."""
        if self.low[0] <= self.high[0]:
            return cv2.inRange(hsv, self.low, self.high).view(np.bool_)
        upper = cv2.inRange(hsv, self.low, (_HUES - 1, *self.high[1:]))
        lower = cv2.inRange(hsv, (0, *self.low[1:]), self.high)
        return cv2.bitwise_or(upper, lower).view(np.bool_)


@dataclass(frozen=True)
class SegmentationConfig(Config):
    """Parameters of the colour segmentation."""

    open_px: int = param(3, "side of the opening: smaller specks vanish", unit="px", min=1, max=31)
    close_px: int = param(5, "side of the closing: smaller holes fill", unit="px", min=1, max=31)
    min_area_px: int = param(25, "least area of a container", unit="px", min=1)


@dataclass(frozen=True)
class Blob:
    """One connected piece of a colour.

    Attributes
    ----------
    label : str
        Class whose colour it has.
    mask : bool[rows, cols]
        Its pixels in the whole picture.
    area : int
        Number of them.
    centre : (float, float)
        Mean column and row.
    box : (int, int, int, int)
        Left, top, width, height.
    cut : bool
        Whether it touches the border of the picture: there may be more of it.
    """

    label: str
    mask: Mask
    area: int
    centre: tuple[float, float]
    box: tuple[int, int, int, int]
    cut: bool


def segment(
    picture: Picture, label: str, ranges: Sequence[HsvRange], config: SegmentationConfig
) -> list[Blob]:
    """Find the pieces of one colour, largest first; an empty list if there is none.

    Parameters
    ----------
    picture : uint8[rows, cols, 3]
        Blue, green, red.
    label : str
        Class of these colours.
    ranges : sequence of HsvRange
        Any of them makes a pixel count.
    config : SegmentationConfig
        Morphology and least area.

    Raises
    ------
    ValueError
        If `picture` is not of that kind, or no range is given.
    """
    _check_picture(picture)
    if not ranges:
        raise ValueError(f"ranges of {label} must hold one or more")
    hsv: Picture = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV).astype(np.uint8, copy=False)
    wanted = np.logical_or.reduce([item.mask(hsv) for item in ranges])
    return _pieces(_cleaned(wanted, config), label, config.min_area_px)


def _cleaned(mask: Mask, config: SegmentationConfig) -> Picture:
    cleaned = mask.astype(np.uint8)
    for action, side in ((cv2.MORPH_OPEN, config.open_px), (cv2.MORPH_CLOSE, config.close_px)):
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
        cleaned = cv2.morphologyEx(cleaned, action, kernel).astype(np.uint8, copy=False)
    return cleaned


def _pieces(mask: Picture, label: str, min_area: int) -> list[Blob]:
    count, labels, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=8)
    rows, cols = mask.shape
    blobs = []
    for index in range(1, count):
        left, top, width, height, area = map(int, stats[index])
        if area < min_area:
            continue
        cut = left == 0 or top == 0 or left + width == cols or top + height == rows
        centre = (float(centres[index][0]), float(centres[index][1]))
        box = (left, top, width, height)
        blobs.append(Blob(label, labels == index, area, centre, box, cut))
    return sorted(blobs, key=lambda blob: (-blob.area, blob.box))


def calibrate(
    picture: Picture,
    sample: Mask,
    *,
    share: float = 0.98,
    margin: tuple[int, int, int] = (6, 40, 40),
) -> HsvRange:
    """Return the range of a colour from pixels that are known to show it.

    Parameters
    ----------
    picture : uint8[rows, cols, 3]
        Blue, green, red.
    sample : bool[rows, cols]
        Pixels of the object.
    share : float
        Share of the sample that the range must hold per channel, in (0, 1].
    margin : (int, int, int)
        Added on both sides in hue, saturation and value, for other light.

    Raises
    ------
    ValueError
        If there are fewer than ten pixels, or the arguments are out of range.
    """
    _check_picture(picture)
    if not 0 < share <= 1:
        raise ValueError(f"share must be in (0, 1], got {share}")
    pixels = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)[np.asarray(sample, np.bool_)].astype(int)
    if len(pixels) < 10:
        raise ValueError(f"sample must hold ten pixels or more, got {len(pixels)}")
    middle = _mean_hue(pixels[:, 0])
    offset = (pixels[:, 0] - middle + _HUES // 2) % _HUES - _HUES // 2
    tail = [(1 - share) / 2, (1 + share) / 2]
    hues = np.quantile(offset, tail) + margin[0] * np.array([-1, 1])
    hues = np.clip(hues, 1 - _HUES // 2, _HUES // 2 - 1)
    rest = [np.quantile(pixels[:, channel], tail) for channel in (1, 2)]
    low = [max(0, int(ends[0]) - margin[i + 1]) for i, ends in enumerate(rest)]
    high = [min(255, int(np.ceil(ends[1])) + margin[i + 1]) for i, ends in enumerate(rest)]
    first, last = (round(middle + float(hue)) % _HUES for hue in hues)
    return HsvRange((first, low[0], low[1]), (last, high[0], high[1]))


def _mean_hue(hues: npt.NDArray[np.int_]) -> int:
    """Return the mean on the circle: red lies on both ends of the scale."""
    turns = np.exp(2j * np.pi * hues / _HUES).mean()
    return round(float(np.angle(turns)) / (2 * np.pi) * _HUES) % _HUES


def _check_picture(picture: Picture) -> None:
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
        raise ValueError(
            f"picture must be uint8[rows, cols, 3], got {picture.dtype}{list(picture.shape)}"
        )
