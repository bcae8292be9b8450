"""Executor node: carries missions out, one committed skill at a time."""

from __future__ import annotations

import time
from typing import Any

from adm_core.errors import AuditError
from adm_core.memory.audit import AuditLog
from adm_core.planning.progress import Snapshot
from adm_core.types import Pose2D
from rclpy.task import Future

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_interfaces.action import RunMission
from adm_nodes.common import conversions, params, qos, runner
from adm_nodes.common.client import ResendingClient
from adm_nodes.common.errors import RefusedError, StoppedError
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.mission_input import Announced, MissionInput
from adm_nodes.common.run_config import RunConfig, SteeringConfig
from adm_nodes.common.run_log import open_run_log
from adm_nodes.mission_run import Listeners, MissionRun, goes_on, has_begun
from adm_nodes.steering import Steering

_LOOK_S = 0.2  # how often it is looked whether the mission is held
_ANNOUNCED_S = 5.0  # how long a goal waits for a mission to be announced


class ExecutorNode(AdmNode):
    """Shell around Executor, which runs in a thread of its own while a mission is under way.

    A mission that was under way when its executor's process ended goes on from its audit log as
    soon as another executor is active: nothing is done, planned or asked twice.

    Parameters
    ----------
    audit, pace_s : see RunConfig
        Audit log; pause after each step, which may be changed at any time.
    begin, held, approve, approval_s, world_s, memory_s, planner_s, when_silent : SteeringConfig
        When a mission begins, who approves, what becomes of requests that are not answered.

    Topics
    ------
    mission : Mission, map : OccupancyGrid, subscribed
        Static memory.
    mission_status : MissionStatus, published
        After every step, and when the mission is held or goes on.
    mission_result : MissionResult, published, latched
        When the mission has ended, for whatever reason.
    mission_control : MissionControl, published
        What people say; drivers stop at ``estop``.
    approval_request : ApprovalRequest, published, latched
        The skill that waits for a person's approval.
    observation_requests : ObservationRequest, published
        Places that the aerial source is asked to look at.

    Services
    --------
    hold_mission, resume_mission, step_mission, cancel_mission, estop, reset_estop : ControlMission
        Steer the mission under way.
    approve_skill : ApproveSkill
        Answer the question on approval_request.
    act, sync_memory, make_plan, load_mission : called

    Actions
    -------
    run_mission : RunMission
        Begin or resume a mission; ends with it.
    """

    changeable = frozenset({"pace_s"})

    def __init__(self, **kwargs: object) -> None:
        super().__init__("executor", **kwargs)
        params.declare(self, RunConfig)
        params.declare(self, SteeringConfig)
        self._audit: AuditLog | None = None
        self._run: MissionRun | None = None
        self._loader: ResendingClient | None = None
        self.reset()

    def setup(self) -> None:
        """Offer the services and wait for a mission."""
        self._config = params.read(self, RunConfig)
        self._pace_s = self._config.pace_s
        self._steering_config = params.read(self, SteeringConfig)
        self._steering = Steering(self, self._steering_config)
        self._publish_status = self.add_publisher(msgs.MissionStatus, "mission_status", qos.STATUS)
        self._publish_result = self.add_publisher(msgs.MissionResult, "mission_result", qos.LATCHED)
        self._publish_look = self.add_publisher(
            msgs.ObservationRequest, "observation_requests", qos.STATUS
        )
        MissionInput(self, self._on_mission)
        self.add_action(RunMission, "run_mission", self._on_goal, self._on_cancel)
        self.add_timer(_LOOK_S, self._show_held)

    def adopt(self, changed: dict[str, Any]) -> None:
        """Take up another pace."""
        self._pace_s = changed.get("pace_s", self._pace_s)

    def start(self) -> None:
        """Begin the mission if it is known; otherwise it begins when it is."""
        self._loader = ResendingClient(self, srvs.LoadMission, "load_mission")
        self._begin_if_due()

    def stop(self) -> None:
        """End the mission between two steps, or where it waits for an answer."""
        if self._run is not None:
            self._run.stop()
        if self._loader is not None:
            self._loader.close()
        for future in (self._announcement, self._ended):
            if future is not None and not future.done():
                future.set_result(None)
        self._run = self._loader = None

    def reset(self) -> None:
        """Drop the mission and close the log."""
        self._announced: Announced | None = None
        self._announcement: Future | None = None  # brings the next mission
        self._patience_ends = float("inf")
        self._ended: Future | None = None  # brings the result to whoever set the goal
        self._goal: Any = None
        self._snapshot: Snapshot | None = None
        self._replans = 0
        self._shown_held = ""
        if self._audit is not None:
            self._audit.close()
            self._audit = None

    # -- the mission --------------------------------------------------------------------------

    def _on_mission(self, announced: Announced) -> None:
        if self._run is not None and self._run.running:
            self.get_logger().error(f"mission {announced.run_id} refused: one is under way")
            return
        if self._audit is not None:
            self._audit.close()
        self._audit = open_run_log(self._config.audit, announced.run_id)
        self._announced, self._snapshot = announced, None
        if self._announcement is not None and not self._announcement.done():
            self._announcement.set_result(announced)
        elif self.is_active:
            self._begin_if_due()

    def _begin_if_due(self) -> None:
        """Begin what is to begin by itself, or go on with what was under way."""
        if self._announced is None:
            return
        new = self._steering_config.begin == "announced" and not has_begun(self._audit)
        if new or goes_on(self._audit):
            self._begin()

    def _begin(self) -> None:
        assert self._announced is not None
        self._run = MissionRun(
            self,
            self._announced,
            self._audit,
            self._steering,
            self._steering_config,
            Listeners(self._on_snapshot, self._on_look, self._on_result),
            lambda: self._pace_s,
        )
        self._run.start()

    # -- what the mission's thread tells --------------------------------------------------------

    def _on_snapshot(self, snapshot: Snapshot, replans: int) -> None:
        self._snapshot, self._replans = snapshot, replans
        self._show(self._steering.held)

    def _on_look(self, number: int, now: float, place: Pose2D) -> None:
        assert self._announced is not None
        self._publish_look(
            msgs.ObservationRequest(
                number=number,
                now=now,
                frame_id=self._announced.mission.frame_id,
                place=conversions.pose_to_msg(place),
            )
        )

    def _on_result(self, result: msgs.MissionResult) -> None:
        self._publish_result(result)

        def end() -> None:
            if self._ended is not None and not self._ended.done():
                self._ended.set_result(result)

        self.soon(end)  # futures belong to the spinning thread

    def _show_held(self) -> None:
        """Tell when the mission is held or goes on: no step does. End what waits in vain."""
        waits = self._announcement
        if waits is not None and not waits.done() and time.monotonic() > self._patience_ends:
            waits.set_result(None)
        if self._run is not None and self._run.running and self._steering.held != self._shown_held:
            self._show(self._steering.held)

    def _show(self, held: str) -> None:
        snapshot, self._shown_held = self._snapshot, held
        if snapshot is None:
            return
        status = conversions.snapshot_to_msg(snapshot, self._replans, held)
        self._publish_status(status)
        if self._goal is not None and self._goal.is_active:
            self._goal.publish_feedback(
                RunMission.Feedback(
                    step=snapshot.step,
                    held=held,
                    plan=status.plan,
                    exposed=len(snapshot.exposed),
                    replans=self._replans,
                )
            )

    # -- the action ---------------------------------------------------------------------------

    async def _on_goal(self, goal: Any) -> RunMission.Result:
        """Run a mission for whoever asks (execute callback of the action)."""
        try:
            self._check_free()
            if goal.request.mission:
                await self._load(goal.request.mission)
            elif self._announced is None:
                await self._announcement_within(_ANNOUNCED_S)
            self._check_log(goal.request.resume)
        except (RefusedError, StoppedError, AuditError) as err:
            self.get_logger().error(f"run_mission refused: {err}")
            goal.abort()
            return RunMission.Result(outcome="refused", detail=str(err))
        self._goal, self._ended = goal, Future()
        self._begin()
        result = await self._ended
        self._goal = self._ended = None
        return _finished(goal, result)

    def _check_free(self) -> None:
        if not self.is_active:
            raise RefusedError("the executor is not active")
        busy = self._run is not None and self._run.running
        if busy or self._goal is not None or self._announcement is not None:
            raise RefusedError("a mission is under way")

    async def _load(self, mission: str) -> None:
        """Have the world announce another mission, and wait for it."""
        assert self._loader is not None
        self._announcement = Future()
        try:
            reply = await self._loader.call_async(srvs.LoadMission.Request(mission=mission))
        except BaseException:
            self._announcement = None
            raise
        if self._announced is None or self._announced.run_id != reply.run_id:
            await self._announcement_within(float("inf"))
        self._announcement = None

    async def _announcement_within(self, limit_s: float) -> None:
        """Wait until a mission is announced, or for so long."""
        self._announcement = self._announcement or Future()
        self._patience_ends = time.monotonic() + limit_s
        await self._announcement
        self._announcement = None
        if not self.is_active:
            raise StoppedError("the executor was deactivated")

    def _check_log(self, resume: bool) -> None:
        if self._announced is None:
            raise RefusedError("no mission has been announced")
        if resume and not has_begun(self._audit):
            raise RefusedError("there is nothing to resume: the audit log holds no mission")
        if not resume and has_begun(self._audit):
            raise RefusedError("the audit log holds this mission: resume it, or load another one")

    def _on_cancel(self) -> None:
        self._steering.controls.cancel("action_client")


def _finished(goal: Any, result: msgs.MissionResult | None) -> RunMission.Result:
    """Return the result of a goal and put the goal into its final state."""
    if result is None:
        goal.abort()
        return RunMission.Result(outcome="stopped", detail="the executor was deactivated")
    if result.outcome in ("completed", "out_of_budget"):
        goal.succeed()
    elif goal.is_cancel_requested:
        goal.canceled()
    else:
        goal.abort()
    return RunMission.Result(outcome=result.outcome, detail=result.detail, tally=result)


def main() -> int:
    """Run the node."""
    return runner.main(ExecutorNode)


if __name__ == "__main__":
    raise SystemExit(main())
