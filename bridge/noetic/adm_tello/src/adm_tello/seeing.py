"""Containers in a picture, on the floor of the map."""

from __future__ import division

import math

import cv2
import numpy as np


class Eye(object):
    """A camera that looks ahead and down from a level drone.

    Places are (x, y) in the map; a pose is (x, y, z, heading). Angles in degrees.
    """

    def __init__(self, width, height, view, tilt, reach):
        self.width, self.height = width, height
        self.focal = width / 2 / math.tan(math.radians(view) / 2)
        self.tilt, self.reach = math.radians(tilt), reach

    def on_floor(self, pose, column, row, level=0.0):
        """Return where a pixel's ray meets a level plane; None if it does not within reach."""
        right = (column - (self.width - 1) / 2) / self.focal
        down = (row - (self.height - 1) / 2) / self.focal
        sin, cos = math.sin(self.tilt), math.cos(self.tilt)
        ahead, fall = cos - sin * down, -sin - cos * down
        if fall >= -1e-6:
            return None
        far = (level - pose[2]) / fall
        ahead, left = far * ahead, -far * right
        if far <= 0 or math.hypot(ahead, left) > self.reach:
            return None
        c, s = math.cos(pose[3]), math.sin(pose[3])
        return pose[0] + c * ahead - s * left, pose[1] + s * ahead + c * left

    def footprint(self, pose):
        """Return the corners of the floor in the picture; none if some are out of reach."""
        last = (self.width - 1, self.height - 1)
        spots = [(0, 0), (last[0], 0), last, (0, last[1])]
        corners = [self.on_floor(pose, column, row) for column, row in spots]
        return [] if None in corners else corners


def mask_of(hsv, ranges):
    """Return where a picture has one of the colours; a hue range may run through red."""
    found = np.zeros(hsv.shape[:2], np.uint8)
    for low, high in ranges:
        if low[0] <= high[0]:
            found |= cv2.inRange(hsv, tuple(low), tuple(high))
            continue
        found |= cv2.inRange(hsv, tuple(low), (179, high[1], high[2]))
        found |= cv2.inRange(hsv, (0, low[1], low[2]), tuple(high))
    return found


def find(picture, containers, min_area):
    """Return (class, column, row, cut) of every spot of a container's colour, in BGR."""
    hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
    rows, cols = hsv.shape[:2]
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
    spots = []
    for label in sorted(containers):
        mask = cv2.morphologyEx(mask_of(hsv, containers[label]["ranges"]), cv2.MORPH_OPEN, kernel)
        count, _, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=8)
        for index in range(1, count):
            left, top, width, height, area = [int(value) for value in stats[index]]
            if area >= min_area:
                cut = left == 0 or top == 0 or left + width == cols or top + height == rows
                spots.append((label, centres[index][0], centres[index][1], cut))
    return spots


def place_confidence(sigma, tolerance):
    """Return how likely a place with that standard deviation is right to a tolerance."""
    return 1.0 if sigma <= 0 else 1.0 - math.exp(-(tolerance**2) / (2 * sigma**2))
