"""Has HECTOR begun anew? After a reset every pose in the map frame means another place."""

from __future__ import division

import math


class MapEpoch(object):
    """Counts how often the map was begun anew, from pose and map alone.

    Parameters
    ----------
    jump_m : float
        A pose that is farther from the last one than this belongs to another map.
    share : float
        A map that knows less than this share of the cells that it knew has been begun anew.
    """

    def __init__(self, jump_m, share):
        self._jump_m = jump_m
        self._share = share
        self._pose = None
        self._known = 0
        self._size = None
        self.number = 1

    def on_pose(self, x, y):
        """Take a pose in; return whether the epoch has changed."""
        before, self._pose = self._pose, (x, y)
        if before is None or math.hypot(x - before[0], y - before[1]) <= self._jump_m:
            return False
        self._begin()
        return True

    def on_map(self, size, known):
        """Take a map in: its size and how many cells it knows; return whether it is another."""
        before, self._size = self._size, size
        anew = before not in (None, size) or known < self._share * self._known
        if anew:
            self._begin()
        self._known = max(known, self._known)
        return anew

    def on_reset(self):
        """Note that a reset was asked for."""
        self._begin()
        return True

    def _begin(self):
        self.number += 1
        self._known = 0
