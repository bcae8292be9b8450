"""The nodes of a mission, in this process or in one process each."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.runner import SUPERVISED, Spinner, check_kernels

_STOP_S = 2.0

#: Gets the name of a node and how its process ended.
OnEnd = Callable[[str, str], None]


class Stack(Protocol):
    """Running nodes."""

    @property
    def pids(self) -> dict[str, int]:
        """Process of each node."""

    def stop(self) -> None:
        """End everything that was started; safe to repeat."""


class ComposedStack:
    """All nodes in this process, each with a thread: none waits for another's callbacks."""

    def __init__(self, names: Sequence[str], parameters: Path) -> None:
        check_kernels()
        self._nodes = [_node_class(name)(cli_args=_ros_args(parameters)) for name in names]
        self._spinners = [Spinner(node).start() for node in self._nodes]
        self._pids = dict.fromkeys(names, os.getpid())

    @property
    def pids(self) -> dict[str, int]:
        """This process, for each node."""
        return self._pids

    def stop(self) -> None:
        """Stop and destroy the nodes."""
        while self._spinners:
            self._spinners.pop().join()
        while self._nodes:
            node = self._nodes.pop()
            node.release()
            node.destroy_node()


class ProcessStack:
    """Each node in a process of its own, which ends with this one whatever happens to it.

    Parameters
    ----------
    names : sequence of str
        Nodes.
    parameters : path
        ROS parameter file.
    log_dir : path
        Where the nodes' output goes.
    on_end : callable
        Told when a process ends that was not asked to; called by a thread of this stack.
    """

    def __init__(
        self, names: Sequence[str], parameters: Path, log_dir: Path, on_end: OnEnd
    ) -> None:
        self._on_end = on_end
        self._stopping = False
        self._processes: dict[str, subprocess.Popen] = {}
        ours, self._lifeline = os.pipe()
        try:
            for name in names:
                self._processes[name] = _start(name, parameters, log_dir, ours)
        except BaseException:
            self.stop()
            raise
        finally:
            os.close(ours)
        for name, process in self._processes.items():
            threading.Thread(target=self._watch, args=(name, process), daemon=True).start()

    @property
    def pids(self) -> dict[str, int]:
        """Process of each node."""
        return {name: process.pid for name, process in self._processes.items()}

    def stop(self) -> None:
        """Let all processes end; kill what has not within two seconds."""
        if self._stopping:
            return
        self._stopping = True
        os.close(self._lifeline)
        deadline = time.monotonic() + _STOP_S
        for process in self._processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
        for process in self._processes.values():
            if process.poll() is None:  # hung or suspended
                process.kill()
                process.wait()

    def _watch(self, name: str, process: subprocess.Popen) -> None:
        code = process.wait()
        if not self._stopping:
            self._on_end(name, describe_end(code))


def describe_end(code: int) -> str:
    """Return how a process ended, from its return code."""
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"died (signal {-code}, {signal.Signals(-code).name})"
        return f"died (signal {-code})"
    return f"ended (exit code {code})"


def _start(name: str, parameters: Path, log_dir: Path, lifeline: int) -> subprocess.Popen:
    command = [sys.executable, "-m", f"adm_nodes.{name}", SUPERVISED, str(lifeline)]
    with (log_dir / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            command + _ros_args(parameters),
            pass_fds=(lifeline,),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def _node_class(name: str) -> Callable[..., AdmNode]:
    return getattr(importlib.import_module(f"adm_nodes.{name}"), f"{name.capitalize()}Node")


def _ros_args(parameters: Path) -> list[str]:
    return ["--ros-args", "--params-file", str(parameters)]
