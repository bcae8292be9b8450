"""The polygon that the drone may not leave, and rows over it."""

from __future__ import division

import math


def distance_to_side(place, a, b):
    """Return the distance of a place to the segment a-b."""
    ax, ay, bx, by = a[0], a[1], b[0], b[1]
    length = (bx - ax) ** 2 + (by - ay) ** 2
    share = 0.0
    if length > 0:
        share = ((place[0] - ax) * (bx - ax) + (place[1] - ay) * (by - ay)) / length
        share = max(0.0, min(1.0, share))
    return math.hypot(ax + share * (bx - ax) - place[0], ay + share * (by - ay) - place[1])


class Fence(object):
    """A simple polygon, and a ceiling."""

    def __init__(self, corners, ceiling):
        if len(corners) < 3:
            raise ValueError("fence must have three corners or more, got %d" % len(corners))
        self.corners = [(float(x), float(y)) for x, y in corners]
        self.ceiling = float(ceiling)

    def sides(self):
        """Return the pairs of neighbouring corners."""
        return list(zip(self.corners, self.corners[1:] + self.corners[:1]))

    def clearance(self, place):
        """Return the distance to the fence; negative outside."""
        inside = False
        for (ax, ay), (bx, by) in self.sides():
            above = (ay > place[1]) != (by > place[1])
            if above and place[0] < ax + (place[1] - ay) / (by - ay) * (bx - ax):
                inside = not inside
        away = min(distance_to_side(place, a, b) for a, b in self.sides())
        return away if inside else -away

    def holds(self, start, end, margin):
        """Tell whether a leg keeps the margin; a start that is nearer may lead away."""
        least = min(margin, self.clearance(start))
        steps = max(1, int(math.hypot(end[0] - start[0], end[1] - start[1]) / 0.02))
        if least < 0 or self.clearance(end) < least - 1e-9:
            return False
        for i in range(1, steps):
            share = i / steps
            at = [start[k] + share * (end[k] - start[k]) for k in (0, 1)]
            if self.clearance(at) < least - 0.01:
                return False
        return True

    def rows(self, margin, gap):
        """Return way-points to and fro, at most `gap` apart, that keep the margin."""
        xs = [corner[0] for corner in self.corners]
        ys = [corner[1] for corner in self.corners]
        places = []
        for index, y in enumerate(spread(min(ys) + margin, max(ys) - margin, gap)):
            row = [(x, y) for x in spread(min(xs) + margin, max(xs) - margin, gap)]
            row = [place for place in row if self.clearance(place) >= margin - 1e-9]
            places += row[::-1] if index % 2 else row
        return places


def spread(first, last, gap):
    """Return positions from first to last, equally far apart, at most `gap`."""
    if last < first:
        return []
    count = int(math.ceil((last - first) / gap - 1e-9))
    if count == 0:
        return [(first + last) / 2]
    return [first + (last - first) * i / count for i in range(count + 1)]
