"""Messages for a thread that decides: taken in by the spinning thread, read by the worker."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from adm_nodes.common.errors import StoppedError

#: Kept while nobody reads; what is lost beyond that is asked for again, or is said again.
_KEPT = 5000

Take = Callable[[Any], object]


class Mailbox:
    """Messages with who takes them, in order of arrival.

    Parameters
    ----------
    complain : callable
        Gets one line for each message that its taker refuses with ValueError.
    """

    def __init__(self, complain: Callable[[str], object]) -> None:
        self._complain = complain
        self._items: deque[tuple[Take, Any]] = deque(maxlen=_KEPT)
        self._changed = threading.Condition()
        self._closed = True

    def open(self) -> None:
        """Let :meth:`wait` wait."""
        with self._changed:
            self._closed = False

    def close(self) -> None:
        """End every wait with StoppedError; messages are still kept."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def put(self, take: Take, message: Any) -> None:
        """Leave a message."""
        with self._changed:
            self._items.append((take, message))
            self._changed.notify_all()

    def to(self, take: Take) -> Take:
        """Return a callback that leaves its message here, for `take`."""
        return lambda message: self.put(take, message)

    def wait(
        self,
        ready: Callable[[], bool],
        timeout_s: float | None = None,
        only: Sequence[Take] | None = None,
    ) -> bool:
        """Read messages until `ready` says so; tell whether it did within the time.

        With `only`, messages for other takers are left for later, in their order.

        Raises
        ------
        StoppedError
            The mailbox was closed.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            self._read(only)
            if ready():
                return True
            with self._changed:
                if self._closed:
                    raise StoppedError("mailbox")
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    return False
                if self._next(only) is None:
                    self._changed.wait(left)

    def _next(self, only: Sequence[Take] | None) -> int | None:
        wanted = (k for k, (take, _) in enumerate(self._items) if only is None or take in only)
        return next(wanted, None)

    def _read(self, only: Sequence[Take] | None) -> None:
        while True:
            with self._changed:
                if self._closed:
                    raise StoppedError("mailbox")
                place = self._next(only)
                if place is None:
                    return
                take, message = self._items[place]
                del self._items[place]
            try:
                take(message)
            except ValueError as err:
                self._complain(f"message refused: {err}")
