"""djitellopy's UDP ports are fixed: whoever uses it for a test takes turns on this machine."""

from __future__ import annotations

import fcntl
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PORTS = (8889, 8890, 11111)
_LOCK = Path(tempfile.gettempdir()) / "adm_tello_ports.lock"
_POLL_S = 0.2


@contextmanager
def tello_ports(patience_s: float = 300.0) -> Iterator[None]:
    """Hold the right to the ports; waits for others who hold it, and until the ports are free.

    Raises
    ------
    TimeoutError
        If somebody who does not take turns keeps one of them for longer.
    """
    end = time.monotonic() + patience_s
    with _LOCK.open("w") as lock:
        while not _try(lock):
            _wait(end, f"{_LOCK} is held")
        while (taken := _taken()) is not None:
            _wait(end, f"UDP port {taken} is in use")
        yield


def _try(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _taken() -> int | None:
    """Return a port that somebody uses, or None."""
    for port in PORTS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(("", port))
            except OSError:
                return port
    return None


def _wait(end: float, why: str) -> None:
    if time.monotonic() > end:
        raise TimeoutError(why)
    time.sleep(_POLL_S)
