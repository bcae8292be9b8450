"""Progress bar on a terminal, a line now and then elsewhere; no dependency."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

_WIDTH = 30
_EVERY_S = 0.1


class ProgressBar:
    """Shows how many episodes are done and how long the rest will take.

    Parameters
    ----------
    stream : text stream
        Where to draw; not a terminal: nothing but the last state is written.
    clock : callable
        Monotonic seconds.
    label : str
        What is being done.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float], label: str) -> None:
        self._stream = stream
        self._clock = clock
        self._label = label
        self._start = clock()
        self._first: int | None = None
        self._drawn_at = float("-inf")

    def __call__(self, done: int, total: int) -> None:
        """Show the state."""
        now = self._clock()
        if self._first is None:
            self._first = done - 1  # what was there before does not count for the speed
        finished = done >= total
        if not finished and (not self._stream.isatty() or now - self._drawn_at < _EVERY_S):
            return
        self._drawn_at = now
        self._draw(done, total, now - self._start)

    def _draw(self, done: int, total: int, elapsed_s: float) -> None:
        filled = _WIDTH * done // total
        left_s = elapsed_s / max(done - (self._first or 0), 1) * (total - done)
        timing = f"{elapsed_s:.0f} s" if done >= total else f"{left_s:.0f} s left"
        line = f"{self._label} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total} {timing}"
        end = "\n" if done >= total else ""
        start = "\r\x1b[K" if self._stream.isatty() else ""
        self._stream.write(start + line + end)
        self._stream.flush()
