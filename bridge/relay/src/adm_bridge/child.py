"""The ROS 1 half as a process of the relay, in the environment of ROS 1."""

from __future__ import annotations

import os
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

HALF = Path(__file__).parent / "ros1" / "half.py"
#: Another node has taken the name of the bridge: see ros1/half.py.
TAKEN = 3
_CARRIED = ("HOME", "USER", "LANG", "TERM", "TMPDIR", "ROS_MASTER_URI", "ROS_IP", "ROS_HOSTNAME")
_CARRIED_TOO = ("ROS_HOME", "ROS_LOG_DIR")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def environment(outer: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without a trace of ROS 2: both ROS have packages of the same names."""
    kept = {key: outer[key] for key in (*_CARRIED, *_CARRIED_TOO) if key in outer}
    return {"PATH": _PATH, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", **kept}


def command(address: tuple[str, int], python: str, setup: str = "") -> list[str]:
    """Return the command of a ROS 1 half; `setup` is a shell file to source first."""
    call = [python, str(HALF), f"{address[0]}:{address[1]}", "--once"]
    if not setup:
        return call
    return ["bash", "-c", f". {shlex.quote(setup)} && exec {shlex.join(call)}"]


class Child:
    """Keeps a ROS 1 half running: where it ends, it is started again.

    Parameters
    ----------
    command : list of str
    log : callable
        Gets lines for people.
    on_taken : callable
        Called once when another bridge has taken the name; no further half is started then.
    """

    def __init__(
        self, command: list[str], log: Callable[[str], None], on_taken: Callable[[], None]
    ) -> None:
        self._command, self._log, self._on_taken = command, log, on_taken
        self._open = True
        self.process: subprocess.Popen | None = None
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the half."""
        self._open = False
        if self.process is not None:
            self.process.terminate()
        self._thread.join(5.0)
        if self.process is not None and self.process.poll() is None:
            self.process.kill()

    def _keep(self) -> None:
        pause = 0.5
        while self._open:
            began = time.monotonic()
            self.process = subprocess.Popen(
                self._command, env=environment(os.environ), stdin=subprocess.DEVNULL
            )
            code = self.process.wait()
            if code == TAKEN:
                self._on_taken()
                return
            if self._open:
                self._log(f"the ROS 1 half ended with code {code}: starting it again")
                pause = 0.5 if time.monotonic() - began > 10 else min(2 * pause, 8.0)
                time.sleep(pause)
