"""Search node: one action for the whole team, with feedback and cancellation."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import Any

from adm_core.config import Config, param
from adm_core.search.explorer import DONE, DONE_EXCEPT, FOUND, RUNNING, STOPPED
from adm_core.search.task import SearchTask
from adm_core.search.task_parser import NOT_ASKED, parse_task
from adm_nodes.common import params, qos, runner
from adm_nodes.common.conversions import pose_to_msg
from adm_nodes.common.conversions import search as convert
from adm_nodes.common.lifecycle import AdmNode
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.task import Future

import adm_interfaces.msg as msgs
from adm_interfaces.action import RunSearch
from sagr_nodes.config import TeamConfig
from sagr_nodes.known_share import KnownShare

_TICK_S = 0.25
_BUDGET = 20_000
#: The first of these that an explorer says counts, as in a search without ROS.
_ENDS = (FOUND, DONE, DONE_EXCEPT, STOPPED, "budget")


@dataclass(frozen=True)
class SearchNodeConfig(Config):
    """When a search is given up for lost."""

    silence_s: float = param(
        5.0, "an explorer not heard for this time has no say in the end", unit="s", min=0.1
    )
    settle_s: float = param(
        1.0, "how long all must say that nothing is left, without lockstep", unit="s", min=0.0
    )
    lost_s: float = param(
        60.0, "the search has failed if no explorer is heard for this time", unit="s", min=1.0
    )


class _Run:
    """One search under way."""

    def __init__(self, task: SearchTask, budget_steps: int, again: bool = False) -> None:
        self.run_id = secrets.token_hex(8)
        self.task, self.budget_steps, self.again = task, budget_steps, again
        self.start_step = 0
        self.begun = False
        self.reports: dict[int, msgs.SearcherReport] = {}
        self.heard_at: dict[int, float] = {}
        self.last_heard = time.monotonic()
        self.shown = -1
        self.over_since: float | None = None
        self.plan = ""
        self.agreed = True
        self.ended = Future()
        self._digests: dict[int, str] = {}

    def anew(self, start_step: int) -> _Run:
        """Return the search that follows this one for the same goal."""
        run = _Run(self.task, self.budget_steps, self.again)
        run.start_step, run.begun, run.ended = start_step, True, self.ended
        return run

    def take(self, report: msgs.SearcherReport) -> None:
        """Take a report in, and hold its decisions against those of the others."""
        self.last_heard = self.heard_at[report.robot] = time.monotonic()
        self.reports[report.robot] = report
        if report.decisions and report.decision_sha256:
            known = self._digests.setdefault(report.decisions, report.decision_sha256)
            self.agreed = self.agreed and known == report.decision_sha256
            if len(self._digests) > 100:
                del self._digests[min(self._digests)]

    def steps(self) -> int:
        """Return the steps of the robot that has come farthest."""
        return max((item.step - self.start_step for item in self.reports.values()), default=0)

    def verdict(self, silence_s: float) -> msgs.SearcherReport | None:
        """Return the report by which the search has ended; None if it goes on."""
        now = time.monotonic()
        voices = [
            item for robot, item in self.reports.items() if now - self.heard_at[robot] < silence_s
        ]
        found = [item for item in voices if item.state == FOUND]
        if not found and (not voices or any(item.state == RUNNING for item in voices)):
            return None
        return min(found or voices, key=lambda item: (_ENDS.index(item.state), item.robot))

    def order(self, robots: int, active: bool = True) -> msgs.SearchOrder:
        """Return the order to the team."""
        return msgs.SearchOrder(
            run_id=self.run_id,
            active=active,
            text=self.task.text,
            object=self.task.object,
            room_type=self.task.room_type,
            robots=robots,
            start_step=self.start_step,
            budget_steps=self.budget_steps,
        )


class SearchNode(AdmNode):
    """Let the team search for what a goal asks for, one goal at a time.

    Parameters
    ----------
    robots, ... : see TeamConfig
    silence_s, settle_s, lost_s : see SearchNodeConfig
    object_kinds : string[]
        Kinds of objects that sentences may name.

    Topics
    ------
    search : SearchOrder, published, latched
    reports : SearcherReport, subscribed
    assignments : RoomAssignments, subscribed
        Plan for the feedback.
    fused_map, fused_map_updates : LabelledMap, MapUpdate, subscribed
        Room types that sentences may name, and how much is known.
    ROBOT/state : SearcherState, subscribed, latched
        From which step the search counts.

    Actions
    -------
    run_search : RunSearch
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("search", **kwargs)
        params.declare(self, TeamConfig)
        params.declare(self, SearchNodeConfig)
        self.declare_parameter("object_kinds", [""])
        self._server: ActionServer | None = None
        self._known: KnownShare | None = None
        self._run: _Run | None = None
        self._goal: Any = None
        self.reset()

    def setup(self) -> None:
        """Offer the action; listen to the team."""
        self._team = params.read(self, TeamConfig)
        self._config = params.read(self, SearchNodeConfig)
        self._kinds = [kind for kind in self.get_parameter("object_kinds").value if kind]
        self._publish = self.add_publisher(msgs.SearchOrder, "search", qos.LATCHED)
        self._known = KnownShare(self, "fused_map")
        self.add_subscription(msgs.SearcherReport, "reports", qos.TEAM, self._on_report)
        self.add_subscription(
            msgs.RoomAssignments, "assignments", qos.LATCHED, self._on_assignments
        )
        for number, name in enumerate(self._team.names):
            self.add_subscription(
                msgs.SearcherState, f"{name}/state", qos.LATCHED, self._state_of(number)
            )
        self.add_timer(_TICK_S, self._tick)
        self._server = ActionServer(
            self,
            RunSearch,
            "run_search",
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=self._on_cancel,
        )

    def start(self) -> None:
        """Accept goals from now on."""
        if self._known is not None:
            self._known.open()

    def stop(self) -> None:
        """End the search that is under way."""
        if self._known is not None:
            self._known.close()
        self._end("failed", "the search node was deactivated")

    def reset(self) -> None:
        """Withdraw the action."""
        if self._server is not None:
            self._server.destroy()
        self._server = None
        self._known = None
        self._run, self._goal = None, None
        self._steps: dict[int, int] = {}

    # -- the action -------------------------------------------------------------------------

    def _on_goal(self, goal: RunSearch.Goal) -> GoalResponse:
        why = self._refusal(goal)
        if why:
            self.get_logger().error(f"search {goal.text!r} refused: {why}")
            return GoalResponse.REJECT
        assert self._known is not None
        task = self._task(goal)
        self._run = _Run(task, goal.budget_steps or _BUDGET, goal.again)
        return GoalResponse.ACCEPT

    def _refusal(self, goal: RunSearch.Goal) -> str:
        """Return why a goal cannot be taken; empty if it can."""
        if not self.is_active or self._known is None:
            return "the search node is not active"
        if self._run is not None:
            return f"{self._run.task.text!r} is under way"
        if not (goal.object or goal.room_type):
            if not goal.text.strip():
                return "it says nothing"
            if NOT_ASKED in parse_task(goal.text, self._known.room_types, self._kinds)[1]:
                return NOT_ASKED
        return ""

    def _task(self, goal: RunSearch.Goal) -> SearchTask:
        if goal.object or goal.room_type:
            return SearchTask(goal.text, goal.object, goal.room_type)
        assert self._known is not None
        task, notes = parse_task(goal.text, self._known.room_types, self._kinds)
        for note in notes:
            self.get_logger().warning(note)
        return task

    def _on_cancel(self, _: Any) -> CancelResponse:
        return CancelResponse.ACCEPT

    async def _execute(self, handle: Any) -> RunSearch.Result:
        run = self._run
        if run is None:  # deactivated in between
            handle.abort()
            return RunSearch.Result(
                state="failed", found_by=-1, target=pose_to_msg(convert.NOWHERE)
            )
        self._goal = handle
        self._try_begin(run)
        result: RunSearch.Result = await run.ended
        if result.state == "cancelled":
            handle.canceled()
        elif result.state == "failed":
            handle.abort()
        else:
            handle.succeed()
        return result

    def _try_begin(self, run: _Run) -> None:
        """Order the search once every robot is there, or enough time was given to it."""
        waited = time.monotonic() - run.last_heard
        if run.begun or (len(self._steps) < self._team.robots and waited < self._team.patience_s):
            return
        run.begun = True
        run.start_step = max(self._steps.values(), default=0)
        run.last_heard = time.monotonic()
        self._publish(run.order(self._team.robots))

    def _end(self, state: str, detail: str = "", by: msgs.SearcherReport | None = None) -> None:
        """End the search under way with a result, if there is one."""
        run, self._run, self._goal = self._run, None, None
        if run is None or run.ended.done():
            return
        self._publish(run.order(self._team.robots, active=False))
        result = RunSearch.Result(
            state=state, detail=detail, steps=run.steps(), found_by=-1, agreed=run.agreed
        )
        result.target = pose_to_msg(convert.NOWHERE)
        if by is not None:
            result.steps = by.step - run.start_step
            result.coordinations, result.given_up = by.coordinations, by.given_up
            result.decision_sha256, result.unreachable = by.decision_sha256, by.unreachable
        for item in run.reports.values():
            if state == FOUND and item.found:
                result.found_by, result.target = item.robot, item.target
        run.ended.set_result(result)

    # -- input ------------------------------------------------------------------------------

    def _state_of(self, number: int) -> Any:
        def take(message: msgs.SearcherState) -> None:
            self._steps[number] = message.step

        return take

    def _on_report(self, message: msgs.SearcherReport) -> None:
        run = self._run
        if run is None or message.run_id != run.run_id or message.state not in (RUNNING, *_ENDS):
            return
        run.take(message)
        self._show(run)
        self._judge(run)

    def _on_assignments(self, message: msgs.RoomAssignments) -> None:
        if self._run is not None and message.run_id == self._run.run_id:
            self._run.plan = message.summary

    def _tick(self) -> None:
        run = self._run
        if run is None:
            return
        handle = self._goal
        if handle is not None and handle.is_cancel_requested:
            self._end("cancelled")
            return
        if not run.begun:
            self._try_begin(run)
            return
        if time.monotonic() - run.last_heard > self._config.lost_s:
            self._end("failed", f"no explorer was heard for {self._config.lost_s:g} s")
            return
        self._judge(run)

    def _judge(self, run: _Run) -> None:
        by = run.verdict(self._config.silence_s)
        if by is None:
            run.over_since = None
            return
        if not self._team.lockstep and by.state != FOUND:  # a late map may show more
            run.over_since = run.over_since or time.monotonic()
            if time.monotonic() - run.over_since < self._config.settle_s:
                return
        if run.again and not run.task.is_search:
            self._run = run.anew(by.step + 1)
            self._publish(self._run.order(self._team.robots))
        else:
            self._end(by.state, by=by)

    def _show(self, run: _Run) -> None:
        """Send feedback, once a step."""
        steps = run.steps()
        handle = self._goal
        if steps <= run.shown or handle is None or self._known is None:
            return
        run.shown = steps
        reports = run.reports.values()
        feedback = RunSearch.Feedback(
            query=_words(run.task),
            steps=steps,
            known_share=self._known.share,
            found=any(item.found for item in reports),
            heard=sum(item.step - run.start_step == steps for item in reports),
            plan=run.plan,
        )
        handle.publish_feedback(feedback)


def _words(task: SearchTask) -> str:
    """Return what is looked for, as it was understood."""
    if not task.is_search:
        return "explore"
    where = f" in the {task.room_type}" if task.room_type else ""
    return f"{task.object or 'object'}{where}"


def main() -> int:
    """Run the node."""
    return runner.main(SearchNode)


if __name__ == "__main__":
    raise SystemExit(main())
