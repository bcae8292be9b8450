"""Limits and watchdog of the base: the vendor's driver obeys the last velocity for ever."""

from __future__ import division

import math


class VelocityGuard(object):
    """Limit velocities, and stop the base when commands cease.

    Parameters
    ----------
    limits : sequence of float
        Largest forward, sideways and turning speed, m/s, m/s, rad/s.
    silence_s : float
        After this time without a command the base is stopped.
    """

    def __init__(self, limits, silence_s):
        self._limits = tuple(limits)
        self._silence_s = silence_s
        self._last = None  # when the last command came
        self._moving = False
        self.stops = 0

    def command(self, wanted, now):
        """Return the velocity for a wanted one: limited, or zero if it is no number."""
        self._last = now
        if not all(_is_finite(item) for item in wanted):
            wanted = (0.0, 0.0, 0.0)
        forward, sideways, turn = (
            max(-limit, min(limit, item)) for item, limit in zip(wanted, self._limits)
        )
        self._moving = any(item != 0.0 for item in (forward, sideways, turn))
        return forward, sideways, turn

    def check(self, now):
        """Tell whether the base has to be stopped now; call it at 10 Hz or more."""
        if not self._moving or self._last is None or now - self._last <= self._silence_s:
            return False
        self._moving = False
        self.stops += 1
        return True


def _is_finite(value):
    return not (math.isnan(value) or math.isinf(value))
