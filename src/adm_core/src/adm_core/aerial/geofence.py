"""The space that a drone may not leave."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from adm_core.memory.footprint import Footprint

Floats = npt.NDArray[np.float64]
Point = tuple[float, float]

_PUSHES = 16  # off one side after the other


@dataclass(frozen=True)
class Geofence:
    """Prism over a simple polygon of the map frame, from the floor to a ceiling.

    Attributes
    ----------
    corners : tuple of (float, float)
        Three or more corners in order, metres.
    ceiling_m : float
        Greatest height.
    """

    corners: tuple[Point, ...]
    ceiling_m: float
    _area: Footprint = field(init=False, repr=False, compare=False)
    _sides: tuple[Floats, Floats] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = np.asarray(self.corners, np.float64)
        if places.ndim != 2 or places.shape[0] < 3 or places.shape[1] != 2:
            raise ValueError(f"corners must be three or more points x, y, got {self.corners}")
        if not np.isfinite(places).all() or not np.isfinite(self.ceiling_m) or self.ceiling_m <= 0:
            raise ValueError("corners and ceiling_m must be finite, ceiling_m > 0")
        ends = np.roll(places, -1, axis=0)
        if _cross_each_other(places, ends):
            raise ValueError(f"corners must be those of a simple polygon, got {self.corners}")
        object.__setattr__(self, "_area", Footprint(corners=tuple(map(tuple, places.tolist()))))
        object.__setattr__(self, "_sides", (places, ends))

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Least and largest x, least and largest y."""
        (x0, y0), (x1, y1) = self._sides[0].min(axis=0), self._sides[0].max(axis=0)
        return float(x0), float(x1), float(y0), float(y1)

    def clearance(self, place: Point) -> float:
        """Return the distance to the fence, metres; negative outside."""
        away = float(_point_to_segments(np.asarray(place, np.float64), *self._sides).min())
        return away if self._area.covers(*place) else -away

    def contains(self, place: Point, height_m: float, margin_m: float = 0.0) -> bool:
        """Tell whether a place is inside and keeps a margin from the sides."""
        return height_m <= self.ceiling_m and self.clearance(place) >= margin_m

    def drawn_in(self, place: Point, margin_m: float) -> Point | None:
        """Return the place, moved off the fence until it keeps a margin; None if it cannot be.

        A place outside stays where it is not wanted: None.
        """
        spot = np.asarray(place, np.float64)
        for _ in range(_PUSHES):
            at = (float(spot[0]), float(spot[1]))
            short = margin_m - self.clearance(at)
            if short <= 1e-9:
                return at
            foot = _nearest_on_segments(spot, *self._sides)
            away = spot - foot
            length = float(np.linalg.norm(away))
            if length < 1e-9 or not self._area.covers(*at):
                return None
            spot = spot + away / length * (short + 1e-6)
        return None

    def holds(self, start: Point, end: Point, margin_m: float) -> bool:
        """Tell whether a straight leg keeps a margin from the fence.

        Where its start is nearer than that already, the leg may be as near, but no nearer,
        and a leg that touches the fence is none.
        """
        room = self.clearance(start)
        if room < 0 or self.clearance(end) < 0:
            return False
        clear = self._leg_clearance(start, end)
        return clear > 0 and clear >= min(margin_m, room) - 1e-9

    def _leg_clearance(self, start: Point, end: Point) -> float:
        """Return the least distance of a leg to the fence; 0 if it touches."""
        a, b = np.asarray(start, np.float64), np.asarray(end, np.float64)
        first, last = self._sides
        if _meets(a, b, first, last).any():
            return 0.0
        ends = [_point_to_segments(point, first, last).min() for point in (a, b)]
        corners = [_point_to_segments(corner, a[None], b[None])[0] for corner in first]
        return float(min(*ends, *corners))


def parse_corners(text: str) -> tuple[Point, ...]:
    """Return the corners of ``x,y x,y ...``; ValueError if it is something else."""
    corners = []
    for item in text.split():
        numbers = item.split(",")
        if len(numbers) != 2:
            raise ValueError(f"fence must be like 0,0 3,0 3,3, got {text!r}")
        corners.append((float(numbers[0]), float(numbers[1])))
    return tuple(corners)


def _feet(point: Floats, start: Floats, end: Floats) -> Floats:
    """Return the nearest point of every segment, float64[n, 2]."""
    along = end - start
    length = np.maximum((along**2).sum(axis=1), 1e-18)
    share = np.clip(((point - start) * along).sum(axis=1) / length, 0.0, 1.0)
    return start + share[:, None] * along


def _point_to_segments(point: Floats, start: Floats, end: Floats) -> Floats:
    return np.linalg.norm(_feet(point, start, end) - point, axis=1)


def _nearest_on_segments(point: Floats, start: Floats, end: Floats) -> Floats:
    feet = _feet(point, start, end)
    return feet[int(np.argmin(np.linalg.norm(feet - point, axis=1)))]


def _side(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return on which side of a-b the point c is, as the sign of a cross product."""
    return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (
        c[..., 0] - a[..., 0]
    )


def _meets(a: Floats, b: Floats, start: Floats, end: Floats) -> npt.NDArray[np.bool_]:
    """Tell which segments the segment a-b crosses properly."""
    apart = _side(a, b, start) * _side(a, b, end) < 0
    return apart & (_side(start, end, a) * _side(start, end, b) < 0)


def _cross_each_other(start: Floats, end: Floats) -> bool:
    return any(_meets(a, b, start, end).any() for a, b in zip(start, end, strict=True))
