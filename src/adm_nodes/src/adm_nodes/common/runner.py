"""The only main of the nodes: one node, one process, no traceback for what users cause."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable

import rclpy
from adm_core.errors import KernelImportError
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException, ShutdownException, SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from adm_core import _kernels
from adm_nodes.common.lifecycle import AdmNode, RCLError, loaded_kernels

#: Option of a supervised node: the read end of a pipe that closes when its parent ends.
SUPERVISED = "--supervised"
_GRACE_S = 3.0
#: Exit code of a node that another start would not help.
CANNOT_START = 2


class Spinner:
    """An executor for some nodes that can be stopped from another thread."""

    def __init__(self, *nodes: Node) -> None:
        self._executor = SingleThreadedExecutor(context=nodes[0].context)
        for node in nodes:
            self._executor.add_node(node)
        self._stopping = threading.Event()

    def add(self, node: Node) -> None:
        """Spin another node, too."""
        self._executor.add_node(node)

    def remove(self, node: Node) -> None:
        """Spin a node no more."""
        self._executor.remove_node(node)

    def spin(self) -> None:
        """Execute callbacks until stopped, whatever they raise."""
        while self._executor.context.ok() and not self._stopping.is_set():
            try:
                self._executor.spin_once()
            except (ExternalShutdownException, ShutdownException):
                break
            except Exception:  # one bad callback must not end the others
                get_logger("runner").error(traceback.format_exc())

    def start(self) -> Spinner:
        """Spin in a thread of its own; return self."""
        self._thread = threading.Thread(target=self.spin, daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Ask to stop spinning; safe from any thread."""
        if not self._stopping.is_set():
            self._stopping.set()
            self._executor.create_task(lambda: None)  # a mere wake-up would not end the wait

    def join(self) -> None:
        """Stop, and wait until the thread has ended; the nodes stay."""
        self.stop()
        self._thread.join(_GRACE_S)
        self.close()

    def close(self) -> None:
        """Let go of the nodes once spinning has ended."""
        self._stopping.set()
        self._executor.shutdown(timeout_sec=0)


def check_kernels() -> None:
    """Load all compiled kernels; refuse to run on their slow reference twins."""
    _kernels.load_all()
    slow = [name for name in loaded_kernels() if ".reference" in name]
    if slow:
        raise KernelImportError(f"reference kernels are for tests only: {', '.join(slow)}")


def main(make_node: Callable[[], AdmNode], argv: list[str] | None = None) -> int:
    """Run one node until it is interrupted; return the exit code."""
    args = list(sys.argv if argv is None else argv)
    supervisor = _take_supervisor(args)
    caught = _catch_signals(supervisor)
    try:
        check_kernels()
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        node = make_node()
    except (KernelImportError, ParameterException, RCLError) as err:
        print(f"cannot start: {err}", file=sys.stderr)
        rclpy.try_shutdown()
        return CANNOT_START
    spinner = Spinner(node)
    _stop_on(caught, spinner)
    try:
        spinner.spin()
    finally:
        node.release()  # before its executor ends: what stops may still hand work to it
        spinner.close()
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _take_supervisor(args: list[str]) -> int | None:
    if SUPERVISED not in args:
        return None
    place = args.index(SUPERVISED)
    descriptor = int(args[place + 1])
    del args[place : place + 2]
    return descriptor


def _catch_signals(supervisor: int | None) -> int:
    """Keep the signals that end a node, so that it is released before ROS ends.

    Returns the read end of a pipe that gets a byte per signal, whichever thread it hits. A
    supervised node leaves Ctrl-C to its supervisor, who ends the nodes in order.
    """
    caught, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGTERM, lambda *_: None)
    if supervisor is None:
        signal.signal(signal.SIGINT, lambda *_: None)
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=_watch, args=(supervisor,), daemon=True).start()
    return caught


def _watch(supervisor: int) -> None:
    """End this process when the other end of a pipe closes, however its owner ended."""
    os.read(supervisor, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _stop_on(caught: int, spinner: Spinner) -> None:
    def wait() -> None:
        number = os.read(caught, 1)[0]
        spinner.stop()
        threading.Event().wait(_GRACE_S)
        os._exit(128 + number)  # something hangs

    threading.Thread(target=wait, daemon=True).start()
