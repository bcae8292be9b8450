"""As much of ROS 1's protocols as a look at a graph needs: standard library only."""

from __future__ import annotations

import os
import socket
import struct
import time
import xmlrpc.client
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlparse

CALLER = "/adm_bridge_check"
_LENGTH = struct.Struct("<I")
_STAMPED = struct.Struct("<III")  # running number, seconds, nanoseconds of a Header


class GraphError(Exception):
    """Something of the graph does not answer, or answers with a refusal."""


class _Transport(xmlrpc.client.Transport):
    """HTTP that gives up after a while."""

    def __init__(self, timeout_s: float) -> None:
        super().__init__()
        self._timeout_s = timeout_s

    def make_connection(self, host: Any) -> Any:
        """Return a connection with a limit."""
        connection = super().make_connection(host)
        connection.timeout = self._timeout_s
        return connection


@dataclass(frozen=True)
class State:
    """Who publishes, subscribes and serves what."""

    publishers: Mapping[str, list[str]]
    subscribers: Mapping[str, list[str]]
    services: Mapping[str, list[str]]
    types: Mapping[str, str]


class Master:
    """A ROS 1 master, asked over XML-RPC.

    Parameters
    ----------
    uri : str
        As in ROS_MASTER_URI, which is the default.
    timeout_s : float
        For every single answer.
    """

    def __init__(self, uri: str = "", timeout_s: float = 3.0) -> None:
        self.uri = uri or os.environ.get("ROS_MASTER_URI", "http://localhost:11311")
        self._timeout_s = timeout_s
        self._proxy = self._connect(self.uri)

    def _connect(self, uri: str) -> Any:
        try:
            return xmlrpc.client.ServerProxy(uri, transport=_Transport(self._timeout_s))
        except (OSError, ValueError) as err:
            raise GraphError(f"{uri} is no address: {err}") from err

    def _call(self, proxy: Any, method: str, *arguments: Any) -> Any:
        try:
            code, text, value = getattr(proxy, method)(CALLER, *arguments)
        except (OSError, xmlrpc.client.Error, ValueError) as err:
            raise GraphError(str(err)) from err
        if code != 1:
            raise GraphError(text)
        return value

    def state(self) -> State:
        """Return the whole graph; GraphError if the master does not answer."""
        publishers, subscribers, services = self._call(self._proxy, "getSystemState")
        types = self._call(self._proxy, "getTopicTypes")
        return State(dict(publishers), dict(subscribers), dict(services), dict(types))

    def parameter(self, name: str) -> Any:
        """Return a parameter; None if it is not set."""
        try:
            return self._call(self._proxy, "getParam", name)
        except GraphError:
            return None

    def node_address(self, node: str) -> tuple[str, int]:
        """Return host and port of a node, as it announces them."""
        return _address(self._call(self._proxy, "lookupNode", node))

    def service_address(self, service: str) -> tuple[str, int]:
        """Return host and port of a server, as it announces them."""
        return _address(self._call(self._proxy, "lookupService", service))

    def subscribe(self, node: str, topic: str) -> Stream:
        """Return a stream of what a node publishes on a topic; its header is there at once."""
        uri = self._call(self._proxy, "lookupNode", node)
        answer = self._call(self._connect(uri), "requestTopic", topic, [["TCPROS"]])
        if not answer:
            raise GraphError(f"{node} offers no TCP for {topic}")
        fields = {"callerid": CALLER, "topic": topic, "type": "*", "md5sum": "*"}
        return Stream((answer[1], answer[2]), fields | {"tcp_nodelay": "1"}, self._timeout_s)

    def probe_service(self, service: str) -> Mapping[str, str]:
        """Return what a server says about its service, without calling it."""
        fields = {"callerid": CALLER, "service": service, "md5sum": "*", "probe": "1"}
        stream = Stream(self.service_address(service), fields, self._timeout_s)
        stream.close()
        return stream.header


class Stream:
    """A TCPROS connection to a publisher or server."""

    def __init__(
        self, address: tuple[str, int], fields: Mapping[str, str], timeout_s: float
    ) -> None:
        try:
            self._sock = socket.create_connection(address, timeout_s)
            lines = [f"{key}={value}".encode() for key, value in fields.items()]
            body = b"".join(_LENGTH.pack(len(line)) + line for line in lines)
            self._sock.sendall(_LENGTH.pack(len(body)) + body)
            self.header = _fields(self._frame())
        except OSError as err:
            raise GraphError(f"{address[0]}:{address[1]}: {err}") from err
        if "error" in self.header:
            raise GraphError(self.header["error"])

    def stamp_delay(self, seconds: float) -> float | None:
        """Return receipt minus stamp of the next message with a header, in seconds, or None."""
        self._sock.settimeout(max(seconds, 0.01))
        try:
            data = self._frame()
        except OSError:
            return None
        now = time.time()
        if len(data) < _STAMPED.size:
            return None
        _, secs, nanosecs = _STAMPED.unpack_from(data)
        return now - (secs + 1e-9 * nanosecs) if secs else None

    def close(self) -> None:
        """End the connection."""
        self._sock.close()

    def _frame(self) -> bytes:
        return self._exactly(_LENGTH.unpack(self._exactly(4))[0])

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            piece = self._sock.recv(min(size - len(data), 1 << 16))
            if not piece:
                raise ConnectionResetError("closed by the other end")
            data += piece
        return bytes(data)


def _fields(body: bytes) -> dict[str, str]:
    fields, at = {}, 0
    while at < len(body):
        (size,) = _LENGTH.unpack_from(body, at)
        key, _, value = body[at + 4 : at + 4 + size].decode("utf-8", "replace").partition("=")
        fields[key] = value
        at += 4 + size
    return fields


def _address(uri: str) -> tuple[str, int]:
    parts = urlparse(uri)
    if not parts.hostname or not parts.port:
        raise GraphError(f"{uri!r} is no address")
    return parts.hostname, parts.port
