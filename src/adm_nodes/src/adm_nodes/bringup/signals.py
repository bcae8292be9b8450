"""Signals that ask to end in order, as an exception."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn


class Signalled(BaseException):
    """A signal that asks to end in order."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def signals_raised() -> Iterator[Callable[[], object]]:
    """Turn SIGINT and SIGTERM into an exception; yields a function that makes them ignored."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None  # only the main thread gets signals
        return

    def raise_it(number: int, _: object) -> NoReturn:
        raise Signalled(number)

    before = [signal.signal(number, raise_it) for number in numbers]
    try:
        yield lambda: [signal.signal(number, signal.SIG_IGN) for number in numbers]
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
