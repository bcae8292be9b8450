"""The ROS 1 side: the master, names, types, md5 sums, latching, clocks."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator

from adm_bridge.check.report import FAIL, NOTE, OK, WARN, Finding, Report
from adm_bridge.check.tcpros import GraphError, Master, State
from adm_bridge.definitions import Definitions, UnknownTypeError
from adm_bridge.entries import BridgeConfig, Service, Topic

BRIDGE = "/ros_bridge"
#: Beyond this a stamp of one side means something else on the other, seconds.
OFFSET_S = 0.5


class Ros1Check:
    """Look at a ROS 1 graph through its master.

    Parameters
    ----------
    config : BridgeConfig
    definitions : Definitions
    master : Master
    seconds : float
        How long to wait for stamped messages.
    """

    def __init__(
        self, config: BridgeConfig, definitions: Definitions, master: Master, seconds: float
    ) -> None:
        self._config, self._definitions = config, definitions
        self._master, self._seconds = master, seconds
        self._delays: list[float] = []

    def run(self) -> Report:
        """Return everything that was found."""
        try:
            state = self._master.state()
        except GraphError as err:
            text = f"the master does not answer ({err}); is ROS_MASTER_URI right?"
            return Report((Finding(FAIL, "ros1", self._master.uri, text),))
        findings = [_ok(self._master.uri, "the master answers"), *self._settings(state)]
        findings += self._nodes(state)
        for topic in self._config.topics:
            findings += self._topic(topic, state)
        for service in self._config.services_2_to_1:
            findings += self._service(service, state)
        findings += self._clock()
        return Report(tuple(findings), min(self._delays, default=None))

    def _settings(self, state: State) -> Iterator[Finding]:
        if not any(BRIDGE in nodes for nodes in state.subscribers.values()):
            yield _find(WARN, BRIDGE, "no bridge is running")
        if self._master.parameter("/use_sim_time"):
            yield _find(FAIL, "/use_sim_time", "is set; the bridge knows no simulated time")
        loaded = self._master.parameter("/topics")
        if loaded is None:
            text = "not on the master: ros1_bridge needs `rosparam load` first, the relay does not"
            yield _find(NOTE, "/topics", text)
        elif {(item.get("topic"), item.get("type")) for item in loaded} != {
            (item.name, item.type) for item in self._config.topics
        }:
            yield _find(WARN, "/topics", "what is loaded on the master is not this bridge file")

    # -- nodes ----------------------------------------------------------------------------------

    def _nodes(self, state: State) -> Iterator[Finding]:
        names = {item.name for item in self._config.topics}
        for node in sorted(_nodes_of(names, (state.publishers, state.subscribers))):
            try:
                host, port = self._master.node_address(node)
                socket.getaddrinfo(host, port)
                socket.create_connection((host, port), 2.0).close()
            except GraphError as err:
                yield _find(FAIL, node, f"the master does not know its address ({err})")
            except socket.gaierror:
                text = f"announces itself as {host!r}, which this machine cannot resolve: "
                yield _find(FAIL, node, text + "set ROS_IP there, or name it in /etc/hosts here")
            except ConnectionRefusedError:
                yield _find(WARN, node, "is registered but does not answer: `rosnode cleanup`?")
            except OSError as err:
                yield _find(FAIL, node, f"cannot be reached at {host}:{port} ({err})")

    # -- topics ---------------------------------------------------------------------------------

    def _topic(self, topic: Topic, state: State) -> Iterator[Finding]:
        publishers = [node for node in state.publishers.get(topic.name, []) if node != BRIDGE]
        subscribers = [node for node in state.subscribers.get(topic.name, []) if node != BRIDGE]
        if not publishers and not subscribers:
            yield self._nobody(topic.name, state)
            return
        try:
            expected = self._definitions.ros1(topic.type)
        except UnknownTypeError as err:
            yield _find(WARN, topic.name, f"cannot be compared: {err}")
            return
        kind = state.types.get(topic.name, expected.name)
        if kind not in (expected.name, "*"):
            text = f"is {kind} here and {topic.type} in the bridge file"
            yield _find(FAIL, topic.name, text)
            return
        problems = [
            finding
            for node in publishers
            for finding in self._publisher(topic, node, expected.md5, expected.has_header)
        ]
        yield from problems
        if not any(item.level in (FAIL, WARN) for item in problems):
            yield _ok(topic.name, f"{len(publishers)} publishers, {len(subscribers)} subscribers")

    def _publisher(self, topic: Topic, node: str, md5: str, has_header: bool) -> Iterator[Finding]:
        try:
            stream = self._master.subscribe(node, topic.name)
        except GraphError as err:
            yield _find(WARN, topic.name, f"{node} does not let anybody subscribe ({err})")
            return
        header = stream.header
        latched = header.get("latching") == "1"
        if header.get("md5sum") != md5:
            text = f"md5 of {header.get('type')} at {node} is {header.get('md5sum')}, expected "
            yield _find(FAIL, topic.name, f"{text}{md5}: its package has another version there")
        if latched and topic.qos.durability != "transient_local":
            text = f"{node} latches, but the entry is volatile: late ROS 2 subscribers wait for "
            yield _find(NOTE, topic.name, text + "the next message")
        if has_header and not latched:
            delay = stream.stamp_delay(self._seconds / max(1, len(self._config.topics)))
            if delay is not None:
                self._delays.append(delay)
        stream.close()

    def _nobody(self, name: str, state: State) -> Finding:
        known = {*state.publishers, *state.subscribers}
        others = sorted(other for other in known if other != name and other.endswith(name))
        if others:
            text = f"nobody here; but there is {', '.join(others)}: another namespace?"
            return _find(WARN, name, text)
        return _find(NOTE, name, "nobody publishes or subscribes here")

    # -- services -------------------------------------------------------------------------------

    def _service(self, service: Service, state: State) -> Iterator[Finding]:
        if service.name not in state.services:
            others = sorted(name for name in state.services if name.endswith(service.name))
            hint = f"; but there is {', '.join(others)}" if others else ""
            yield _find(NOTE, service.name, f"nobody serves it{hint}")
            return
        try:
            md5, _, _ = self._definitions.ros1_service(service.type)
            header = self._master.probe_service(service.name)
        except (GraphError, UnknownTypeError) as err:
            yield _find(FAIL, service.name, str(err))
            return
        if header.get("md5sum") != md5:
            text = f"md5 of {header.get('type')} is {header.get('md5sum')}, expected {md5}"
            yield _find(FAIL, service.name, text)
        else:
            yield _ok(service.name, f"served by {', '.join(state.services[service.name])}")

    # -- clocks ---------------------------------------------------------------------------------

    def _clock(self) -> Iterator[Finding]:
        if not self._delays:
            yield _find(NOTE, "clock", "no stamped message came, so the offset is unknown")
            return
        offset = min(self._delays)  # what remains over the true offset is the way of a message
        if abs(offset) > OFFSET_S:
            text = f"stamps are {offset:+.2f} s off this machine's clock: synchronise with chrony"
            yield _find(FAIL, "clock", text)
        else:
            yield _ok("clock", f"stamps are {offset:+.3f} s off this machine's clock")


def _nodes_of(names: set[str], tables: Iterable) -> set[str]:
    return {
        node for table in tables for name, nodes in table.items() if name in names for node in nodes
    }


def _find(level: str, subject: str, text: str) -> Finding:
    return Finding(level, "ros1", subject, text)


def _ok(subject: str, text: str) -> Finding:
    return _find(OK, subject, text)
