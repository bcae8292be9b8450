"""Client that sends a request again until it is answered."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.task import Future

from adm_interfaces.msg import ReplyStatus
from adm_nodes.common import qos
from adm_nodes.common.clocks import STEADY
from adm_nodes.common.errors import RefusedError, StoppedError

_TICK_S = 0.25
#: Waiting times before a request is sent again, the last one for good: a server that was
#: suspended may have lost the request, or its answer, with its place in the network.
_PATIENCE_S = (1.0, 2.0, 4.0)


@dataclass
class _Pending:
    """A request under way."""

    request: Any
    answer: Future = field(default_factory=Future)
    sent: list[Future] = field(default_factory=list)
    due: float = float("inf")  # when it is sent again
    heard: float = field(default_factory=time.monotonic)  # the last sign of its server


class ResendingClient:
    """Service client whose requests survive lost messages and suspended servers.

    Each request gets a number; it keeps it when it is sent again, so that a server that
    already knows it answers from memory (see OnceService).

    Parameters
    ----------
    node : AdmNode
        Owner; its executor must spin.
    srv_type : service type
        With ``uint64 call`` in the request and ``ReplyStatus status`` in the reply.
    name : str
        Name of the service; kept as an attribute.
    """

    def __init__(self, node: Any, srv_type: Any, name: str) -> None:
        group = ReentrantCallbackGroup()
        self._node = node
        self.name = name
        self._client = node.create_client(
            srv_type, name, qos_profile=qos.SERVICE, callback_group=group
        )
        self._timer = node.create_timer(
            _TICK_S, self._resend_due, callback_group=group, clock=STEADY
        )
        self._lock = threading.Lock()
        self._pending: dict[int, _Pending] = {}
        self._number = secrets.randbits(32) << 32
        self._closed = False

    def call(self, request: Any, timeout_s: float | None = None) -> Any:
        """Send a request and block until it is answered; not for the executor's own thread.

        Raises
        ------
        RefusedError
            If the server refused it.
        StoppedError
            If the client was closed meanwhile.
        TimeoutError
            If `timeout_s` has gone by; the request is not sent again then.
        """
        done = threading.Event()
        answer = self.call_async(request)
        answer.add_done_callback(lambda _: done.set())
        if not done.wait(timeout_s):
            self.give_up(request)
            raise TimeoutError(f"{self.name} did not answer within {timeout_s:g} s")
        return answer.result()

    def give_up(self, request: Any) -> None:
        """Do not send a request again; its future stays without a result."""
        with self._lock:
            pending = self._pending.pop(request.call, None)
        for sent in pending.sent if pending else ():
            self._client.remove_pending_request(sent)

    def call_async(self, request: Any) -> Future:
        """Send a request; the future brings the reply, or the exceptions of :meth:`call`."""
        pending = _Pending(request)
        with self._lock:
            if self._closed:
                pending.answer.set_exception(StoppedError(self.name))
                return pending.answer
            self._number += 1
            request.call = self._number
            self._pending[request.call] = pending
        self._send(pending)
        return pending.answer

    @property
    def silence_s(self) -> float:
        """Seconds without a sign of the server while a request is under way; 0 if none is."""
        now = time.monotonic()
        with self._lock:
            return max((now - item.heard for item in self._pending.values()), default=0.0)

    def close(self) -> None:
        """Give up all requests under way and release the ROS handles; safe to repeat."""
        with self._lock:
            self._closed = True
            given_up = list(self._pending.values())
            self._pending.clear()
        for pending in given_up:
            pending.answer.set_exception(StoppedError(self.name))
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._node.destroy_client(self._client)
            self._timer = None

    def _send(self, pending: _Pending) -> None:
        tries = len(pending.sent)
        pending.due = time.monotonic() + _PATIENCE_S[min(tries, len(_PATIENCE_S) - 1)]
        sent = self._client.call_async(pending.request)
        pending.sent.append(sent)
        self._node.count_message()
        sent.add_done_callback(lambda future: self._on_reply(pending, future))

    def _on_reply(self, pending: _Pending, future: Future) -> None:
        reply = future.result()
        if reply.status.code == ReplyStatus.INACTIVE:
            pending.due, pending.heard = 0.0, time.monotonic()  # again with the next tick
            return
        with self._lock:
            if self._pending.pop(pending.request.call, None) is None:
                return  # given up, or answered before
        for other in pending.sent:
            self._client.remove_pending_request(other)
        if reply.status.code == ReplyStatus.OK:
            pending.answer.set_result(reply)
        else:
            pending.answer.set_exception(RefusedError(f"{self.name}: {reply.status.message}"))

    def _resend_due(self) -> None:
        now = time.monotonic()
        with self._lock:
            late = [item for item in self._pending.values() if item.due <= now]
        for pending in late:
            self._send(pending)
