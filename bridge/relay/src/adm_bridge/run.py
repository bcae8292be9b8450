"""``adm bridge relay``: both halves together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import rclpy
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from adm_bridge import child, counters
from adm_bridge.definitions import Definitions
from adm_bridge.entries import BridgeConfig
from adm_bridge.pairs import Pairs
from adm_bridge.ports import NoAnswerError
from adm_bridge.relay import NAME, Relay

_ADVICE = (
    "this is adm's relay, not ros1_bridge: it stands in where ros1_bridge cannot be built; "
    "same file, same rules, one more copy of every message"
)


@dataclass(frozen=True)
class Options:
    """How the halves find each other."""

    listen: tuple[str, int] = ("127.0.0.1", 0)
    spawn: bool = True  # start the ROS 1 half here; else it is started by hand on another machine
    ros1_python: str = "/usr/bin/python3"
    ros1_setup: str = ""
    stats_s: float = 0.0  # seconds between tables of statistics; 0 for none


def share(package: str) -> str:
    """Return the share folder of an installed ROS 2 package; LookupError if there is none."""
    try:
        return str(get_package_share_directory(package))
    except (PackageNotFoundError, ValueError) as err:
        raise LookupError(package) from err


def run_relay(config: BridgeConfig, pairs: Pairs, options: Options, say: Callable) -> int:
    """Relay until interrupted: 0 then, 1 if another bridge took the place of this one."""
    rclpy.init()
    node, half, taken = Node(NAME, use_global_arguments=False), None, threading.Event()
    try:
        node.get_logger().info(_ADVICE)
        relay = Relay(node, config, Definitions(pairs, share), options.listen)
        if options.spawn:
            half = child.Child(
                child.command(relay.address, options.ros1_python, options.ros1_setup),
                node.get_logger().warning,
                taken.set,
            )
        say(f"listening at {relay.address[0]}:{relay.address[1]} for the ROS 1 half")
        spin(node, taken, Reporter(relay, options.stats_s, say))
        relay.close()
    finally:
        if half is not None:
            half.close()
        node.destroy_node()
        rclpy.try_shutdown()
    if taken.is_set():
        say("another node called /ros_bridge has taken this one's place: the relay ends")
    return 1 if taken.is_set() else 0


def spin(node: Node, until: threading.Event, tick: Callable[[], None]) -> None:
    """Execute the node's callbacks until an event or an interrupt."""
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    while node.context.ok() and not until.is_set():
        try:
            executor.spin_once(timeout_sec=0.5)
            tick()
        except NoAnswerError as err:
            node.get_logger().error(str(err))
        except (KeyboardInterrupt, ExternalShutdownException):
            break


class Reporter:
    """Writes a table of statistics every so many seconds."""

    def __init__(self, relay: Relay, period_s: float, say: Callable[[str], None]) -> None:
        self._relay, self._period_s, self._say = relay, period_s, say
        self._last = time.monotonic()
        self._before: dict[str, tuple] = {}

    def __call__(self) -> None:
        """Write a table if it is time for one."""
        passed = time.monotonic() - self._last
        if not self._period_s or passed < self._period_s:
            return
        statistics = self._relay.statistics()
        self._say(counters.table(statistics, self._before, passed))
        self._before = counters.snapshot(statistics)
        self._last = time.monotonic()
