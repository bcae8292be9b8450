"""Nav2 as a navigator, through a plain action client: nothing blocks, whoever spins."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

from action_msgs.msg import GoalStatus
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from adm_nodes.common import conversions
from adm_nodes.common.clocks import STEADY
from adm_nodes.navigation.codes import read_failure, read_feedback
from adm_nodes.navigation.config import Nav2Config
from adm_nodes.navigation.localisation import Localisation
from adm_nodes.navigation.map_watch import MapEpoch
from adm_nodes.navigation.protocol import NavGoal, NavOutcome, NavTask, refused

_TICK_S = 0.1


class _Run:
    """A goal under way."""

    def __init__(self, task: NavTask, now: float) -> None:
        self.task = task
        self.sent_at = now
        self.seen_at = now  # when the server was on the network last
        self.sent = False
        self.handle: Any = None
        self.intent: tuple[NavOutcome, str] | None = None  # why it is being cancelled
        self.cancelled_at = math.inf


class Nav2Navigator:
    """Navigator over the action NavigateToPose.

    Server and link may vanish at any time without a word, so every wait has an end. Results of
    Humble, which carry no error code, are as welcome as later ones.

    Parameters
    ----------
    node : Node
        Owner; its executor must spin.
    config : Nav2Config
        Parameters.
    localisation : Localisation, optional
        Tells when the map is begun anew; Nav2 itself watches pose and scan.
    """

    def __init__(
        self,
        node: Node,
        config: Nav2Config | None = None,
        localisation: Localisation | None = None,
    ) -> None:
        self._node = node
        self._config = config or Nav2Config()
        group = ReentrantCallbackGroup()
        self._client = ActionClient(node, NavigateToPose, self._config.action, callback_group=group)
        self._timer = node.create_timer(_TICK_S, self._on_tick, callback_group=group, clock=STEADY)
        self._lock = threading.Lock()
        self._run: _Run | None = None
        self._closed = False
        self._map_id = ""
        if localisation is not None:
            self._map_id = localisation.epoch.map_id
            localisation.listen(on_epoch=self._on_epoch)

    # -- the interface ------------------------------------------------------------------------

    def problem(self) -> str:
        """Return why a goal sent now would not get through; empty if nothing speaks against it."""
        if self._closed:
            return "the navigator is closed"
        return "" if self._is_there() else f"nobody serves {self._config.action}"

    def send(self, goal: NavGoal) -> NavTask:
        """Send a goal; see Navigator. A server may appear while there is time to accept it."""
        fault = goal.fault(self._config.frame_id, self._map_id)
        if not fault and self._closed:
            fault = "the navigator is closed"
        if fault:
            return refused(goal, fault)
        task = NavTask(goal, lambda: self._cancel(run, NavOutcome.CANCELLED, ""))
        run = _Run(task, time.monotonic())
        with self._lock:
            older, self._run = self._run, run
        if older is not None:  # the server stops it by itself when it takes the newer one
            older.task.finish(NavOutcome.PREEMPTED, "by a newer goal of ours")
        self._try_to_send(run)
        return task

    def close(self) -> None:
        """Cancel what is under way and release the ROS handles; safe to repeat."""
        if self._closed:
            return
        self._closed = True
        run = self._run
        if run is not None:
            self._cancel(run, NavOutcome.CANCELLED, "")
            self._end(run, NavOutcome.LOST, "the navigator was closed; a cancel was sent")
        self._node.destroy_timer(self._timer)
        self._client.destroy()

    # -- the way of a goal ----------------------------------------------------------------------

    def _try_to_send(self, run: _Run) -> None:
        if not self._is_there():
            return
        with self._lock:
            if run.sent or run.intent is not None:
                return
            run.sent = True
        request = NavigateToPose.Goal(behavior_tree=self._config.behavior_tree)
        request.pose.header.frame_id = run.task.goal.frame_id  # stamp 0: the newest transform
        request.pose.pose = conversions.pose_to_ros(run.task.goal.pose)
        future = self._client.send_goal_async(
            request, lambda message: self._on_feedback(run, message.feedback)
        )
        future.add_done_callback(lambda done: self._on_answer(run, done))

    def _on_answer(self, run: _Run, done: Future) -> None:
        handle = _value(done)
        if handle is None or not handle.accepted:
            self._end(run, NavOutcome.REJECTED, "refused by the server")
            return
        run.handle = handle
        handle.get_result_async().add_done_callback(lambda done: self._on_result(run, done))
        if run.intent is not None or run is not self._run:
            handle.cancel_goal_async()

    def _on_result(self, run: _Run, done: Future) -> None:
        answer = _value(done)
        if answer is None:
            self._end(run, NavOutcome.LOST, "the server gave no result")
        elif answer.status == GoalStatus.STATUS_SUCCEEDED:
            self._end(run, NavOutcome.SUCCEEDED, "")
        elif answer.status == GoalStatus.STATUS_CANCELED:
            self._end(run, *(run.intent or (NavOutcome.PREEMPTED, "cancelled by somebody else")))
        elif answer.status == GoalStatus.STATUS_ABORTED:
            self._end(run, *read_failure(answer.result))
        else:
            self._end(run, NavOutcome.LOST, "the server does not know the goal any more")

    def _on_feedback(self, run: _Run, news: Any) -> None:
        run.task.report(read_feedback(news, run.sent_at, time.monotonic()))

    def _cancel(self, run: _Run, outcome: NavOutcome, text: str) -> None:
        with self._lock:
            if run.intent is not None:
                return
            run.intent, run.cancelled_at = (outcome, text), time.monotonic()
        if run.handle is not None:
            run.handle.cancel_goal_async()
        elif not run.sent:
            self._end(run, outcome, text or "it was not sent yet")

    def _on_epoch(self, epoch: MapEpoch, _: float) -> None:
        self._map_id = epoch.map_id
        run = self._run
        if run is not None:
            self._cancel(run, NavOutcome.STALE, f"the map was begun anew: {epoch.map_id}")

    def _end(self, run: _Run, outcome: NavOutcome, text: str) -> None:
        with self._lock:
            if self._run is run:
                self._run = None
        run.task.finish(outcome, text)

    # -- time -----------------------------------------------------------------------------------

    def _on_tick(self) -> None:
        run, now = self._run, time.monotonic()
        if run is None:
            return
        if self._is_there():
            run.seen_at = now
            self._try_to_send(run)
        for late, outcome, text in self._limits(run, now):
            if late:
                self._abandon(run, outcome, text)
                return
        if now - run.sent_at > run.task.goal.timeout_s:
            self._cancel(run, NavOutcome.TIMEOUT, f"not there after {run.task.goal.timeout_s:g} s")

    def _limits(self, run: _Run, now: float) -> list[tuple[bool, NavOutcome, str]]:
        config = self._config
        unanswered = run.handle is None and now - run.sent_at > config.accept_s
        return [
            (unanswered and not run.sent, NavOutcome.LOST, f"nobody serves {config.action}"),
            (unanswered, NavOutcome.TIMEOUT, f"not answered within {config.accept_s:g} s"),
            (now - run.seen_at > config.silence_s, NavOutcome.LOST, "the server is gone"),
            (
                now - run.cancelled_at > config.cancel_timeout_s,
                NavOutcome.LOST,
                "the cancel was not confirmed",
            ),
        ]

    def _abandon(self, run: _Run, outcome: NavOutcome, text: str) -> None:
        """End a task whose server does not answer; should it take the goal yet, it is cancelled."""
        with self._lock:
            run.intent = run.intent or (outcome, text)
        if run.handle is not None:
            run.handle.cancel_goal_async()
        self._end(run, outcome, text)

    def _is_there(self) -> bool:
        return bool(self._client.server_is_ready())


def _value(future: Future) -> Any:
    """Return what a future brought; None if it failed: the client was destroyed meanwhile."""
    return None if future.cancelled() or future.exception() is not None else future.result()
