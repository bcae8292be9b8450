"""The only main of the nodes: one node, one process, no traceback for what users cause."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable

import rclpy
from adm_core.errors import KernelImportError
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException, ShutdownException, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.signals import SignalHandlerOptions

from adm_core import _kernels
from adm_nodes.common.lifecycle import AdmNode, loaded_kernels

#: Option of a supervised node: the read end of a pipe that closes when its parent ends.
SUPERVISED = "--supervised"
_GRACE_S = 3.0


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
    try:
        check_kernels()
    except KernelImportError as err:
        print(err, file=sys.stderr)
        return err.exit_code
    rclpy.init(args=args, signal_handler_options=_signals(supervisor))
    if supervisor is not None:
        _end_with(supervisor)
    try:
        node = make_node()
    except ParameterException as err:
        print(f"parameter refused: {err}", file=sys.stderr)
        rclpy.try_shutdown()
        return 2
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        spin(executor)
    finally:
        node.release()
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


def spin(executor: SingleThreadedExecutor) -> None:
    """Execute callbacks until shutdown, whatever they raise."""
    while executor.context.ok():
        try:
            executor.spin_once()
        except (KeyboardInterrupt, ExternalShutdownException, ShutdownException):
            return
        except rclpy_implementation.RCLError as err:  # a node keeps running after one bad call
            if executor.context.ok():
                rclpy.logging.get_logger("runner").error(str(err))


def _take_supervisor(args: list[str]) -> int | None:
    if SUPERVISED not in args:
        return None
    place = args.index(SUPERVISED)
    descriptor = int(args[place + 1])
    del args[place : place + 2]
    return descriptor


def _signals(supervisor: int | None) -> SignalHandlerOptions:
    """Leave Ctrl-C to the supervisor, who ends its nodes in order."""
    if supervisor is None:
        return SignalHandlerOptions.ALL
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return SignalHandlerOptions.SIGTERM


def _end_with(supervisor: int) -> None:
    """End this process when the other end of a pipe closes, however its owner ended."""

    def watch() -> None:
        os.read(supervisor, 1)
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(_GRACE_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
