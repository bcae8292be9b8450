"""Processes that are no nodes of ours: started, watched, ended in reverse order, none left over."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from adm_core.errors import MissionError

_STOP_S = 8.0


class Children:
    """Processes, each the head of a group of its own, with a log each.

    Parameters
    ----------
    log_dir : path
        Where their output goes.
    """

    def __init__(self, log_dir: Path) -> None:
        self._log_dir = log_dir
        self._running: dict[str, subprocess.Popen] = {}

    def start(self, name: str, command: Sequence[str], env: Mapping[str, str]) -> None:
        """Start a process under a name."""
        with (self._log_dir / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                list(command),
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pids(self) -> dict[str, int]:
        """Process of each name."""
        return {name: process.pid for name, process in self._running.items()}

    def check(self) -> None:
        """Raise MissionError if one has ended by itself."""
        for name, process in self._running.items():
            if process.poll() is not None:
                log = self._log_dir / f"{name}.log"
                last = log.read_text("utf-8", "replace").strip().splitlines()[-1:]
                raise MissionError(f"{name} ended ({process.returncode}): {' '.join(last)}")

    def send(self, name: str, number: int) -> None:
        """Send a signal to a process and what it started; nothing if it is not there."""
        process = self._running.get(name)
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)

    def stop(self, name: str, number: int = signal.SIGINT) -> None:
        """End one process and what it started; kill what has not ended in time."""
        process = self._running.pop(name, None)
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_S)
        _kill_group(process.pid)
        process.wait()

    def stop_all(self) -> None:
        """End all, the last one first; safe to repeat."""
        for name in reversed(list(self._running)):
            self.stop(name)


def _kill_group(group: int) -> None:
    """Let whatever is left of a group end, and kill what does not."""
    deadline = time.monotonic() + 2.0
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGTERM)
        while time.monotonic() < deadline:
            os.killpg(group, 0)
            time.sleep(0.05)
        os.killpg(group, signal.SIGKILL)
