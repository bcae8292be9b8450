"""Where to fly so that a drone's pictures cover an area."""

from __future__ import annotations

import math

from adm_core.aerial.geofence import Geofence, Point

_SAMPLES = 200  # per row: where it enters and leaves the fence


def lawn_mower(fence: Geofence, margin_m: float, row_m: float, step_m: float) -> tuple[Point, ...]:
    """Return way-points along rows to and fro, so that every picture has its neighbour.

    Parameters
    ----------
    fence : Geofence
        What to survey; rows run along its longer side.
    margin_m : float
        Distance that way-points keep from the fence, metres.
    row_m, step_m : float
        Largest distance between rows, and between way-points of a row, metres, > 0.

    Returns
    -------
    tuple of (x, y)
        In order of flight; empty if the margin leaves no room.

    Notes
    -----
    O(rows * steps * corners). Rows of a fence that is not convex fall into pieces; a leg that
    would leave the fence between two of them is the pilot's to refuse.
    """
    for name, value in (("row_m", row_m), ("step_m", step_m)):
        if not value > 0:
            raise ValueError(f"{name} must be > 0, got {value}")
    x0, x1, y0, y1 = fence.box
    along_x = x1 - x0 >= y1 - y0
    across = (y0, y1) if along_x else (x0, x1)
    ends = (x0, x1) if along_x else (y0, y1)
    places: list[Point] = []
    for row in _spread(across[0] + margin_m, across[1] - margin_m, row_m):
        pieces = _inside(fence, margin_m, row, ends, along_x)
        line = [spot for piece in pieces for spot in _spread(*piece, step_m)]
        spots = [(at, row) if along_x else (row, at) for at in line]
        if places and spots and math.dist(places[-1], spots[-1]) < math.dist(places[-1], spots[0]):
            spots.reverse()
        places += spots
    return tuple(places)


def split_leg(start: Point, end: Point, max_leg_m: float, min_leg_m: float) -> tuple[Point, ...]:
    """Return the ends of equal parts of a leg, none longer than `max_leg_m`.

    A leg shorter than `min_leg_m` cannot be flown: the result is empty.
    """
    if not max_leg_m >= min_leg_m > 0:
        raise ValueError(f"max_leg_m must be >= min_leg_m > 0, got {max_leg_m}, {min_leg_m}")
    length = math.dist(start, end)
    if length < min_leg_m:
        return ()
    parts = max(1, math.ceil(length / max_leg_m - 1e-9))
    step = ((end[0] - start[0]) / parts, (end[1] - start[1]) / parts)
    return tuple((start[0] + i * step[0], start[1] + i * step[1]) for i in range(1, parts + 1))


def _spread(first: float, last: float, gap: float) -> list[float]:
    """Return positions from first to last, equally far apart, at most `gap`."""
    if last < first:
        return [(first + last) / 2] if last > first - gap else []
    count = math.ceil((last - first) / gap - 1e-9)
    if count == 0:
        return [(first + last) / 2]
    return [first + (last - first) * i / count for i in range(count + 1)]


def _inside(
    fence: Geofence, margin: float, row: float, ends: tuple[float, float], along_x: bool
) -> list[tuple[float, float]]:
    """Return the pieces of a row that keep the margin."""
    spots = [ends[0] + (ends[1] - ends[0]) * i / _SAMPLES for i in range(_SAMPLES + 1)]
    pieces: list[tuple[float, float]] = []
    begin = last = None
    for at in spots:
        if fence.clearance((at, row) if along_x else (row, at)) >= margin - 1e-9:
            begin = at if begin is None else begin
            last = at
        elif begin is not None and last is not None:
            pieces.append((begin, last))
            begin = None
    if begin is not None and last is not None:
        pieces.append((begin, last))
    return pieces
