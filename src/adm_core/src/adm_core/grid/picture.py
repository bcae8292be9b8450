"""Pictures of maps, drawn with OpenCV.

:class:`MapPicture` is the plain picture with a way to turn metres into pixels, for others to
draw on; :func:`framed` puts a title above and a scale bar and a legend below it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from adm_core.types import GridMap

#: uint8[height, width, 3]
Image = npt.NDArray[Any]
#: Colours are BGR, as OpenCV has them.
Colour = tuple[int, int, int]

FREE: Colour = (255, 255, 255)
OCCUPIED: Colour = (64, 50, 40)
UNKNOWN: Colour = (218, 212, 208)
REGION: Colour = (208, 232, 196)
#: Tints of cells by number: 1 is the region, the last is furniture, the others tell rooms apart.
TINTS: tuple[Colour, ...] = (
    REGION,
    (236, 236, 232),
    (240, 224, 200),
    (214, 214, 246),
    (232, 240, 208),
    (204, 234, 250),
    (244, 236, 206),
    (222, 214, 238),
    (246, 218, 226),
    (206, 222, 228),
    (170, 164, 160),
)
PAPER: Colour = (250, 248, 247)
INK: Colour = (56, 48, 44)
FAINT: Colour = (140, 130, 124)
X_AXIS: Colour = (60, 60, 214)
Y_AXIS: Colour = (70, 158, 52)

_AREA = cv2.INTER_AREA
_FONT = cv2.FONT_HERSHEY_SIMPLEX
#: Bits behind the binary point of OpenCV's drawing coordinates.
_SHIFT = 4


def _palette() -> Image:
    """Return the colour of each byte of an occupancy grid, and of the tints behind 100."""
    blend = np.linspace(0.0, 1.0, 101)[:, None]
    table = np.empty((256, 3), np.uint8)
    table[:] = UNKNOWN
    table[:101] = np.rint((1 - blend) * FREE + blend * OCCUPIED)
    table[101 : 101 + len(TINTS)] = TINTS
    return table[:, None]


_PALETTE = _palette()


class MapPicture:
    """A map as an image, north (the grid's y axis) up.

    Parameters
    ----------
    grid_map : GridMap
        The map to draw. Only the part that is known is shown, with a margin.
    tints : bool or uint8 [rows, cols], optional
        Tint of each cell, 1 and up as in ``TINTS``; 0 or False leaves the map's colour.
    longest_px : int
        Length of the picture's longer side.

    Attributes
    ----------
    image : uint8[height, width, 3]
        The picture, BGR; draw on it.
    px_per_m : float
        Scale.
    """

    def __init__(
        self,
        grid_map: GridMap,
        tints: npt.NDArray[Any] | None = None,
        longest_px: int = 1400,
    ) -> None:
        self.grid_map = grid_map
        self._rows, self._cols = _known_window(grid_map.data)
        window = grid_map.data[self._rows, self._cols]
        # Upside down from here on: row 0 of a picture is at its top.
        shown = None if tints is None else tints[self._rows, self._cols][::-1]
        self.image, self._scale = _render(window[::-1], shown, longest_px)
        self.px_per_m = self._scale / grid_map.resolution

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of point (x, y) of the map frame: right and down, in pixels."""
        origin = self.grid_map.origin
        dx, dy = x - origin.x, y - origin.y
        cos, sin = math.cos(origin.yaw), math.sin(origin.yaw)
        u = (cos * dx + sin * dy) / self.grid_map.resolution - self._cols.start
        v = (cos * dy - sin * dx) / self.grid_map.resolution - self._rows.start
        # A pixel's own coordinate is its centre, hence the half.
        return u * self._scale - 0.5, self.image.shape[0] - v * self._scale - 0.5

    def line(
        self, points: Sequence[tuple[float, float]], colour: Colour, thickness: int = 2
    ) -> None:
        """Draw a line through `points` of the map frame."""
        pixels = np.array([self.pixel(x, y) for x, y in points]).reshape(-1, 1, 2)
        fixed = np.rint(pixels * (1 << _SHIFT)).astype(np.int32)
        cv2.polylines(self.image, [fixed], False, colour, thickness, cv2.LINE_AA, _SHIFT)

    def dot(
        self, x: float, y: float, radius_px: float, colour: Colour, thickness: int = -1
    ) -> None:
        """Draw a disc, or a ring with a positive thickness, at a point of the map frame."""
        centre = tuple(round(value * (1 << _SHIFT)) for value in self.pixel(x, y))
        radius = round(radius_px * (1 << _SHIFT))
        cv2.circle(self.image, centre, radius, colour, thickness, cv2.LINE_AA, _SHIFT)

    def write(self, text: str, x: float, y: float, size: float = 0.5) -> None:
        """Write centred text at a point of the map frame."""
        (wide, high), _ = cv2.getTextSize(text, _FONT, size, 1)
        right, down = _fixed(self.pixel(x, y))
        _write(self.image, text, (right - wide // 2, down + high // 2), size, INK)

    def draw_axes(self, length_px: int = 46) -> None:
        """Draw the axes of the map frame at its origin, x red and y green, if it is in sight."""
        length = length_px / self.px_per_m
        start = _fixed(self.pixel(0.0, 0.0))
        for end, colour in (((length, 0.0), X_AXIS), ((0.0, length), Y_AXIS)):
            tip = _fixed(self.pixel(*end))
            cv2.arrowedLine(self.image, start, tip, PAPER, 7, cv2.LINE_AA, 0, 0.25)
            cv2.arrowedLine(self.image, start, tip, colour, 3, cv2.LINE_AA, 0, 0.25)
        cv2.circle(self.image, start, 6, PAPER, -1, cv2.LINE_AA)
        cv2.circle(self.image, start, 4, INK, -1, cv2.LINE_AA)

    def shows(self, x: float, y: float) -> bool:
        """Tell whether a point of the map frame lies in the picture."""
        right, down = self.pixel(x, y)
        return 0 <= right < self.image.shape[1] and 0 <= down < self.image.shape[0]


def framed(
    picture: MapPicture,
    title: str,
    subtitle: str,
    legend: Sequence[tuple[str, Colour]],
    min_width: int = 900,
) -> Image:
    """Return the picture with a title above it, and a scale bar and a legend below it."""
    margin, header, footer = 28, 92, 84
    height, width = picture.image.shape[:2]
    full_width = max(width + 2 * margin, min_width)
    page = np.full((header + height + footer, full_width, 3), PAPER, np.uint8)
    left = (full_width - width) // 2
    page[header : header + height, left : left + width] = picture.image
    corners = (left - 1, header - 1), (left + width, header + height)
    cv2.rectangle(page, *corners, FAINT, 1)
    _write(page, title, (margin, 44), 0.95, INK, 2)
    _write(page, subtitle, (margin, 74), 0.56, FAINT)
    baseline = header + height + 52
    end = _draw_scale_bar(page, picture.px_per_m, (margin, baseline), full_width // 4)
    _draw_legend(page, legend, (end + 44, baseline))
    return page


def legend_for(picture: MapPicture, region: str | None = None) -> list[tuple[str, Colour]]:
    """Return the legend of a plain map picture; `region` names the tint."""
    entries = [("free", FREE), ("occupied", OCCUPIED), ("unknown", UNKNOWN)]
    return entries if region is None else [*entries, (region, REGION)]


def _known_window(data: npt.NDArray[np.int8], margin_share: float = 0.03) -> tuple[slice, slice]:
    """Return the rows and columns of what is known, with a margin; all if nothing is known."""
    known = data >= 0
    window = []
    for axis, size in enumerate(data.shape):
        hits = np.flatnonzero(known.any(axis=1 - axis))
        if not hits.size:
            return slice(0, data.shape[0]), slice(0, data.shape[1])
        margin = 2 + round(margin_share * (hits[-1] - hits[0]))
        window.append(slice(max(0, int(hits[0]) - margin), min(size, int(hits[-1]) + 1 + margin)))
    return window[0], window[1]


def _colours(data: npt.NDArray[np.int8], tints: npt.NDArray[Any] | None) -> Image:
    """Return one pixel per cell; between free and occupied the colours blend."""
    codes = np.ascontiguousarray(data).view(np.uint8)
    if tints is not None:
        number = tints.astype(np.uint8)
        codes = np.where(number > 0, 100 + number, codes)
    return cv2.applyColorMap(codes, _PALETTE)


def _render(
    data: npt.NDArray[np.int8], tints: npt.NDArray[Any] | None, longest_px: int
) -> tuple[Image, float]:
    """Return the picture of cells and its pixels per cell; memory grows with the picture only."""
    rows, cols = data.shape
    scale = longest_px / max(rows, cols)
    size = max(1, round(cols * scale)), max(1, round(rows * scale))
    if scale < 0.5:
        return cv2.resize(_shrunk(data, tints, int(1 / scale)), size, interpolation=_AREA), scale
    # Whole cells first, so that edges stay sharp.
    factor = math.ceil(scale)
    image = _colours(data, tints).repeat(factor, axis=0).repeat(factor, axis=1)
    return cv2.resize(image, size, interpolation=_AREA), scale


def _shrunk(data: npt.NDArray[np.int8], tints: npt.NDArray[Any] | None, factor: int) -> Image:
    """Average squares of `factor` cells a side, a strip at a time."""
    rows, cols = data.shape
    strips = []
    for start in range(0, rows, 64 * factor):
        strip = slice(start, min(start + 64 * factor, rows))
        image = _colours(data[strip], None if tints is None else tints[strip])
        size = max(1, cols // factor), max(1, round(image.shape[0] / factor))
        strips.append(cv2.resize(image, size, interpolation=_AREA))
    return np.concatenate(strips)


def _fixed(point: tuple[float, float]) -> tuple[int, int]:
    # Far outside the picture OpenCV's integers would overflow.
    right, down = (round(min(max(value, -1e5), 1e5)) for value in point)
    return right, down


def _write(
    page: Image, text: str, at: tuple[int, int], size: float, colour: Colour, weight: int = 1
) -> int:
    """Write ASCII text with its baseline at `at` and return where it ends."""
    plain = text.encode("ascii", "replace").decode()
    cv2.putText(page, plain, at, _FONT, size, colour, weight, cv2.LINE_AA)
    return at[0] + cv2.getTextSize(plain, _FONT, size, weight)[0][0]


def nice_length(limit: float) -> float:
    """Return the largest of ..., 0.5, 1, 2, 5, 10, ... that is at most `limit` > 0."""
    power = 10.0 ** math.floor(math.log10(limit))
    return max(step * power for step in (1, 2, 5) if step * power <= limit * (1 + 1e-9))


def _draw_scale_bar(page: Image, px_per_m: float, at: tuple[int, int], limit_px: int) -> int:
    """Draw a bar of a round length and return where its text ends."""
    length = nice_length(limit_px / px_per_m)
    left, y = at
    right = left + round(length * px_per_m)
    cv2.rectangle(page, (left, y - 10), (right, y - 2), INK, -1)
    cv2.rectangle(page, ((left + right) // 2, y - 9), (right - 1, y - 3), PAPER, -1)
    return _write(page, f"{length:g} m", (right + 10, y), 0.56, INK)


def _draw_legend(page: Image, legend: Sequence[tuple[str, Any]], at: tuple[int, int]) -> None:
    x, y = at
    for text, colour in legend:
        cv2.rectangle(page, (x, y - 15), (x + 22, y + 3), colour, -1)
        cv2.rectangle(page, (x, y - 15), (x + 22, y + 3), FAINT, 1)
        x = _write(page, text, (x + 30, y), 0.56, INK) + 28
