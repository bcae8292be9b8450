"""Planner node: retrieve, plan, validate, whoever plans."""

from __future__ import annotations

import json
import os
import threading
import time
import traceback
from pathlib import Path

from adm_core.errors import AdmError, MissionError
from adm_core.llm.config import LlmConfig
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.records import Exposure
from adm_core.missions.planners import PlannerSetup, set_up_planner
from adm_core.missions.run_folder import RunFolder
from adm_core.planning.llm_planner import LlmPlannerConfig
from adm_core.planning.planner import Planner
from adm_core.planning.ports import PlanReply, PlanRequest
from rclpy.task import Future

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.common import conversions, params, qos, runner
from adm_nodes.common.client import ResendingClient
from adm_nodes.common.errors import DeadlineError, NotActiveError, StoppedError
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.mission_input import Announced, MissionInput
from adm_nodes.common.run_config import RunConfig

_GRACE_S = 5.0  # beyond the model's own deadline: for what that does not see
_LOOK_S = 0.1
OVERDUE = "deadline"


class PlannerNode(AdmNode):
    """Shell around the planners of the core: the policy, a model, or a recording of one.

    A model is asked in a thread of its own. If the call hangs beyond its deadline, the built-in
    policy answers in its place, or the call is refused, as `planner.fallback` says. The key comes
    from the environment (or the file `llm.key_file`); no parameter holds it.

    Parameters
    ----------
    llm.*, planner.*, attention.* : see LlmConfig, LlmPlannerConfig, AttentionConfig
        Who plans, what becomes of answers, how well records are backed.
    audit : string
        Audit log; the calls of a model are written down beside it.

    Topics
    ------
    mission : Mission, map : OccupancyGrid, subscribed
        Static memory.
    planner_status : PlannerStatus, published, latched
        Who plans, and who answered the last call.

    Services
    --------
    make_plan : MakePlan
        One planning call.
    retrieve : Retrieve, called
        What the plan may be made from.
    """

    def __init__(self, **kwargs: object) -> None:
        super().__init__("planner", **kwargs)
        params.declare(self, LlmConfig, "llm")
        params.declare(self, LlmPlannerConfig, "planner")
        params.declare(self, AttentionConfig, "attention")
        params.declare(self, RunConfig, names=["audit"])
        self._memory: ResendingClient | None = None
        self._planners: PlannerSetup | None = None
        self.reset()

    def setup(self) -> None:
        """Connect to whoever plans, and wait for the mission."""
        self._llm = params.read(self, LlmConfig, "llm")
        self._config = params.read(self, LlmPlannerConfig, "planner")
        self._attention = params.read(self, AttentionConfig, "attention")
        self._planners = set_up_planner(
            self._llm, self._config, os.environ, time.monotonic, time.sleep
        )
        log = params.read(self, RunConfig, names=["audit"]).audit
        if log and self._planners.ledger:
            RunFolder.existing(Path(log).parent).keep_ledger(self._planners.ledger)
        self._publish_status = self.add_publisher(msgs.PlannerStatus, "planner_status", qos.LATCHED)
        MissionInput(self, self._on_mission)
        self.add_service(srvs.MakePlan, "make_plan", self._on_make_plan)
        self.add_timer(_LOOK_S, self._give_up_overdue)

    def start(self) -> None:
        """Connect to memory; say who plans."""
        self._memory = ResendingClient(self, srvs.Retrieve, "retrieve")
        self._show("")

    def stop(self) -> None:
        """Give up the call under way."""
        if self._memory is not None:
            self._memory.close()
        if self._thinking is not None and not self._thinking.done():
            self._thinking.set_exception(NotActiveError("the planner was deactivated"))

    def reset(self) -> None:
        """Drop the planner, and close the recording."""
        if self._planners is not None:
            self._planners.__exit__(None, None, None)
        self._planners = None
        self._announced: Announced | None = None
        self._planner: Planner | None = None
        self._thinking: Future | None = None  # brings the reply of the call under way
        self._last: tuple[int, Future] | None = None  # number and reply of the last call
        self._overdue_at = float("inf")
        self._answered = self._overdue = self._takeovers = 0

    def _on_mission(self, announced: Announced) -> None:
        self._announced, self._last = announced, None
        self._planner = self._fresh_planner(announced)

    def _fresh_planner(self, announced: Announced) -> Planner:
        assert self._planners is not None
        return self._planners.planner(announced.mission, announced.terrain, self._attention)

    # -- one call -------------------------------------------------------------------------------

    async def _on_make_plan(
        self, request: srvs.MakePlan.Request, response: srvs.MakePlan.Response
    ) -> None:
        """Answer a call; one that is known by its number is not made again."""
        if request.number and self._last is not None and self._last[0] == request.number:
            _copy(await self._last[1], response)
            return
        reply = Future()
        self._last = (request.number, reply)
        try:
            reply.set_result(await self._make_plan(request))
        except BaseException as err:
            self._last = None  # it may be asked again
            reply.set_exception(err)
            reply.exception()  # whether or not somebody else waits for it
            raise
        _copy(reply.result(), response)

    async def _make_plan(self, request: srvs.MakePlan.Request) -> srvs.MakePlan.Response:
        if self._planner is None or self._memory is None:
            raise NotActiveError("no mission yet")
        query = srvs.Retrieve.Request(now=request.now, focus=request.focus)
        try:
            found = await self._memory.call_async(query)
        except StoppedError as err:
            raise NotActiveError("the planner was deactivated") from err
        if self._thinking is not None and not self._thinking.done():
            raise NotActiveError("another planning call is under way")
        if self._announced is not None:
            await self._announced.floor_at(request.now)
        planner = self._planner
        planner.restore(json.loads(request.state or "{}"))
        reply = await self._think(_request(request), conversions.exposure_from_msg(found.exposure))
        hangs = OVERDUE in reply.refusals
        self._answered += 1
        self._takeovers += reply.planner != self._mode
        self._show(reply.planner)
        return srvs.MakePlan.Response(
            steps=[conversions.step_to_msg(item) for item in reply.steps],
            exposure=found.exposure,
            state=request.state if hangs else json.dumps(planner.state()),
            context_units=reply.context_units,
            planner=reply.planner,
            refusals=list(reply.refusals),
        )

    async def _think(self, request: PlanRequest, exposure: Exposure) -> PlanReply:
        """Plan; a model is asked in a thread of its own, for no longer than it may take."""
        assert self._planner is not None
        if self._planners is None or self._planners.line is None:
            return self._planner.plan(request, exposure)
        thinking = self._thinking = Future()
        self._overdue_at = time.monotonic() + self._llm.deadline_s + _GRACE_S
        threading.Thread(
            target=self._ask_model, args=(self._planner, request, exposure, thinking), daemon=True
        ).start()
        try:
            return await thinking
        except DeadlineError:
            self._overdue += 1
            return self._stand_in(request, exposure)
        finally:
            self._overdue_at = float("inf")

    def _ask_model(
        self, planner: Planner, request: PlanRequest, exposure: Exposure, thinking: Future
    ) -> None:
        """Plan in this thread; hand the outcome to the spinning one."""
        try:
            reply = planner.plan(request, exposure)
            deliver = lambda: thinking.set_result(reply)  # noqa: E731
        except Exception as err:
            if not isinstance(err, AdmError):
                self.get_logger().error(traceback.format_exc())
            failure = err
            deliver = lambda: thinking.set_exception(failure)  # noqa: E731
        self.soon(lambda: None if thinking.done() else deliver())

    def _give_up_overdue(self) -> None:
        if self._thinking is None or self._thinking.done():
            return
        if time.monotonic() > self._overdue_at:
            self._thinking.set_exception(DeadlineError("the model hangs"))

    def _stand_in(self, request: PlanRequest, exposure: Exposure) -> PlanReply:
        """Answer in the place of a model that hangs, which keeps its thread and its planner."""
        assert self._announced is not None and self._planners is not None
        self._planner = self._fresh_planner(self._announced)
        if self._config.fallback == "hold":
            raise MissionError(f"mission held: planner '{self._mode}' gave no plan ({OVERDUE})")
        policy = Planner(
            self._announced.mission, self._announced.terrain, attention=self._attention
        )
        reply = policy.plan(request, exposure)
        return PlanReply(reply.steps, exposure, reply.context_units, reply.planner, (OVERDUE,))

    # -- viewers --------------------------------------------------------------------------------

    @property
    def _mode(self) -> str:
        return self._planners.mode if self._planners is not None else ""

    def _show(self, answered_by: str) -> None:
        ledger = self._planners.ledger if self._planners else None
        self._publish_status(
            msgs.PlannerStatus(
                mode=self._mode,
                model=ledger.model if ledger else "",
                answered_by=answered_by,
                calls=self._answered,
                takeovers=self._takeovers,
                overdue=self._overdue,
                detail=self._planners.warning if self._planners else "",
            )
        )


def _request(request: srvs.MakePlan.Request) -> PlanRequest:
    return PlanRequest(
        request.planning_call,
        request.now,
        conversions.focus_from_msg(request.focus),
        request.last_outcome,
        request.trigger,
    )


def _copy(reply: srvs.MakePlan.Response, response: srvs.MakePlan.Response) -> None:
    for name in reply.get_fields_and_field_types():
        if name != "status":
            setattr(response, name, getattr(reply, name))


def main() -> int:
    """Run the node."""
    return runner.main(PlannerNode)


if __name__ == "__main__":
    raise SystemExit(main())
