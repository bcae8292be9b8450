"""The operator of a twin mission: lets the drone survey for as long as the mission lasts."""

from __future__ import annotations

import threading
import time

import rclpy
from adm_core.errors import MissionError
from std_msgs.msg import String

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.common import qos
from adm_nodes.common.client import ResendingClient
from adm_nodes.common.errors import StoppedError
from adm_nodes.common.runner import Spinner

_PAUSE_S, _LANDING_S = 5.0, 20.0
_IDLE = ("", "idle", "landed", "failed", "link_lost")


class Surveys:
    """Keeps a drone surveying, in a thread of its own; ROS must have been initialised."""

    def __init__(self) -> None:
        self._node = rclpy.create_node("drone_operator")
        self._node.count_message = lambda: None  # type: ignore[attr-defined]
        self._phase = ""
        self._node.create_subscription(
            msgs.DroneStatus, "drone_status", self._on_status, qos.STATUS
        )
        self._commands = self._node.create_publisher(String, "/syscommand", qos.COMMAND)
        self._pause_s = 0.0
        self._client = ResendingClient(self._node, srvs.FlyDrone, "fly_drone")
        self._spinner = Spinner(self._node)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.ordered = 0

    def start(self) -> None:
        """Begin to order surveys."""
        self._spinner.start()
        self._thread.start()

    def stop(self) -> None:
        """Order no more, let the drone land, and wait until it has; once."""
        if not self._stopping.is_set():
            self._stopping.set()
            self._await_landing()
        self._client.close()
        self._thread.join(5.0)
        self._spinner.join()
        self._node.destroy_node()

    def land(self, pause_s: float) -> None:
        """Order the drone down, and order no survey for a while."""
        self._pause_s = pause_s
        self._client.call_async(srvs.FlyDrone.Request(order="land"))

    def reset_map(self) -> None:
        """Reset the robot's localisation."""
        self._commands.publish(String(data="reset"))

    def _await_landing(self) -> None:
        if self._phase in _IDLE:
            return
        self._client.call_async(srvs.FlyDrone.Request(order="land"))
        ends = time.monotonic() + _LANDING_S
        while self._phase not in _IDLE and time.monotonic() < ends:
            time.sleep(0.1)

    def _on_status(self, message: msgs.DroneStatus) -> None:
        self._phase = message.phase

    def _work(self) -> None:
        while not self._stopping.is_set():
            if self._phase in _IDLE:
                try:
                    self._client.call(srvs.FlyDrone.Request(order="survey"))
                    self.ordered += 1
                except StoppedError:
                    return
                except MissionError as err:
                    self._node.get_logger().info(f"no survey: {err}")
            pause_s, self._pause_s = _PAUSE_S + self._pause_s, 0.0
            self._stopping.wait(pause_s)
