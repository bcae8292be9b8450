"""One mission on nodes: start them, watch them, end them, keep what they told."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import rclpy
from adm_core.errors import MissionError
from adm_core.planning.progress import Snapshot
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.bringup.restart import RestartConfig, RestartPolicy
from adm_nodes.bringup.spec import TOGETHER, NodeSpec, full_name, paths
from adm_nodes.bringup.stack import ComposedStack, ProcessStack, Stack, describe_end
from adm_nodes.common import conversions, qos
from adm_nodes.common.client import ResendingClient
from adm_nodes.common.lifecycle import RCLError
from adm_nodes.common.runner import CANNOT_START, Spinner
from adm_nodes.common.world_facts import WorldFacts, facts_from_reply
from adm_nodes.manager import Manager, NodeEvent
from adm_nodes.recording.recorder import Selection
from adm_nodes.recording.session import Recording

_FACTS_S = 2.0
_APPEAR_S = 10.0
_RESULT_S = 1.0


class Session:
    """Nodes of one mission, with the manager in this process.

    Parameters
    ----------
    specs : sequence of NodeSpec
        The nodes, in order of bring-up.
    parameters : path
        Their ROS parameter file.
    log_dir : path
        Where nodes with a process of their own write their output.
    one_per_process : bool
        Whether each node gets a process.
    recording : path, optional
        File that gets every message; if it cannot be written, the mission goes on without.
    restart : RestartConfig, optional
        How often a node with a process of its own is started again.

    Attributes
    ----------
    last : Snapshot or None
        Last state that was reported.
    result : MissionResult or None
        The executor's result, once there is one.
    facts : WorldFacts or None
        The truth at the end; None if the world did not answer.
    statuses : dict
        Last heartbeat of every node.
    failure : str
        Why the nodes could not carry the mission out; empty if they could.
    """

    def __init__(
        self,
        specs: Sequence[NodeSpec],
        parameters: Path,
        log_dir: Path,
        one_per_process: bool,
        recording: Path | None = None,
        restart: RestartConfig | None = None,
    ) -> None:
        self.last: Snapshot | None = None
        self.result: msgs.MissionResult | None = None
        self.facts: WorldFacts | None = None
        self.statuses: dict[str, msgs.NodeStatus] = {}
        self.failure = ""
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._closing = ExitStack()
        enclave = full_name("/", "manager") if one_per_process else TOGETHER
        self._ros_args = ["--ros-args", "--enclave", enclave]
        self._policy = RestartPolicy(restart or RestartConfig())
        self._worth_it = {spec.path for spec in specs if spec.respawn}
        try:
            self._manager = self._start_manager(paths(specs))
            if recording is not None:
                self._closing.enter_context(Recording(recording, Selection()))
            self._nodes = self._start_nodes(specs, parameters, log_dir, one_per_process)
        except BaseException:
            self._closing.close()
            raise

    @property
    def pids(self) -> dict[str, int]:
        """Process of each node."""
        return self._nodes.pids

    @property
    def restarts(self) -> dict[str, int]:
        """How often each node was started again, of those that were."""
        return dict(self._policy.counts)

    def carry_out(
        self, on_snapshot: Callable[[Snapshot], None], on_event: Callable[[NodeEvent], None]
    ) -> None:
        """Bring the nodes up and follow the mission to its end, good or bad."""
        try:
            self._manager.bring_up()
        except MissionError as err:
            self.failure = str(err)
        while not (self.failure or self.result):
            event = self._events.get()
            if isinstance(event, Snapshot):
                self.last = event
                on_snapshot(event)
            elif isinstance(event, NodeEvent):
                on_event(event)
                self.failure = f"node {event}" if event.fatal else self.failure
            elif isinstance(event, MissionError):
                self.failure = str(event)

    def end(self) -> None:
        """Stop the mission, ask what became of it, shut the nodes down; safe to repeat."""
        self._manager.deactivate("executor")
        if self.result is None and self._manager.state_of("executor") == "inactive":
            self._ended.wait(_RESULT_S)
        self.facts = self.facts or self._ask_facts()
        self._manager.shut_down()
        self.statuses = self._manager.statuses()
        self._closing.close()

    # -- start ------------------------------------------------------------------------------

    def _start_manager(self, names: Sequence[str]) -> Manager:
        # All processes start at once: many take longer than one.
        patience = Parameter("appear_s", value=max(30.0, _APPEAR_S * len(names)))
        try:
            rclpy.init(args=self._ros_args, signal_handler_options=SignalHandlerOptions.NO)
            self._closing.callback(rclpy.try_shutdown)
            manager = Manager(names, on_event=self._events.put, parameter_overrides=[patience])
        except RCLError as err:
            raise MissionError(f"ROS 2 does not start: {err}") from err
        self._closing.callback(manager.destroy_node)
        self._ended = threading.Event()
        manager.create_subscription(
            msgs.MissionStatus, "mission_status", self._on_status, qos.STATUS
        )
        manager.create_subscription(
            msgs.MissionResult, "mission_result", self._on_result, qos.LATCHED
        )
        self._world = ResendingClient(manager, srvs.GetWorldFacts, "world_facts")
        self._closing.callback(Spinner(manager).start().join)
        return manager

    def _start_nodes(
        self, specs: Sequence[NodeSpec], parameters: Path, log_dir: Path, one_per_process: bool
    ) -> Stack:
        nodes: Stack = (
            ProcessStack(specs, parameters, log_dir, self._on_death)
            if one_per_process
            else ComposedStack(specs, parameters)
        )
        self._closing.callback(nodes.stop)
        return nodes

    # -- what the nodes tell ----------------------------------------------------------------

    def _on_status(self, message: msgs.MissionStatus) -> None:
        self._events.put(conversions.snapshot_from_msg(message))

    def _on_result(self, message: msgs.MissionResult) -> None:
        self.result = message
        self._ended.set()
        self._events.put(None)  # wakes the loop

    def _on_death(self, name: str, text: str) -> None:
        """Start a node again, or end the mission; called by the thread that watched it."""
        delay_s = None
        if name in self._worth_it and text != describe_end(CANNOT_START):
            delay_s = self._policy.delay_s(name, time.monotonic())
        self._manager.note_death(name, text, again=delay_s is not None)
        if delay_s is None:
            again = f", and too often ({self.restarts[name]})" if name in self.restarts else ""
            self._events.put(MissionError(f"node {name} {text}{again}"))
            return
        time.sleep(delay_s)
        if self._nodes.restart(name):
            self._events.put(NodeEvent(name, f"{text}; started again"))

    def _ask_facts(self) -> WorldFacts | None:
        if "world" not in self.pids or self._manager.state_of("world") != "active":
            return None
        answered = threading.Event()
        answer = self._world.call_async(srvs.GetWorldFacts.Request())
        answer.add_done_callback(lambda _: answered.set())
        if not answered.wait(_FACTS_S) or answer.exception() is not None:
            return None
        return facts_from_reply(answer.result())
