"""Topics and services of the ROS 2 half."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, cast

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSProfile,
    ReliabilityPolicy,
)
from rclpy.serialization import deserialize_message, serialize_message
from rclpy.task import Future
from rosbags.serde import SerdeError

from adm_bridge.counters import Counters
from adm_bridge.definitions import Converter
from adm_bridge.echo import EchoGuard
from adm_bridge.entries import Qos, Service, Topic
from adm_bridge.ros1 import wire


def publisher_qos(qos: Qos) -> QoSProfile:
    """Return the profile of the ROS 2 publisher of a topic."""
    profile = QoSProfile(
        history=HistoryPolicy[qos.history.upper()],
        depth=qos.depth,
        reliability=ReliabilityPolicy[qos.reliability.upper()],
        durability=DurabilityPolicy[qos.durability.upper()],
    )
    for name, seconds in (
        ("deadline", qos.deadline_s),
        ("lifespan", qos.lifespan_s),
        ("liveliness_lease_duration", qos.lease_s),
    ):
        if seconds is not None:
            setattr(profile, name, Duration(seconds=seconds))
    if qos.liveliness is not None:
        profile.liveliness = LivelinessPolicy[qos.liveliness]
    return profile


def subscription_qos(queue_size: int) -> QoSProfile:
    """Return the profile of every ROS 2 subscription: sensor data, whatever the file says."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=queue_size,
        reliability=ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.VOLATILE,
    )


class TopicPort:
    """One topic, both ways.

    Parameters
    ----------
    node : Node
    topic : Topic
    kind : type
        The ROS 2 message class.
    converter : Converter
    send : callable
        Hands a serialized ROS 1 message to the ROS 1 half; False if that is away.
    """

    def __init__(
        self,
        node: Node,
        topic: Topic,
        kind: Any,
        converter: Converter,
        send: Callable[[memoryview], bool],
    ) -> None:
        self.counters = Counters()
        self._name, self._converter, self._send = topic.name, converter, send
        self._log, self._guard = node.get_logger(), EchoGuard()
        self._keeps = topic.qos.durability == "transient_local"
        self._publisher = node.create_publisher(kind, topic.name, publisher_qos(topic.qos))
        self._subscription = node.create_subscription(
            kind,
            topic.name,
            cast(Any, self._hear),  # rclpy finds by itself that it takes the info, too
            subscription_qos(topic.queue_size),
            raw=True,
        )

    def take(self, payload: bytearray) -> None:
        """Publish a serialized ROS 1 message on the ROS 2 side."""
        if not self._keeps and self._publisher.get_subscription_count() <= 1:  # our own
            self.counters.unread += 1
            return
        try:
            data = bytes(self._converter.to_ros2(payload))
        except SerdeError as err:
            self._malformed("ROS 1", err)
            return
        self._guard.publish(self._publisher.publish, data)
        self.counters.to_ros2 += 1
        self.counters.bytes_to_ros2 += len(data)

    def _hear(self, data: bytes, info: dict) -> None:
        if self._guard.is_own(info):
            self.counters.echoes += 1
            return
        try:
            payload = self._converter.to_ros1(data)
        except SerdeError as err:
            self._malformed("ROS 2", err)
            return
        if self._send(payload):
            self.counters.to_ros1 += 1
            self.counters.bytes_to_ros1 += len(payload)
        else:
            self.counters.lost_link += 1

    def _malformed(self, side: str, err: SerdeError) -> None:
        self.counters.malformed += 1
        if self.counters.malformed == 1:
            self._log.error(f"{self._name}: a malformed message from {side}: {err}")


class NoAnswerError(Exception):
    """A ROS 1 server gave no answer; the ROS 2 client gets none either."""


class ServicePort:
    """A server that lives in ROS 1, offered to ROS 2.

    Parameters
    ----------
    node : Node
    service : Service
    kind : type
        The ROS 2 service class.
    request, response : Converter
    send : callable
        Hands a numbered call to the ROS 1 half; False if that is away.
    timeout_s : float
    """

    def __init__(
        self,
        node: Node,
        service: Service,
        kind: Any,
        converters: tuple[Converter, Converter],
        send: Callable[[bytes], bool],
        timeout_s: float,
    ) -> None:
        self._node, self._name, self._kind = node, service.name, kind
        self._request, self._response = converters
        self._send, self._timeout_s = send, timeout_s
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Future] = {}
        node.create_service(
            kind, service.name, self._serve, callback_group=ReentrantCallbackGroup()
        )

    async def _serve(self, request: Any, _: Any) -> Any:
        number, future = next(self._numbers), Future()
        self._waiting[number] = future
        body = self._request.to_ros1(serialize_message(request))
        timer = self._node.create_timer(
            self._timeout_s,
            lambda: self._finish(number, False, f"no answer within {self._timeout_s} s".encode()),
        )
        if not self._send(wire.pack_request(number, bytes(body))):
            self._finish(number, False, b"the ROS 1 half is away")
        try:
            success, data = await future
        finally:
            self._node.destroy_timer(timer)
        if not success:
            raise NoAnswerError(f"{self._name}: {bytes(data).decode('utf-8', 'replace')}")
        return deserialize_message(bytes(self._response.to_ros2(data)), self._kind.Response)

    def take(self, payload: bytearray) -> None:
        """Give a waiting call the answer of the ROS 1 half."""
        self._finish(*wire.unpack_answer(payload))

    def _finish(self, number: int, success: bool, data: bytes | bytearray) -> None:
        future = self._waiting.pop(number, None)
        if future is not None:
            future.set_result((success, data))
            if self._node.executor is not None:
                self._node.executor.wake()  # set from the reader's thread, which wakes nobody
