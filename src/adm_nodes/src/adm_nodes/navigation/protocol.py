"""The one interface to whatever drives the base: move_base over a bridge, Nav2, a double.

::

    task = navigator.send(NavGoal(Pose2D(1.5, 2.0, 0.0)))
    result = task.wait(60.0)              # or task.add_done_callback(...), or poll task.result
    if result is None:
        task.cancel()                     # asks; the task still ends by itself
        result = task.wait()
    if result.outcome is not NavOutcome.SUCCEEDED:
        print(result.outcome.value, result.text)

What holds for every implementation:

- ``send`` returns at once and never raises for what the network does: whatever goes wrong is the
  task's result. It may be called from any thread; callbacks come from the navigator's.
- A task ends exactly once, whatever the other side does or leaves undone: all waits are bounded.
- One goal at a time. A newer goal ends the older task as PREEMPTED, and so does a goal of
  somebody else (an operator in RViz, a vendor's app).
- Nothing here needs ROS; poses are planar, metres and radians in the frame that the goal names.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from adm_core.types import Pose2D


class NavOutcome(str, Enum):
    """How a task ended."""

    SUCCEEDED = "succeeded"  # the other side says that the goal is reached
    ABORTED = "aborted"  # it gave up: no plan, no control, stuck; see the text
    CANCELLED = "cancelled"  # as we asked
    PREEMPTED = "preempted"  # by a newer goal of ours or of somebody else
    REJECTED = "rejected"  # never begun: malformed, or the other side refused it
    LOST = "lost"  # link or server gone, or the goal unknown there: where the base is, is open
    TIMEOUT = "timeout"  # not taken in time, no progress, or longer than the goal allows
    STALE = "stale"  # pose or scan stopped coming, or the map was begun anew

    @property
    def base_known_still(self) -> bool:
        """Whether the other side itself said that it works on the goal no more."""
        return self in (NavOutcome.SUCCEEDED, NavOutcome.ABORTED, NavOutcome.CANCELLED)


@dataclass(frozen=True, slots=True)
class NavGoal:
    """Where to go.

    Attributes
    ----------
    pose : Pose2D
        Metres and radians in `frame_id`.
    frame_id : str
        Must be the planner's global frame where clocks are not synchronised.
    timeout_s : float
        After this time the goal is cancelled and ends as TIMEOUT; inf: never.
    map_id : str
        Map that the pose was chosen on; the goal is rejected when the robot is on another one,
        and ends as STALE when the map is begun anew on the way. Empty: not checked.
    """

    pose: Pose2D
    frame_id: str = "map"
    timeout_s: float = math.inf
    map_id: str = ""

    def fault(self, frame_id: str = "", map_id: str = "") -> str:
        """Return why nobody could go there; empty if one could.

        Parameters
        ----------
        frame_id, map_id : str
            What the robot goes by: a goal for another frame or map is no good. Empty: not checked.
        """
        if not all(map(math.isfinite, self.pose)):
            return f"pose must be finite, got {tuple(self.pose)}"
        if not self.frame_id or self.frame_id.startswith("/"):
            return f"frame_id must be a plain name, got {self.frame_id!r}"
        if not self.timeout_s > 0.0:
            return f"timeout_s must be > 0 s, got {self.timeout_s}"
        if frame_id and self.frame_id != frame_id:
            return f"frame_id must be {frame_id}, got {self.frame_id}"
        if self.map_id and map_id and self.map_id != map_id:
            return f"map_id must be {map_id}, on which the robot is, got {self.map_id}"
        return ""


@dataclass(frozen=True, slots=True)
class NavFeedback:
    """News on the way.

    Attributes
    ----------
    pose : Pose2D or None
        Where the base is, in the goal's frame; None if nobody said so yet.
    distance_m : float
        Way that is left as the planner sees it, else the straight line; NaN if unknown.
    elapsed_s : float
        Time since the goal was sent.
    recoveries : int
        How often the other side had to free itself; 0 where it does not tell.
    """

    pose: Pose2D | None = None
    distance_m: float = math.nan
    elapsed_s: float = 0.0
    recoveries: int = 0


@dataclass(frozen=True, slots=True)
class NavResult:
    """How a task ended, and why in words for people; nothing may hang on the text."""

    outcome: NavOutcome
    text: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether the goal was reached."""
        return self.outcome is NavOutcome.SUCCEEDED


class NavTask:
    """A goal under way: what its sender holds. Thread-safe.

    Parameters
    ----------
    goal : NavGoal
        Where to go.
    cancel : callable
        Asks the navigator to cancel this goal; called at most once, never after the end.
    """

    def __init__(self, goal: NavGoal, cancel: Callable[[], object] = lambda: None) -> None:
        self.goal = goal
        self._cancel = cancel
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._cancelled = False
        self._result: NavResult | None = None
        self._feedback = NavFeedback()
        self._watchers: list[Callable[[NavFeedback], object]] = []
        self._callbacks: list[Callable[[NavResult], object]] = []

    # -- for the sender ---------------------------------------------------------------------

    @property
    def feedback(self) -> NavFeedback:
        """The latest news."""
        return self._feedback

    @property
    def result(self) -> NavResult | None:
        """How it ended; None while it is under way."""
        return self._result

    def wait(self, timeout_s: float | None = None) -> NavResult | None:
        """Block until the end and return the result; None if `timeout_s` was over before.

        Not for the thread that spins the navigator.
        """
        self._ended.wait(timeout_s)
        return self._result

    def cancel(self) -> None:
        """Ask for the end; the result tells what came of it. Safe to repeat."""
        with self._lock:
            if self._cancelled or self._result is not None:
                return
            self._cancelled = True
        self._cancel()

    def on_feedback(self, watcher: Callable[[NavFeedback], object]) -> None:
        """Call `watcher` with every piece of news, in the navigator's thread."""
        self._watchers.append(watcher)

    def add_done_callback(self, callback: Callable[[NavResult], object]) -> None:
        """Call `callback` with the result at the end; now, if that is past."""
        with self._lock:
            if self._result is None:
                self._callbacks.append(callback)
                return
        callback(self._result)

    # -- for the navigator ------------------------------------------------------------------

    def report(self, feedback: NavFeedback) -> None:
        """Pass news on."""
        if self._result is None:
            self._feedback = feedback
            for watcher in self._watchers:
                watcher(feedback)

    def finish(self, outcome: NavOutcome, text: str = "") -> None:
        """End the task; only the first call counts."""
        with self._lock:
            if self._result is not None:
                return
            self._result = NavResult(outcome, text)
            callbacks, self._callbacks = self._callbacks, []
        self._ended.set()
        for callback in callbacks:
            callback(self._result)


class Navigator(Protocol):
    """Drives the base; see the module for what every implementation keeps to."""

    def problem(self) -> str:
        """Return why a goal sent now would not get through; empty if nothing speaks against it."""

    def send(self, goal: NavGoal) -> NavTask:
        """Send a goal; a goal with a fault ends as REJECTED at once."""

    def close(self) -> None:
        """Cancel what is under way, let go of everything; safe to repeat."""


def refused(goal: NavGoal, text: str) -> NavTask:
    """Return a task that is rejected already."""
    task = NavTask(goal)
    task.finish(NavOutcome.REJECTED, text)
    return task
