"""The ROS 2 side: installed types, the bridge's node, types and QoS of everybody's endpoints."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import rclpy
from rclpy.node import Node

from adm_bridge.check.report import FAIL, NOTE, OK, WARN, Finding, Report
from adm_bridge.definitions import Definitions, UnknownTypeError
from adm_bridge.entries import BridgeConfig, Topic
from adm_bridge.relay import NAME, find_class

_UNKNOWN = "_NODE_NAME_UNKNOWN"
_LATE_S = 15.0


class Ros2Check:
    """Look at a ROS 2 graph.

    Parameters
    ----------
    config : BridgeConfig
    definitions : Definitions
    seconds : float
        How long nothing new must turn up; after 15 s more the graph is taken as it is.
    """

    def __init__(self, config: BridgeConfig, definitions: Definitions, seconds: float) -> None:
        self._config, self._definitions, self._seconds = config, definitions, seconds

    def run(self) -> Report:
        """Return everything that was found."""
        context = rclpy.Context()
        rclpy.init(context=context)
        node = rclpy.create_node("adm_bridge_check", context=context)
        try:
            self._settle(node)
            return Report(tuple(self.look(node)))
        finally:
            node.destroy_node()
            context.try_shutdown()

    def _settle(self, node: Node) -> None:
        """Wait until nothing new turns up and everything that did has its node's name.

        Names come after endpoints, on a busy machine seconds later.
        """
        begin = quiet_since = time.monotonic()
        before: list = []
        while time.monotonic() - begin < self._seconds + _LATE_S:
            names = sorted(item.node_name for item in self._endpoints(node))
            if names != before or any(name.startswith(_UNKNOWN) for name in names):
                before, quiet_since = names, time.monotonic()
            elif time.monotonic() - quiet_since >= self._seconds:
                return
            time.sleep(0.1)

    def _endpoints(self, node: Node) -> Iterator[Any]:
        for topic in self._config.topics:
            yield from node.get_subscriptions_info_by_topic(topic.name)
            yield from node.get_publishers_info_by_topic(topic.name)

    def look(self, node: Node) -> Iterator[Finding]:
        """Yield what a node sees."""
        yield from self._bridge(node)
        for topic in self._config.topics:
            yield from self._topic(topic, node)
        for service in self._config.services_2_to_1:
            try:
                find_class(service.type.replace("/", "/srv/"))
            except UnknownTypeError as err:
                yield _find(FAIL, service.name, str(err))

    def _bridge(self, node: Node) -> Iterator[Finding]:
        count = sum(name == NAME for name, _ in node.get_node_names_and_namespaces())
        where = f"domain {os.environ.get('ROS_DOMAIN_ID', '0')}"
        reach = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
        if not count:
            text = f"no bridge is seen in {where}, discovery {reach}"
            yield _find(WARN, f"/{NAME}", text)
        elif count > 1:
            yield _find(FAIL, f"/{NAME}", f"{count} bridges in {where} feed each other's messages")
        else:
            yield _find(OK, f"/{NAME}", f"one bridge in {where}")

    def _topic(self, topic: Topic, node: Node) -> Iterator[Finding]:
        try:
            find_class(topic.type)
            self._definitions.ros1(topic.type)
        except UnknownTypeError as err:
            yield _find(FAIL, topic.name, str(err))
            return
        subscribers = _others(node.get_subscriptions_info_by_topic(topic.name))
        publishers = _others(node.get_publishers_info_by_topic(topic.name))
        problems = [*self._types(topic, subscribers + publishers), *self._qos(topic, subscribers)]
        for item in publishers:
            if item.qos_profile.durability.name == "TRANSIENT_LOCAL":
                text = f"{_name(item)} latches, but nothing is latched in ROS 1"
                problems.append(_find(NOTE, topic.name, text))
        yield from problems
        if not any(item.level == FAIL for item in problems):
            text = f"{len(publishers)} publishers, {len(subscribers)} subscribers"
            yield _find(OK, topic.name, text)

    def _types(self, topic: Topic, endpoints: list) -> Iterator[Finding]:
        for item in endpoints:
            if item.topic_type != topic.type:
                text = f"{_name(item)} has {item.topic_type}, the bridge file {topic.type}"
                yield _find(FAIL, topic.name, text)

    def _qos(self, topic: Topic, subscribers: list) -> Iterator[Finding]:
        """Yield subscribers that DDS will not connect to the bridge's publisher.

        (rclpy's own comparison takes the endless deadlines of the graph for demands.)
        """
        for item in subscribers:
            wanted = item.qos_profile
            for name, more, less in (
                (wanted.durability.name, "TRANSIENT_LOCAL", topic.qos.durability == "volatile"),
                (wanted.reliability.name, "RELIABLE", topic.qos.reliability == "best_effort"),
            ):
                if name == more and less:
                    text = f"{_name(item)} asks for {more.lower()}, which the entry does not offer"
                    yield _find(FAIL, topic.name, text + ": it will hear nothing")


def _others(endpoints: list) -> list[Any]:
    return [item for item in endpoints if item.node_name not in (NAME, "adm_bridge_check")]


def _name(item: Any) -> str:
    if item.node_name.startswith(_UNKNOWN):
        return "a node whose name has not arrived yet"
    return f"{item.node_namespace.rstrip('/')}/{item.node_name}"


def _find(level: str, subject: str, text: str) -> Finding:
    return Finding(level, "ros2", subject, text)
