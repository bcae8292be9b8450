"""Watch: a mission's progress as lines of text, and its outcome as the exit code."""

from __future__ import annotations

import queue
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

import rclpy
from adm_core.missions.live_view import LiveView
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

import adm_interfaces.msg as msgs
from adm_nodes.common import conversions, qos
from adm_nodes.common.runner import Spinner


class Watch(Node):
    """Listen to a mission, from whatever moment on.

    Parameters
    ----------
    heard : queue
        Gets every message; None is never among them.

    Topics
    ------
    mission : Mission, mission_status : MissionStatus, mission_result : MissionResult, subscribed
    """

    def __init__(self, heard: queue.SimpleQueue[Any], **kwargs: Any) -> None:
        super().__init__("watch", **kwargs)
        self.create_subscription(msgs.Mission, "mission", heard.put, qos.LATCHED)
        self.create_subscription(msgs.MissionStatus, "mission_status", heard.put, qos.STATUS)
        self.create_subscription(msgs.MissionResult, "mission_result", heard.put, qos.LATCHED)


def follow(heard: queue.SimpleQueue[Any], stream: TextIO) -> int:
    """Print what is heard until the mission ends; return 0 if it was completed, else 1."""
    view: LiveView | None = None
    while True:
        message = heard.get()
        if isinstance(message, msgs.Mission) and view is None:
            mission = conversions.mission_from_msg(message)
            view = LiveView(stream, mission, time.monotonic, mission.goal)
        elif isinstance(message, msgs.MissionStatus) and view is not None:
            view.update(conversions.snapshot_from_msg(message))
        elif isinstance(message, msgs.MissionResult):
            print(_closing_line(message), file=stream, flush=True)
            return 0 if message.outcome == "completed" else 1
        stream.flush()


def _closing_line(result: msgs.MissionResult) -> str:
    detail = f" ({result.detail})" if result.detail else ""
    return (
        f"mission {result.outcome}{detail}: {result.delivered} delivered in {result.steps} steps "
        f"and {result.planner_calls} planning calls; decisions {result.decision_sha256[:16]}"
    )


def run_to_the_end(
    make: Callable[..., Node],
    follow: Callable[[queue.SimpleQueue[Any], TextIO], int],
    stream: TextIO,
) -> int:
    """Spin a node whose queue `follow` reads, until that returns; 130 if interrupted."""
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
    node = make(heard)
    spinner = Spinner(node).start()
    try:
        return follow(heard, stream)
    except KeyboardInterrupt:
        return 130
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        spinner.join()
        node.destroy_node()
        rclpy.try_shutdown()


def main() -> int:
    """Watch one mission to its end; 130 if interrupted."""
    return run_to_the_end(Watch, follow, sys.stdout)


if __name__ == "__main__":
    raise SystemExit(main())
