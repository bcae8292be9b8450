"""An action over topics: one goal of move_base at a time, over a link that loses messages.

Pure: time is an argument, and what has to be done comes back as effects. Actions do not cross
ros1_bridge, and what goes from ROS 2 to ROS 1 goes best-effort, so nothing is taken for granted:

- a goal is sent again until its id is in a status list, a cancel until the goal is terminal;
- stamps are zero in both, for a server compares them with its own clock, which is not ours;
- a result or a status ends a goal, whichever comes first;
- a goal that vanishes from the lists, or lists that cease, leave it lost; it is then cancelled by
  its id for as long as it might live;
- goals of ours that nobody follows any more (of a former process, of before a reconnect) are
  cancelled when they turn up;
- a goal of somebody else that becomes active has preempted ours.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from adm_core.types import Pose2D

from adm_nodes.navigation.addressing import AdoptedIds, GoalState, GoalStatus, OwnIds
from adm_nodes.navigation.config import MoveBaseConfig
from adm_nodes.navigation.protocol import NavFeedback, NavOutcome, NavResult, NavTask
from adm_nodes.navigation.watchdogs import Freshness, Progress

#: Lists in a row that must agree on what a single one, late or out of order, might get wrong.
_SURE = 3
_NEWS_S = 0.2

#: The server has got the cancel. To send more for what never arrived would keep it listed.
_CANCELLING = (GoalState.PREEMPTING, GoalState.RECALLING)

_OUTCOMES = {
    GoalState.SUCCEEDED: NavOutcome.SUCCEEDED,
    GoalState.ABORTED: NavOutcome.ABORTED,
    GoalState.REJECTED: NavOutcome.REJECTED,
    GoalState.LOST: NavOutcome.LOST,
}


@dataclass(frozen=True, slots=True)
class SendGoal:
    """Publish a goal; an empty id means move_base_simple/goal."""

    id: str
    pose: Pose2D


@dataclass(frozen=True, slots=True)
class SendCancel:
    """Publish a cancel of one goal; an empty id stops all goals of everybody."""

    id: str


@dataclass(frozen=True, slots=True)
class Ended:
    """End a task."""

    task: NavTask
    outcome: NavOutcome
    text: str = ""


@dataclass(frozen=True, slots=True)
class News:
    """Report on a task."""

    task: NavTask
    feedback: NavFeedback


Effect = SendGoal | SendCancel | Ended | News


@dataclass(slots=True)
class _Run:
    """The goal under way."""

    task: NavTask
    sent_at: float
    due: float  # when goal or cancel is sent again
    id: str = ""  # empty until it is known
    published: bool = False
    state: GoalState | None = None  # as listed last; None until it is listed
    began: bool = False  # was active
    missing: int = 0  # lists in a row without it
    foreign: int = 0  # lists in a row with somebody else's goal active
    intent: NavResult | None = None  # why it is being cancelled
    cancelled_at: float = math.inf
    pose: Pose2D | None = None
    news_at: float = -math.inf


class MoveBase:
    """State of the dialogue with one move_base.

    Every method takes the present time in seconds of a steady clock and returns effects, which
    the caller carries out in order. Methods must not be called at the same time.

    Parameters
    ----------
    config : MoveBaseConfig
        Parameters.
    ids : OwnIds or AdoptedIds
        How goals get their ids.
    """

    def __init__(self, config: MoveBaseConfig, ids: OwnIds | AdoptedIds) -> None:
        self._config = config
        self._ids = ids
        self._run: _Run | None = None
        self._listed: set[str] = set()
        self._status_at = -math.inf
        self._farewells: dict[str, tuple[float, float]] = {}  # id to (until, due)
        self._pose = Freshness("pose", config.pose_stale_s)
        self._scan = Freshness("scan", config.scan_stale_s)
        self._progress = Progress(config.progress_s, config.progress_m, config.progress_rad)
        self._map_id = ""

    # -- what the user wants ------------------------------------------------------------------

    def problem(self, now: float) -> str:
        """Return why a goal sent now would not get through; empty if nothing speaks against it."""
        if self._is_silent(now):
            return "no status from move_base"
        return self._pose.fault(now) or self._scan.fault(now)

    def send(self, task: NavTask, now: float) -> list[Effect]:
        """Send a task's goal; an older one is preempted, unless the new one is refused."""
        refused = self._refused(task, now)
        if refused is not None:
            return [refused]
        effects = self._end(NavOutcome.PREEMPTED, "by a newer goal of ours") if self._run else []
        self._run = _Run(task, now, now)
        return effects + self._send_again(self._run, now)

    def cancel(self, task: NavTask, now: float) -> list[Effect]:
        """Cancel a task's goal; nothing if it is not the one under way."""
        if self._run is None or self._run.task is not task:
            return []
        return self._give_up(NavOutcome.CANCELLED, "", now)

    def halt(self) -> list[Effect]:
        """Stop every goal of everybody: for emergencies, as it takes the robot from others."""
        effects: list[Effect] = [SendCancel("")]
        return effects + (self._end(NavOutcome.CANCELLED, "emergency stop") if self._run else [])

    def close(self, now: float) -> list[Effect]:
        """Cancel the goal under way, once, and end its task without waiting for an answer."""
        run = self._run
        if run is None:
            return []
        cancel: list[Effect] = [SendCancel(run.id)] if run.id else []
        return cancel + self._end(NavOutcome.LOST, "the navigator was closed; a cancel was sent")

    # -- what the robot says ------------------------------------------------------------------

    def on_status(self, statuses: Iterable[GoalStatus], now: float) -> list[Effect]:
        """Take a status list in."""
        listed = {item.id: item for item in statuses}
        self._status_at, self._listed = now, set(listed)
        effects = self._cancel_orphans(listed, now)
        run = self._run
        if run is None:
            return effects
        if not run.id and run.published:
            run.id = self._ids.adopt(listed.values(), run.task.goal.pose)
        self._count_foreign(run, listed)
        mine = listed.get(run.id) if run.id else None
        return effects + (self._on_own(mine, now) if mine else self._on_absence(run))

    def on_result(self, status: GoalStatus, now: float) -> list[Effect]:
        """Take a result in; those of other goals and repetitions have no effect."""
        if self._run is None or status.id != self._run.id or not status.state.terminal:
            return []
        return self._on_own(status, now)

    def on_feedback(self, goal_id: str, pose: Pose2D, now: float) -> list[Effect]:
        """Take move_base's own word on where the base is."""
        run = self._run
        return self._news(run, pose, now) if run is not None and run.id == goal_id else []

    def on_pose(self, pose: Pose2D, stamp: Hashable, now: float) -> list[Effect]:
        """Take a pose of the localisation in."""
        self._pose.note(stamp, now)
        return self._news(self._run, pose, now) if self._run is not None else []

    def on_scan(self, stamp: Hashable, now: float) -> list[Effect]:
        """Note that a laser scan has come."""
        self._scan.note(stamp, now)
        return []

    def on_current_goal(self, pose: Pose2D) -> list[Effect]:
        """Take in which pose move_base goes to."""
        self._ids.note_current(pose)
        return []

    def on_map(self, map_id: str, now: float) -> list[Effect]:
        """Take in which map the robot is on; a new one makes the goal meaningless."""
        known, self._map_id = self._map_id, map_id
        if not known or known == map_id or self._run is None:
            return []
        return self._give_up(NavOutcome.STALE, f"the map was begun anew: {map_id}", now)

    def tick(self, now: float) -> list[Effect]:
        """Do what time demands; to be called several times within ``resend_s``."""
        effects = self._bid_farewell(now)
        run = self._run
        if run is None:
            return effects
        if run.intent is not None:
            return effects + self._cancel_again(run, run.intent, now)
        if now - run.sent_at >= run.task.goal.timeout_s:
            text = f"not there after {run.task.goal.timeout_s:g} s"
            return effects + self._give_up(NavOutcome.TIMEOUT, text, now)
        return effects + (self._send_again(run, now) if run.state is None else self._watch(now))

    # -- sending ------------------------------------------------------------------------------

    def _refused(self, task: NavTask, now: float) -> Ended | None:
        fault = task.goal.fault(self._config.frame_id, self._map_id)
        if fault:
            return Ended(task, NavOutcome.REJECTED, fault)
        stale = self._pose.fault(now) or self._scan.fault(now)
        return Ended(task, NavOutcome.STALE, stale) if stale else None

    def _send_again(self, run: _Run, now: float) -> list[Effect]:
        """Send a goal that is not listed yet, or give it up."""
        if now - run.sent_at >= self._config.ack_timeout_s:
            if self._is_silent(now):
                return self._lose("no status from move_base", now)
            text = f"not taken within {self._config.ack_timeout_s:g} s"
            return self._end(NavOutcome.TIMEOUT, text) + self._start_farewell(run.id, now)
        held = self._ids.needs_status and self._is_silent(now)
        if now < run.due or held or not self._ids.may_resend(run.task.goal.pose):
            return []
        if not run.published:
            run.id, run.published = self._ids.new_id(self._listed), True
        run.due = now + self._config.resend_s
        return [SendGoal(run.id, run.task.goal.pose)]

    def _give_up(self, outcome: NavOutcome, text: str, now: float) -> list[Effect]:
        """Cancel the goal under way; the first reason stays."""
        run = self._run
        if run is None or run.intent is not None:
            return []
        run.intent = NavResult(outcome, text)
        run.cancelled_at = run.due = now
        return self._cancel_again(run, run.intent, now)

    def _cancel_again(self, run: _Run, intent: NavResult, now: float) -> list[Effect]:
        if now - run.cancelled_at >= self._config.cancel_timeout_s:
            reason = intent.text or intent.outcome.value
            return self._lose(f"{reason}; the cancel was not confirmed", now)
        if now < run.due or not run.id or run.state is GoalState.RECALLING:
            return []  # a cancel of what never arrived would keep it listed
        run.due = now + self._config.resend_s
        return [SendCancel(run.id)]

    # -- following ----------------------------------------------------------------------------

    def _on_own(self, status: GoalStatus, now: float) -> list[Effect]:
        run = self._run
        assert run is not None
        run.state, run.missing = status.state, 0
        if status.state.terminal:
            return self._conclude(run, status)
        if status.state in (GoalState.ACTIVE, GoalState.PREEMPTING) and not run.began:
            run.began = True
            self._progress.restart(now)
        if run.foreign >= _SURE:
            return self._lose_to_other(run, now)
        return []

    def _conclude(self, run: _Run, status: GoalStatus) -> list[Effect]:
        outcome = _OUTCOMES.get(status.state)
        if outcome is not None:
            return self._end(outcome, status.text)
        if run.intent is not None:
            return self._end(run.intent.outcome, run.intent.text or status.text)
        if status.state is GoalState.RECALLED and not run.began and not run.foreign:
            text = "recalled before it began: an older cancel stands, or somebody cancelled all"
            return self._end(NavOutcome.REJECTED, text)
        return self._end(NavOutcome.PREEMPTED, status.text or "by somebody else")

    def _on_absence(self, run: _Run) -> list[Effect]:
        if run.state is None:
            return []  # not taken yet: time will tell
        run.missing += 1
        if run.missing < _SURE:
            return []
        if run.intent is not None and run.state is GoalState.RECALLING:
            return self._end(run.intent.outcome, run.intent.text or "it never began")
        if run.foreign:
            return self._lose_to_other(run, self._status_at)
        text = "move_base does not know the goal any more: it was restarted, or finished unseen"
        return self._lose(text, self._status_at)

    def _count_foreign(self, run: _Run, listed: dict[str, GoalStatus]) -> None:
        """Count lists with somebody else's goal active since ours was; before, ours preempts it."""
        active = any(
            item.state is GoalState.ACTIVE and item.id != run.id and not self._ids.is_own(item.id)
            for item in listed.values()
        )
        run.foreign = run.foreign + 1 if active and run.began else 0

    def _watch(self, now: float) -> list[Effect]:
        """Look after a goal that has been taken."""
        if self._is_silent(now):
            return self._lose(f"no status for {now - self._status_at:.1f} s: the link is down", now)
        stale = self._pose.fault(now) or self._scan.fault(now)
        if stale:
            return self._give_up(NavOutcome.STALE, stale, now)
        run = self._run
        stuck = self._progress.fault(now) if run is not None and run.began else ""
        return self._give_up(NavOutcome.TIMEOUT, stuck, now) if stuck else []

    def _news(self, run: _Run | None, pose: Pose2D, now: float) -> list[Effect]:
        if run is None:
            return []
        if run.began:
            self._progress.note(pose, now)
        if now - run.news_at < _NEWS_S:
            return []
        run.news_at = now
        goal = run.task.goal.pose
        left = math.hypot(goal.x - pose.x, goal.y - pose.y)
        return [News(run.task, NavFeedback(pose, left, now - run.sent_at))]

    def _is_silent(self, now: float) -> bool:
        return now - self._status_at > self._config.silence_s

    # -- ending -------------------------------------------------------------------------------

    def _end(self, outcome: NavOutcome, text: str) -> list[Effect]:
        run, self._run = self._run, None
        assert run is not None
        return [Ended(run.task, outcome, text)]

    def _lose(self, text: str, now: float) -> list[Effect]:
        run = self._run
        assert run is not None
        return self._end(NavOutcome.LOST, text) + self._start_farewell(run.id, now)

    def _lose_to_other(self, run: _Run, now: float) -> list[Effect]:
        text = "somebody else's goal is active"
        return self._end(NavOutcome.PREEMPTED, text) + self._start_farewell(run.id, now)

    def _start_farewell(self, goal_id: str, now: float) -> list[Effect]:
        """Cancel a goal of which we do not know whether it lives, for as long as it might."""
        if goal_id:
            self._farewells[goal_id] = (now + self._config.cancel_timeout_s, now)
        return self._bid_farewell(now)

    def _bid_farewell(self, now: float) -> list[Effect]:
        effects: list[Effect] = []
        for goal_id, (until, due) in list(self._farewells.items()):
            if now >= until:
                del self._farewells[goal_id]
            elif now >= due:
                self._farewells[goal_id] = (until, now + self._config.resend_s)
                effects.append(SendCancel(goal_id))
        return effects

    def _cancel_orphans(self, listed: dict[str, GoalStatus], now: float) -> list[Effect]:
        """Cancel living goals of ours that nobody follows.

        Not before a newer goal is active: that preempts them without a stop on the way.
        """
        run = self._run
        effects: list[Effect] = []
        for item in listed.values():
            if not self._ids.is_own(item.id) or (run is not None and item.id == run.id):
                continue
            if item.state.terminal or item.state in _CANCELLING:
                self._farewells.pop(item.id, None)
            elif item.id not in self._farewells and (run is None or run.began):
                effects += self._start_farewell(item.id, now)
        return effects
