"""HECTOR SLAM's interface: a pose, and a map that grows by the lidar; both lost by a reset."""

import math
from collections import namedtuple

import numpy as np
from adm_core.types import Pose2D

#: Values that hector_mapping publishes.
UNKNOWN, FREE, OCCUPIED = -1, 0, 100

Grid = namedtuple("Grid", "data resolution origin")  # int8[rows, cols], metres, (x, y)


def compose(a, b):
    """Return pose `b`, given in the frame of pose `a`, in the frame in which `a` is given."""
    cos, sin = math.cos(a.yaw), math.sin(a.yaw)
    yaw = math.remainder(a.yaw + b.yaw, 2 * math.pi)
    return Pose2D(a.x + cos * b.x - sin * b.y, a.y + sin * b.x + cos * b.y, yaw)


def inverse(a):
    """Return the pose of the outer frame in the frame of `a`."""
    cos, sin = math.cos(a.yaw), math.sin(a.yaw)
    return Pose2D(-cos * a.x - sin * a.y, sin * a.x - cos * a.y, -a.yaw)


class Hector:
    """Localisation and map of one robot.

    The map's frame lies in the world where the robot was when mapping began. A mission is given
    in a frame that an operator has set with ``initialpose``; here that has happened at the start.

    Parameters
    ----------
    side_m, resolution : float
        Size of the square map and of its cells, metres.
    """

    def __init__(self, side_m=4.4, resolution=0.05):
        self.resolution = resolution
        self._cells = round(side_m / resolution)
        self._corner = -side_m / 2
        self._frame = Pose2D(0.0, 0.0, 0.0)  # of the map, in the world
        self.resets = 0
        self._clear()

    def _clear(self):
        self._odds = np.zeros((self._cells, self._cells), np.float32)

    # -- frames ---------------------------------------------------------------------------------

    def in_map(self, world):
        """Return a pose of the world in the map's frame."""
        return compose(inverse(self._frame), world)

    def in_world(self, pose):
        """Return a pose of the map's frame in the world."""
        return compose(self._frame, pose)

    def reset(self, world):
        """Forget map and pose: the robot, now at `world`, is the origin of a new map."""
        self._frame = world
        self.resets += 1
        self._clear()

    def set_pose(self, pose, world):
        """Let the robot, now at `world`, be at `pose` of the map; the map begins anew."""
        self._frame = compose(world, inverse(pose))
        self._clear()

    # -- map ------------------------------------------------------------------------------------

    def note_scan(self, ranges, pose):
        """Take in a scan, float64[rays] (inf: nothing), taken at `pose` of the map."""
        angles = pose.yaw + np.arange(len(ranges)) * (2 * math.pi / len(ranges))
        cos, sin = np.cos(angles), np.sin(angles)
        steps = np.arange(0.1, 5.0, 0.6 * self.resolution)
        reach = np.minimum(np.where(np.isfinite(ranges), ranges, 0.0), 5.0)
        clear = steps[None, :] < reach[:, None] - self.resolution
        rows, cols = self._index(
            (pose.x + cos[:, None] * steps)[clear], (pose.y + sin[:, None] * steps)[clear]
        )
        free = np.unique(rows * self._cells + cols)
        self._odds.ravel()[free] -= 0.4
        hit = np.isfinite(ranges)
        rows, cols = self._index(pose.x + cos[hit] * ranges[hit], pose.y + sin[hit] * ranges[hit])
        occupied = np.unique(rows * self._cells + cols)
        self._odds.ravel()[occupied] += 0.9
        np.clip(self._odds, -3.0, 3.0, out=self._odds)

    def _index(self, x, y):
        rows = np.floor((y - self._corner) / self.resolution).astype(np.intp)
        cols = np.floor((x - self._corner) / self.resolution).astype(np.intp)
        inside = (rows >= 0) & (rows < self._cells) & (cols >= 0) & (cols < self._cells)
        return rows[inside], cols[inside]

    def grid(self):
        """Return the map as hector_mapping publishes it."""
        data = np.full(self._odds.shape, UNKNOWN, np.int8)
        data[self._odds < -0.3] = FREE
        data[self._odds > 0.3] = OCCUPIED
        return Grid(data, self.resolution, (self._corner, self._corner))
