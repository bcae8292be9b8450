"""Lifecycle manager: ordered bring-up, watch over heartbeats, reverse shutdown."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import rclpy
from adm_core.config import Config, param
from adm_core.errors import MissionError
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from adm_interfaces.msg import NodeStatus
from adm_nodes.common import params, qos
from adm_nodes.common.clocks import STEADY
from adm_nodes.common.runner import Spinner

#: Nodes of a recycling mission in order of bring-up: who announces comes before who listens.
ORDER = ("world", "memory", "planner", "executor")

_POLL_S = 0.01  # while waiting for a service to appear: there is no event for that
_CHECK_S = 0.25
_RESEND_S = 1.0  # a request is lost if the node still beats in its old state so long after it
_GONE_S = 0.1  # how often to look whether a node that does not answer still exists
_NODES = ParameterDescriptor(description="nodes in order of bring-up", read_only=True)


@dataclass(frozen=True)
class ManagerConfig(Config):
    """Parameters of the lifecycle manager."""

    silence_s: float = param(
        2.0, "silence after which a node counts as unresponsive", unit="s", min=0.6
    )
    appear_s: float = param(60.0, "how long a node may take to appear", unit="s", min=0.1)
    transition_s: float = param(
        300.0, "how long configuring and activating may take", unit="s", min=0.1
    )
    shutdown_s: float = param(2.0, "how long one step of the shutdown may take", unit="s", min=0.1)


@dataclass(frozen=True)
class NodeEvent:
    """Something about a node that an operator wants to know."""

    node: str
    text: str
    fatal: bool = False  # the mission cannot go on

    def __str__(self) -> str:
        return f"{self.node} {self.text}"


@dataclass
class _Managed:
    """What the manager knows of one node."""

    status: NodeStatus | None = None
    seen: float = float("-inf")
    silent: bool = False
    dead: bool = False
    busy: bool = False  # in a transition: its heart may miss beats
    up: int = 0  # process that was brought up; 0: none yet
    reviving: bool = False  # it is being brought up again
    died: int = 0  # last process that ended; what it still had under way is no sign of life

    @property
    def state(self) -> str:
        return self.status.state if self.status else "unknown"


class _DiedError(Exception):
    """The node ended while it was waited for; another process may follow."""


class Manager(Node):
    """Drive lifecycle nodes through their states, in order.

    A node that was up and is seen again in another process, unconfigured, has been started again
    by whoever starts processes: it is configured and activated at once. Nodes that depend on it
    need no transition of theirs: their requests wait for it.

    The blocking methods are for a thread that does not spin this node.

    Parameters
    ----------
    names : sequence of str, optional
        Nodes in order of bring-up, named as below the manager's own namespace (``world``,
        ``robot_2/explorer``); default: ROS parameter `nodes`.
    on_event : callable, optional
        Gets a NodeEvent when a node falls silent or comes back; called by the spinning thread.

    Topics
    ------
    node_status : NodeStatus, subscribed

    Services
    --------
    <node>/change_state : ChangeState, called
    """

    def __init__(
        self,
        names: Sequence[str] | None = None,
        on_event: Callable[[NodeEvent], None] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__("manager", **kwargs)
        params.declare(self, ManagerConfig)
        self._config = params.read(self, ManagerConfig)
        if names is None:
            names = self.declare_parameter("nodes", list(ORDER), _NODES).value
        self._names = tuple(names)
        self._below = self.get_namespace().lstrip("/") + "/"
        self._on_event = on_event or self._log_event
        self._changed = threading.Condition()
        self._aborted = ""
        self._closing = False
        self._nodes = {name: _Managed() for name in self._names}
        group = ReentrantCallbackGroup()
        self._calls = {
            name: self.create_client(ChangeState, f"{name}/change_state", callback_group=group)
            for name in self._names
        }
        self.create_subscription(
            NodeStatus, "node_status", self._on_status, qos.STATUS, callback_group=group
        )
        self.create_timer(_CHECK_S, self._check_silence, callback_group=group, clock=STEADY)

    # -- what is known ----------------------------------------------------------------------

    def count_message(self) -> None:
        """Count nothing: the manager's own calls are no part of the mission."""

    def statuses(self) -> dict[str, NodeStatus]:
        """Return the last heartbeat of every node that was heard."""
        with self._changed:
            return {name: item.status for name, item in self._nodes.items() if item.status}

    def state_of(self, name: str) -> str:
        """Return the lifecycle state that a node last reported, or why there is none."""
        node = self._nodes[name]
        return "dead" if node.dead else "silent" if node.silent else node.state

    def note_death(self, name: str, text: str, again: bool = False) -> None:
        """Take note that a node's process has ended.

        Parameters
        ----------
        name, text : str
            The node, and how it ended.
        again : bool
            Whether it is started again. If not, every wait ends with MissionError.
        """
        node = self._nodes[name]
        with self._changed:
            node.dead, node.silent = True, False
            node.died = node.status.pid if node.status else 0
            node.status = None
            if not again:
                self._aborted = self._aborted or f"node {name} {text}"
            self._changed.notify_all()

    # -- bring-up and shutdown ----------------------------------------------------------------

    def bring_up(self) -> None:
        """Configure and activate all nodes in order.

        Raises
        ------
        MissionError
            If a node does not appear, refuses a transition or dies for good.
        """
        for name in self._names:
            self._bring_up(name)

    def deactivate(self, name: str) -> None:
        """Deactivate one node if it is active and answers."""
        self._try_drive(name, "active", Transition.TRANSITION_DEACTIVATE, "inactive")

    def shut_down(self) -> None:
        """Deactivate all nodes in reverse order, then finalize them; dead ones are passed over."""
        self._closing = True
        for name in reversed(self._names):
            self.deactivate(name)
        for name in reversed(self._names):
            self._try_drive(name, "inactive", Transition.TRANSITION_CLEANUP, "unconfigured")
            self._try_drive(
                name, "unconfigured", Transition.TRANSITION_UNCONFIGURED_SHUTDOWN, "finalized"
            )

    def _bring_up(self, name: str) -> None:
        """Configure and activate one node, again with every process that dies meanwhile.

        A node that is active already is taken over as it is.
        """
        node = self._nodes[name]
        while True:
            try:
                self._await_service(name)
                if node.state != "active":  # as it is if another manager was here before
                    self._drive(name, "unconfigured", Transition.TRANSITION_CONFIGURE, "inactive")
                    self._drive(name, "inactive", Transition.TRANSITION_ACTIVATE, "active")
            except _DiedError:
                continue
            node.up = node.status.pid if node.status else node.up
            return

    def _revive(self, name: str) -> None:
        """Bring a node up that was started again; in a thread of its own."""
        try:
            self._bring_up(name)
        except MissionError as err:
            if not self._closing:
                self._on_event(NodeEvent(name, f"cannot be brought up again: {err}", fatal=True))
        else:
            self._on_event(NodeEvent(name, f"is active again, in process {self._nodes[name].up}"))
        finally:
            self._nodes[name].reviving = False

    def _drive(self, name: str, start: str, transition: int, goal: str) -> None:
        """Request a transition and wait for it.

        Request and answer may be lost, above all with a process that has died: the heartbeat
        tells whether the node has changed, or has not even begun to.
        """
        node = self._nodes[name]
        self._await_service(name)
        node.busy = True
        deadline = time.monotonic() + self._config.transition_s
        try:
            while node.state != goal:
                future, sent = self._request(name, transition), time.monotonic()

                def settled() -> bool:
                    answered = future.done() or node.state == goal  # noqa: B023
                    lost = node.state == start and node.seen > sent + _RESEND_S  # noqa: B023
                    return answered or lost

                self._wait(node, settled, deadline - time.monotonic())
                if node.state == goal or (future.done() and future.result().success):
                    return
                if future.done() or time.monotonic() >= deadline:
                    verb = f"become {goal}; its log says why" if future.done() else "answer"
                    raise MissionError(f"node {name} did not {verb}")
                self._calls[name].remove_pending_request(future)
        finally:
            node.busy = False
            node.seen = time.monotonic()

    def _request(self, name: str, transition: int) -> Any:
        request = ChangeState.Request(transition=Transition(id=transition))
        future = self._calls[name].call_async(request)
        future.add_done_callback(self._notify)
        return future

    def _try_drive(self, name: str, start: str, transition: int, goal: str) -> None:
        node, call = self._nodes[name], self._calls[name]
        if node.dead or node.silent or node.state != start:
            return
        self._request(name, transition)
        deadline = time.monotonic() + self._config.shutdown_s
        with self._changed:
            while not (node.dead or node.state == goal):
                gone = not call.service_is_ready()  # it may have been ended by others
                if gone or time.monotonic() > deadline:
                    node.silent = True
                    return
                self._changed.wait(_GONE_S)

    def _await_service(self, name: str) -> None:
        deadline = time.monotonic() + self._config.appear_s
        while not (self._calls[name].service_is_ready() and self._nodes[name].status):
            if self._aborted or self._closing:
                raise MissionError(self._aborted or "the nodes are being shut down")
            if time.monotonic() > deadline:
                raise MissionError(f"node {name} did not appear")
            time.sleep(_POLL_S)

    def _wait(self, node: _Managed, done: Callable[[], bool], timeout_s: float) -> None:
        with self._changed:
            self._changed.wait_for(
                lambda: bool(self._aborted) or node.dead or self._closing or done(), timeout_s
            )
        if self._aborted or self._closing:
            raise MissionError(self._aborted or "the nodes are being shut down")
        if node.dead:
            raise _DiedError

    # -- heartbeats ---------------------------------------------------------------------------

    def _on_status(self, message: NodeStatus) -> None:
        name = message.node.removeprefix(self._below)
        node = self._nodes.get(name)
        if node is None or message.pid == node.died:
            return
        with self._changed:
            node.status, node.seen = message, time.monotonic()
            was_silent, node.silent, node.dead = node.silent, False, False
            came_back = node.up not in (0, message.pid) and message.state == "unconfigured"
            came_back = came_back and not (node.busy or node.reviving or self._closing)
            node.reviving = node.reviving or came_back
            self._changed.notify_all()
        if came_back:
            threading.Thread(target=self._revive, args=(name,), daemon=True).start()
        if was_silent:
            self._on_event(NodeEvent(name, "is back"))

    def _check_silence(self) -> None:
        now = time.monotonic()
        for name, node in self._nodes.items():
            quiet = now - node.seen
            if self._closing or node.status is None or node.silent or node.busy or node.dead:
                continue
            if quiet > self._config.silence_s:
                node.silent = True
                self._on_event(NodeEvent(name, f"is unresponsive ({quiet:.1f} s without a sign)"))

    def _notify(self, _: object) -> None:
        with self._changed:
            self._changed.notify_all()

    def _log_event(self, event: NodeEvent) -> None:
        self.get_logger().warning(f"node {event}")


def main() -> int:
    """Bring the nodes up and watch them until interrupted, then shut them down."""
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    manager = Manager()
    spinner = Spinner(manager).start()
    code = 0
    try:
        manager.bring_up()
        threading.Event().wait()
    except MissionError as err:
        manager.get_logger().error(str(err))
        code = 1
    except KeyboardInterrupt:
        pass  # asked to end: in order is well
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the way down is short, and taken once
    manager.shut_down()
    spinner.join()
    manager.destroy_node()
    rclpy.try_shutdown()
    return code


if __name__ == "__main__":
    raise SystemExit(main())
