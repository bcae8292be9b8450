"""What goes wrong in a twin mission with faults: link, bridge, drone, localisation."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable

from adm_core.errors import MissionError

from adm_nodes.bringup.ros1_side import Ros1Side
from adm_nodes.bringup.surveys import Surveys

_LINK_S, _BRIDGE_S, _DRONE_S = 6.0, 3.0, 15.0
_RESET_S = 4.0


class Faults:
    """Lets things go wrong one after the other, in a thread of its own.

    Parameters
    ----------
    side : Ros1Side
        Robot and bridge.
    surveys : Surveys
        The drone's operator.
    say : callable
        Gets a line about each fault.

    Attributes
    ----------
    done : list of str
        What went wrong.
    """

    def __init__(self, side: Ros1Side, surveys: Surveys, say: Callable[[str], None]) -> None:
        self._side, self._surveys, self._say = side, surveys, say
        self._stopping = threading.Event()
        self.done: list[str] = []
        #: Seconds after the mission has begun, and what happens then.
        self._plan = (
            (12.0, "the drone is told to land", self._land),
            (30.0, f"the link is down for {_LINK_S:g} s", self._lose_link),
            (60.0, "the localisation is reset", self._reset_map),
            (95.0, f"the bridge is restarted after {_BRIDGE_S:g} s", self._restart_bridge),
            (130.0, f"the link is down for {_LINK_S:g} s", self._lose_link),
        )
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Begin to count the seconds."""
        self._thread.start()

    def stop(self) -> None:
        """Let nothing more go wrong, and mend what is broken."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(30.0)

    def _work(self) -> None:
        now = 0.0
        for at, text, action in self._plan:
            if self._stopping.wait(at - now):
                return
            now = at
            self._say(f"fault: {text}")
            self.done.append(text)
            try:
                action()
            except MissionError as err:
                self._say(f"fault: {err}")

    def _land(self) -> None:
        self._surveys.land(_DRONE_S)

    def _lose_link(self) -> None:
        """Stop both halves of the bridge: nothing passes, no connection breaks."""
        self._side.signal_bridge(signal.SIGSTOP)
        self._stopping.wait(_LINK_S)
        self._side.signal_bridge(signal.SIGCONT)

    def _restart_bridge(self) -> None:
        self._side.stop_bridge()
        self._stopping.wait(_BRIDGE_S)
        self._side.start_bridge()

    def _reset_map(self) -> None:
        """Reset until it is done: the way there is best-effort."""
        before = self._resets()
        while self._resets() == before and not self._stopping.is_set():
            self._surveys.reset_map()
            self._stopping.wait(_RESET_S)

    def _resets(self) -> int:
        try:
            return int(json.loads(self._side.truth.read_text("utf-8"))["resets"])
        except (OSError, ValueError, KeyError):
            return -1
