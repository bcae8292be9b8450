"""What a pretended drone does wrong, on command."""

from __future__ import annotations

import fnmatch
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace

#: Kind to what its value means; those of the first group happen to a command.
COMMAND_KINDS = {
    "late": "the answer comes so many seconds later",
    "lost": "carried out, but the answer is lost",
    "dropped": "the command never arrives",
    "twice": "the answer comes twice",
    "error": "answered with the text, nothing is done",
    "garbled": "answered with bytes that are no text",
}
LASTING_KINDS = {
    "no_imu": "take-off is refused: error No valid imu",
    "no_state": "no state packets",
    "no_video": "streamon is answered, no picture comes",
    "link": "nothing passes from so many seconds after the first take-off on (0: from the start)",
    "battery": "percent at the start",
    "stop_video": "no picture from so many seconds after the first take-off on",
}


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes
    ----------
    kind : str
        One of COMMAND_KINDS or LASTING_KINDS.
    command : str
        Shell pattern of the commands that it happens to.
    value : float
        Seconds or percent, as the kind says.
    times : int
        How often it happens.
    length : float
        How long ``link`` lasts, seconds.
    text : str
        Answer of ``error``.
    """

    kind: str
    command: str = "*"
    value: float = 0.0
    times: int = 1
    length: float = float("inf")
    text: str = "error"

    def __post_init__(self) -> None:
        if self.kind not in {**COMMAND_KINDS, **LASTING_KINDS}:
            kinds = ", ".join([*COMMAND_KINDS, *LASTING_KINDS])
            raise ValueError(f"kind must be one of {kinds}, got {self.kind!r}")


def parse_fault(text: str) -> Fault:
    """Return the fault of ``kind:key=value:...``, as ``late:command=go *:value=9``."""
    kind, *rest = text.split(":")
    fault = Fault(kind)
    for item in rest:
        key, found, value = item.partition("=")
        if not found or key not in ("command", "value", "times", "length", "text"):
            raise ValueError(f"fault must be like late:command=go *:value=9, got {text!r}")
        number = {"value": float, "length": float, "times": int}.get(key, str)
        fault = replace(fault, **{key: number(value)})
    return fault


class Faults:
    """Faults that are still to come."""

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self._faults = list(faults)
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> None:
        """Let another one happen."""
        with self._lock:
            self._faults.append(fault)

    def lasting(self, kind: str) -> Fault | None:
        """Return the lasting fault of a kind, or None."""
        with self._lock:
            return next((item for item in self._faults if item.kind == kind), None)

    def of_command(self, command: str) -> Fault | None:
        """Return what happens to a command, and count it."""
        with self._lock:
            for index, item in enumerate(self._faults):
                if item.kind in COMMAND_KINDS and fnmatch.fnmatch(command, item.command):
                    left = item.times - 1
                    self._faults[index : index + 1] = [replace(item, times=left)] if left else []
                    return item
        return None
