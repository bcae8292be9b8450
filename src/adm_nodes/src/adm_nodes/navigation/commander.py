"""Nav2 as a navigator, through nav2_simple_commander: for machines that use its API already.

BasicNavigator blocks, and spins rclpy's *global* executor of the *default* context. Beside another
spin of that executor it would take nodes away or raise, so it lives in a thread of its own, which
alone uses that executor; nodes of ours spin executors of their own (see adm_nodes.common.runner).
Some of its calls wait without limit. A second thread therefore watches the first: tasks end in
time even when BasicNavigator does not return.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.executors import ExternalShutdownException
from rclpy.signals import SignalHandlerOptions

from adm_nodes.common import conversions
from adm_nodes.navigation.codes import read_failure, read_feedback
from adm_nodes.navigation.config import Nav2Config
from adm_nodes.navigation.localisation import Localisation
from adm_nodes.navigation.map_watch import MapEpoch
from adm_nodes.navigation.protocol import NavGoal, NavOutcome, NavTask, refused

_POLL_S = 0.1


def basic_navigator() -> Any:
    """Return a BasicNavigator of the installed nav2_simple_commander."""
    from nav2_simple_commander.robot_navigator import BasicNavigator

    return BasicNavigator(node_name="adm_commander")


class _Run:
    """A goal under way."""

    def __init__(self, task: NavTask) -> None:
        self.task = task
        self.sent_at = self.polled_at = self.seen_at = time.monotonic()
        self.accepted = False
        self.intent: tuple[NavOutcome, str] | None = None
        self.cancelled_at = math.inf


class CommanderNavigator:
    """Navigator over BasicNavigator.

    Parameters
    ----------
    config : Nav2Config
        Parameters; the name of the action is BasicNavigator's own.
    make : callable
        Returns the BasicNavigator; called in the thread that uses it.
    localisation : Localisation, optional
        Tells when the map is begun anew; Nav2 itself watches pose and scan.
    """

    def __init__(
        self,
        config: Nav2Config | None = None,
        make: Callable[[], Any] = basic_navigator,
        localisation: Localisation | None = None,
    ) -> None:
        if make is basic_navigator:
            import nav2_simple_commander  # noqa: F401  a missing package is told here, not later
        self._config = config or Nav2Config()
        self._make = make
        self._inbox: queue.Queue[_Run | None] = queue.Queue()
        self._run: _Run | None = None
        self._navigator: Any = None
        self._lock = threading.Lock()
        self._fault = "the commander is not ready yet"
        self._closed = threading.Event()
        self._map_id = ""
        if localisation is not None:
            self._map_id = localisation.epoch.map_id
            localisation.listen(on_epoch=self._on_epoch)
        self._worker = threading.Thread(target=self._work, daemon=True)
        self._worker.start()
        threading.Thread(target=self._supervise, daemon=True).start()

    # -- the interface ------------------------------------------------------------------------

    def problem(self) -> str:
        """Return why a goal sent now would not get through; empty if nothing speaks against it."""
        if self._closed.is_set():
            return "the navigator is closed"
        if self._fault or self._navigator is None:
            return self._fault
        return "" if _is_there(self._navigator) else "nobody serves navigate_to_pose"

    def send(self, goal: NavGoal) -> NavTask:
        """Send a goal; see Navigator."""
        fault = goal.fault(self._config.frame_id, self._map_id)
        if not fault and self._closed.is_set():
            fault = "the navigator is closed"
        if fault:
            return refused(goal, fault)
        task = NavTask(goal, lambda: self._give_up(run, NavOutcome.CANCELLED, ""))
        run = _Run(task)
        with self._lock:
            older, self._run = self._run, run
        if older is not None:
            older.task.finish(NavOutcome.PREEMPTED, "by a newer goal of ours")
        self._inbox.put(run)
        return task

    def close(self) -> None:
        """Cancel what is under way and end the threads; safe to repeat."""
        self._closed.set()
        run = self._run
        if run is not None:
            run.task.cancel()
            run.task.wait(1.0)
            run.task.finish(NavOutcome.LOST, "the navigator was closed; a cancel was sent")
        self._inbox.put(None)
        self._worker.join(1.0)

    # -- the thread of BasicNavigator -----------------------------------------------------------

    def _work(self) -> None:
        try:
            if not rclpy.ok():
                rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
            navigator = self._navigator = self._make()
            self._fault = ""
            for run in iter(self._inbox.get, None):
                self._drive(navigator, run)
            self._navigator = None
            navigator.destroy_node()
        except ExternalShutdownException:
            self._fault = "ROS was shut down"
        except Exception as err:  # whatever it is: nobody else sees it in this thread
            self._fault = f"the commander failed: {type(err).__name__}: {err}"
            if self._run is not None:
                self._end(self._run, NavOutcome.LOST, self._fault)

    def _drive(self, navigator: Any, run: _Run) -> None:
        if not self._await_server(navigator, run):
            return
        before = navigator.getFeedback()
        target = PoseStamped(pose=conversions.pose_to_ros(run.task.goal.pose))
        target.header.frame_id = run.task.goal.frame_id
        if not navigator.goToPose(target, self._config.behavior_tree):
            self._end(run, NavOutcome.REJECTED, "refused by the server")
            return
        run.accepted = True
        asked = False
        while not navigator.isTaskComplete():
            run.polled_at, self._fault = time.monotonic(), ""
            if _is_there(navigator):
                run.seen_at = run.polled_at
            if not asked and _must_stop(run) and _is_there(navigator):
                asked = True
                navigator.cancelTask()
            if run.task.result is not None:  # given up, or preempted
                return
            news = navigator.getFeedback()
            if news is not None and news is not before:
                before = news
                self._report(run, news)
        self._conclude(navigator, run)

    def _await_server(self, navigator: Any, run: _Run) -> bool:
        """Wait for the server before goToPose does, for it would wait for ever."""
        while run.task.result is None and run.intent is None:
            if _is_there(navigator):
                return True
            time.sleep(_POLL_S)
        return False

    def _conclude(self, navigator: Any, run: _Run) -> None:
        name = getattr(navigator.getResult(), "name", "UNKNOWN")
        if name == "SUCCEEDED":
            self._end(run, NavOutcome.SUCCEEDED, "")
        elif name == "CANCELED":
            self._end(run, *(run.intent or (NavOutcome.PREEMPTED, "cancelled by somebody else")))
        elif name == "FAILED":
            self._end(run, *read_failure(_last_result(navigator)))
        else:
            self._end(run, NavOutcome.LOST, "the server does not know the goal any more")

    def _report(self, run: _Run, news: Any) -> None:
        run.task.report(read_feedback(news, run.sent_at, time.monotonic()))

    # -- the thread that watches ----------------------------------------------------------------

    def _supervise(self) -> None:
        while not self._closed.wait(_POLL_S):
            run = self._run
            if run is not None:
                self._check(run, time.monotonic())

    def _check(self, run: _Run, now: float) -> None:
        config = self._config
        if not run.accepted and run.intent is not None:
            self._end(run, *run.intent)
        elif not run.accepted and now - run.sent_at > config.accept_s:
            self._end(run, NavOutcome.LOST, self._fault or "no answer from the server")
        elif run.accepted and now - run.polled_at > config.silence_s:
            self._fault = "the commander hangs"
            self._end(run, NavOutcome.LOST, self._fault)
        elif run.accepted and now - run.seen_at > config.silence_s:
            self._end(run, NavOutcome.LOST, "the server is gone")
        elif now - run.cancelled_at > config.cancel_timeout_s:
            self._end(run, NavOutcome.LOST, "the cancel was not confirmed")
        elif now - run.sent_at > run.task.goal.timeout_s:
            text = f"not there after {run.task.goal.timeout_s:g} s"
            self._give_up(run, NavOutcome.TIMEOUT, text)

    def _on_epoch(self, epoch: MapEpoch, _: float) -> None:
        self._map_id = epoch.map_id
        run = self._run
        if run is not None:
            self._give_up(run, NavOutcome.STALE, f"the map was begun anew: {epoch.map_id}")

    def _give_up(self, run: _Run, outcome: NavOutcome, text: str) -> None:
        if run.intent is None:
            run.intent, run.cancelled_at = (outcome, text), time.monotonic()

    def _end(self, run: _Run, outcome: NavOutcome, text: str) -> None:
        with self._lock:
            if self._run is run:
                self._run = None
        run.task.finish(outcome, text)


def _is_there(navigator: Any) -> bool:
    """Tell whether the server is on the network, as far as BasicNavigator lets us see."""
    client = getattr(navigator, "nav_to_pose_client", None)
    return client is None or bool(client.server_is_ready())


def _must_stop(run: _Run) -> bool:
    """Tell whether the goal must be cancelled: not when a newer one preempts it anyway."""
    ended = run.task.result
    return run.intent is not None or (
        ended is not None and ended.outcome is not NavOutcome.PREEMPTED
    )


def _last_result(navigator: Any) -> Any:
    """Return the result message of the last goal: only later versions have an accessor."""
    future = getattr(navigator, "result_future", None)
    answer = future.result() if future is not None else None
    return getattr(answer, "result", None)
