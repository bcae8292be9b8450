"""Telling one's own ROS 2 publications from those of others."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping

_KEPT = 256  # more than any subscription of the relay lags behind


class EchoGuard:
    """Recognise what the relay itself has published on a topic that it also listens to.

    rclpy has neither of ros1_bridge's two means (ignoring local publications, the publisher's
    gid). What it hands over with each message are the publisher's running number and the time of
    publication: a message is taken for an own one if it has the number of an own one and its time
    lies within the call that published that. Where the middleware gives no number, the time alone
    decides.
    """

    def __init__(self, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._now_ns = now_ns
        self._lock = threading.Lock()
        self._count = 0
        self._calls: deque[tuple[int, int, int]] = deque(maxlen=_KEPT)

    def publish(self, publish: Callable[[bytes], None], data: bytes) -> None:
        """Publish, and remember when."""
        with self._lock:
            self._count += 1
            begin = self._now_ns()
            publish(data)
            self._calls.append((self._count, begin, self._now_ns()))

    def is_own(self, info: Mapping[str, int]) -> bool:
        """Return whether a received message, by its info, was published here."""
        stamp, number = info["source_timestamp"], info.get("publication_sequence_number")
        with self._lock:
            return any(
                begin <= stamp <= end and number in (count, None)
                for count, begin, end in reversed(self._calls)
            )
