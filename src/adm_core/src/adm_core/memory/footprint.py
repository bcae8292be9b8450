"""What a report has looked at: the ground of negative evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Footprint:
    """Area that a sensor covered: a polygon if it has corners, else a disc.

    Attributes
    ----------
    x, y : float
        Centre of the disc in the map frame, metres.
    radius_m : float
        Its radius; infinite by default, which is the whole field.
    corners : tuple of (float, float)
        Three or more corners of a simple polygon in order, metres; the disc is then not used.
    """

    x: float = 0.0
    y: float = 0.0
    radius_m: float = math.inf
    corners: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if 0 < len(self.corners) < 3:
            raise ValueError(f"corners must be three or more, got {len(self.corners)}")
        if not self.radius_m >= 0:
            raise ValueError(f"radius_m must be >= 0, got {self.radius_m}")

    def covers(self, x: float, y: float) -> bool:
        """Tell whether a point of the map frame was looked at."""
        if self.corners:
            return self._encloses(x, y)
        return math.hypot(x - self.x, y - self.y) <= self.radius_m

    def _encloses(self, x: float, y: float) -> bool:
        """Count how often a ray to the right crosses the polygon's sides."""
        inside = False
        for (ax, ay), (bx, by) in pairwise((*self.corners, self.corners[0])):
            if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
                inside = not inside
        return inside


#: The sensor saw everything there is.
WHOLE_FIELD = Footprint()
