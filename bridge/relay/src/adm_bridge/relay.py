"""The ROS 2 half of the relay: a node called ros_bridge, and the connection to the ROS 1 half."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from adm_bridge import counters
from adm_bridge.definitions import Definitions, UnknownTypeError
from adm_bridge.entries import BridgeConfig, Topic
from adm_bridge.link import Link
from adm_bridge.ports import ServicePort, TopicPort
from adm_bridge.ros1 import wire

NAME = "ros_bridge"
_PERIOD_S = 1.0


class Relay:
    """Everything that a bridge file names, between this node and the ROS 1 half.

    Parameters
    ----------
    node : Node
        Named as parameter_bridge names its own.
    config : BridgeConfig
    definitions : Definitions
    address : (str, int)
        Where the ROS 1 half is expected; port 0 picks a free one.

    Raises
    ------
    UnknownTypeError
        If no entry at all can be bridged. An entry whose type is not installed is left out with an
        error in the log, as parameter_bridge does it.
    """

    def __init__(
        self,
        node: Node,
        config: BridgeConfig,
        definitions: Definitions,
        address: tuple[str, int] = ("127.0.0.1", 0),
    ) -> None:
        self._node, self._definitions = node, definitions
        self._ports: dict[int, TopicPort | ServicePort] = {}
        self.topics: dict[str, TopicPort] = {}
        self.master = "unknown"
        plan: dict[str, Any] = {"version": wire.VERSION, "topics": [], "services": []}
        depths: dict[int, int] = {}
        for number, topic in enumerate(config.topics):
            if self._try(self._add_topic, number, topic, plan):
                depths[number] = topic.queue_size
        for number, service in enumerate(config.services_2_to_1, len(config.topics)):
            self._try(self._add_service, number, service, plan, config.service_timeout_s)
        for service in config.services_1_to_2:
            self._error(f"{service.name}: the relay carries no services from ROS 1 to ROS 2")
        if not self._ports:
            raise UnknownTypeError("nothing to bridge: no type of the bridge file is installed")
        self._depths = depths
        self._link = Link(address, plan, depths, self._take, node.get_logger().info)
        self.address = self._link.address
        self._diagnostics = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        node.create_timer(_PERIOD_S, self._publish_statistics)

    @property
    def connected(self) -> bool:
        """Whether a ROS 1 half is there."""
        return self._link.connected

    def statistics(self) -> dict[str, counters.Counters]:
        """Return the counters of every topic by name."""
        dropped = self._link.dropped()
        for number in self._depths:
            port = self._ports[number]
            if isinstance(port, TopicPort):
                port.counters.dropped_to_ros1 = dropped[number]
        return {name: port.counters for name, port in self.topics.items()}

    def close(self) -> None:
        """Let the ROS 1 half go."""
        self._link.close()

    # -- building -------------------------------------------------------------------------------

    def _try(self, add: Any, number: int, entry: Any, *more: Any) -> bool:
        try:
            add(number, entry, *more)
        except UnknownTypeError as err:
            self._error(f"{entry.name} is not bridged: {err}")
            return False
        return True

    def _add_topic(self, number: int, topic: Topic, plan: dict) -> None:
        own = self._definitions.ros1(topic.type)
        port = TopicPort(
            self._node,
            topic,
            find_class(topic.type),
            self._definitions.converter(topic.type),
            lambda payload: self._link.send(number, payload),
        )
        self._ports[number] = self.topics[topic.name] = port
        plan["topics"].append(
            {
                "id": number,
                "name": topic.name,
                "type": own.name,
                "md5": own.md5,
                "definition": own.definition,
                "has_header": own.has_header,
                "queue_size": topic.queue_size,
            }
        )

    def _add_service(self, number: int, service: Any, plan: dict, timeout_s: float) -> None:
        _, request, response = self._definitions.ros1_service(service.type)
        self._ports[number] = ServicePort(
            self._node,
            service,
            find_class(service.type.replace("/", "/srv/")),
            (request, response),
            lambda payload: self._link.request(number, payload),
            timeout_s,
        )
        plan["services"].append({"id": number, "name": service.name, "type": service.type})

    # -- running --------------------------------------------------------------------------------

    def _take(self, kind: int, channel: int, payload: bytearray) -> None:
        if kind == wire.CONTROL:
            facts = wire.unpack_json(payload)
            self.master = facts["master"]
            for number, counts in facts["topics"].items():
                port = self._ports[int(number)]
                if isinstance(port, TopicPort):
                    port.counters.ros1 = counts
        else:
            self._ports[channel].take(payload)

    def _publish_statistics(self) -> None:
        array = DiagnosticArray(status=list(self._statuses()))
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._diagnostics.publish(array)

    def _statuses(self) -> Iterable[DiagnosticStatus]:
        if not self.connected:
            yield DiagnosticStatus(
                level=DiagnosticStatus.ERROR, name=NAME, message="the ROS 1 half is away"
            )
        elif self.master != "up":
            text = f"the ROS 1 master is {self.master}"
            yield DiagnosticStatus(level=DiagnosticStatus.ERROR, name=NAME, message=text)
        else:
            yield DiagnosticStatus(level=DiagnosticStatus.OK, name=NAME, message="both sides up")
        for name, item in self.statistics().items():
            facts = item.as_dict()
            problem = str(facts.get("ros1_problem", ""))
            yield DiagnosticStatus(
                level=DiagnosticStatus.WARN if problem or item.lost() else DiagnosticStatus.OK,
                name=f"{NAME}: {name}",
                message=problem or (f"{item.lost()} lost" if item.lost() else ""),
                values=[KeyValue(key=key, value=str(value)) for key, value in facts.items()],
            )

    def _error(self, text: str) -> None:
        self._node.get_logger().error(text)


def find_class(name: str) -> Any:
    """Return the Python class of ``pkg/msg/Name`` or ``pkg/srv/Name``, or UnknownTypeError."""
    package, folder, kind = name.split("/")
    try:
        return getattr(importlib.import_module(f"{package}.{folder}"), kind)
    except (ImportError, AttributeError) as err:
        raise UnknownTypeError(f"{name} is not installed on the ROS 2 side") from err
