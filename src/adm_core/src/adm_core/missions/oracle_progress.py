"""What is seen while the oracle measures the budget of a mission on a map."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from adm_core.planning.progress import Snapshot

_EVERY_S = 0.2


class OracleProgress:
    """Show the oracle's run on a terminal; say in one line that it runs elsewhere.

    Parameters
    ----------
    stream : text stream
        Where to write.
    clock : callable
        Monotonic seconds.
    total : int
        Containers to deliver.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float], total: int) -> None:
        self._stream = stream
        self._clock = clock
        self._total = total
        self._drawn_at: float | None = None
        self._open = False

    def __call__(self, snapshot: Snapshot) -> None:
        """Show a state of the oracle's run."""
        now = self._clock()
        if not self._stream.isatty():
            if self._drawn_at is None:
                self._say("measuring the step budget with the oracle method first ...\n")
                self._drawn_at = now
            return
        if self._drawn_at is not None and now - self._drawn_at < _EVERY_S:
            return
        self._drawn_at, self._open = now, True
        done = f"{snapshot.delivered}/{self._total} delivered"
        self._say(f"\r\x1b[Kmeasuring the step budget: oracle at step {snapshot.step}, {done}")

    def finish(self, budget_steps: int) -> None:
        """Say what came out, if anything was measured."""
        if self._drawn_at is not None:
            start = "\r\x1b[K" if self._open else ""
            self._say(f"{start}step budget {budget_steps}, from the oracle's run\n")

    def _say(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
