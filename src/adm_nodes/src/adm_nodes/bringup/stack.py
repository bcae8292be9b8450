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

from adm_nodes.bringup.spec import NodeSpec, paths, ros_args
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.runner import SUPERVISED, Spinner, check_kernels

_STOP_S = 2.0

#: Gets the path of a node and how its process ended.
OnEnd = Callable[[str, str], None]


class Stack(Protocol):
    """Running nodes, known by their paths (``world``, ``robot_2/explorer``)."""

    @property
    def pids(self) -> dict[str, int]:
        """Process of each node."""

    def restart(self, path: str) -> int:
        """Start a node again whose process has ended; return the new process, 0 if it cannot."""

    def stop(self) -> None:
        """End everything that was started; safe to repeat."""


class ComposedStack:
    """All nodes in this process, each with a thread: none waits for another's callbacks."""

    def __init__(self, specs: Sequence[NodeSpec], parameters: Path) -> None:
        check_kernels()
        self._pids = dict.fromkeys(paths(specs), os.getpid())
        self._nodes: list[AdmNode] = []
        self._spinners: list[Spinner] = []
        try:
            for spec in specs:
                self._nodes.append(load_class(spec)(cli_args=ros_args(spec, parameters)))
        except BaseException:
            self.stop()
            raise
        self._spinners += [Spinner(node).start() for node in self._nodes]

    @property
    def pids(self) -> dict[str, int]:
        """This process, for each node."""
        return dict(self._pids)

    def restart(self, path: str) -> int:
        """Start nothing: a node cannot die without this process."""
        return 0

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
    specs : sequence of NodeSpec
        Nodes.
    parameters : path
        ROS parameter file.
    log_dir : path
        Where the nodes' output goes.
    on_end : callable
        Told when a process ends that was not asked to; called by a thread of this stack.
    """

    def __init__(
        self, specs: Sequence[NodeSpec], parameters: Path, log_dir: Path, on_end: OnEnd
    ) -> None:
        self._specs = dict(zip(paths(specs), specs, strict=True))
        self._parameters, self._log_dir, self._on_end = parameters, log_dir, on_end
        self._stopping = False
        self._changing = threading.Lock()
        self._processes: dict[str, subprocess.Popen] = {}
        self._theirs, self._lifeline = os.pipe()
        try:
            for path in self._specs:
                self._start(path)
        except BaseException:
            self.stop()
            raise

    @property
    def pids(self) -> dict[str, int]:
        """Process of each node."""
        return {path: process.pid for path, process in list(self._processes.items())}

    def restart(self, path: str) -> int:
        """Start a node again; return its process, 0 if it runs or all are being stopped."""
        with self._changing:
            if self._stopping or self._processes[path].poll() is None:
                return 0
            self._start(path)
            return self._processes[path].pid

    def stop(self) -> None:
        """Let all processes end; kill what has not within two seconds."""
        with self._changing:
            if self._stopping:
                return
            self._stopping = True
        os.close(self._lifeline)
        os.close(self._theirs)
        deadline = time.monotonic() + _STOP_S
        for process in self._processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
        for process in self._processes.values():
            if process.poll() is None:  # hung or suspended
                process.kill()
                process.wait()

    def _start(self, path: str) -> None:
        spec = self._specs[path]
        command = [sys.executable, "-m", spec.module, SUPERVISED, str(self._theirs)]
        with (self._log_dir / f"{path.replace('/', '.')}.log").open("ab") as log:
            process = subprocess.Popen(
                [*command, *ros_args(spec, self._parameters), "--enclave", spec.enclave()],
                pass_fds=(self._theirs,),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._processes[path] = process
        threading.Thread(target=self._watch, args=(path, process), daemon=True).start()

    def _watch(self, path: str, process: subprocess.Popen) -> None:
        code = process.wait()
        if not self._stopping:
            self._on_end(path, describe_end(code))


def describe_end(code: int) -> str:
    """Return how a process ended, from its return code."""
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"died (signal {-code}, {signal.Signals(-code).name})"
        return f"died (signal {-code})"
    return f"ended (exit code {code})"


def load_class(spec: NodeSpec) -> Callable[..., AdmNode]:
    """Return the class of a node."""
    module, _, name = spec.target.partition(":")
    return getattr(importlib.import_module(module), name)
