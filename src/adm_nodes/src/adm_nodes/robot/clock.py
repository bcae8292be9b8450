"""The robot's clock, which nobody has set, against ours."""

from __future__ import annotations

from collections import deque

_BIN_S = 1.0


class RobotClock:
    """Stamps of a robot as times of this machine.

    The smallest difference between arrival and stamp in the last seconds is the clocks' offset and
    the least delay: what arrived later than that was under way for longer.

    Parameters
    ----------
    window_s : float
        How long a difference counts; clocks drift.
    """

    def __init__(self, window_s: float = 10.0) -> None:
        self._bins: deque[tuple[float, float]] = deque(maxlen=max(1, int(window_s / _BIN_S)))

    def local(self, stamp: float, now: float) -> float:
        """Return when something was measured, from the robot's stamp and its arrival `now`."""
        offset = now - stamp
        if not self._bins or now - self._bins[-1][0] >= _BIN_S:
            self._bins.append((now, offset))
        elif offset < self._bins[-1][1]:
            self._bins[-1] = (self._bins[-1][0], offset)
        return stamp + min(item[1] for item in self._bins)
