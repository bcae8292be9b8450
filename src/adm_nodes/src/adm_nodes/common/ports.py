"""The executor's ports over ROS services.

Each calls `before` ahead of every request: what was decided is on disk before it is dispatched,
and the log is free for whoever answers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adm_core.memory.session import SyncReply, SyncRequest
from adm_core.planning.ports import Command, PlanReply, PlanRequest, WorldReport

import adm_interfaces.srv as srvs
from adm_nodes.common import conversions
from adm_nodes.common.client import ResendingClient


class RosWorld:
    """World behind the service ``act``."""

    def __init__(self, node: Any, before: Callable[[], None]) -> None:
        self._client = ResendingClient(node, srvs.Act, "act")
        self._before = before
        self.close = self._client.close

    def start(self) -> WorldReport:
        """Publish the first evidence and return the state at step 0."""
        return self._act(srvs.Act.Request(primitive="start"))

    def act(self, command: Command) -> WorldReport:
        """Carry out one action."""
        goal = conversions.pose_to_msg(command.goal)
        return self._act(
            srvs.Act.Request(primitive=command.primitive.value, goal=goal, label=command.label)
        )

    def _act(self, request: srvs.Act.Request) -> WorldReport:
        self._before()
        return conversions.report_from_msg(self._client.call(request).report)


class RosMemory:
    """Memory behind the service ``sync_memory``."""

    def __init__(self, node: Any, before: Callable[[], None]) -> None:
        self._client = ResendingClient(node, srvs.SyncMemory, "sync_memory")
        self._before = before
        self.close = self._client.close

    def sync(self, request: SyncRequest) -> SyncReply:
        """Apply pending evidence and the outcome; return what changed."""
        outcome = [] if request.outcome is None else [conversions.outcome_to_msg(request.outcome)]
        self._before()
        reply = self._client.call(
            srvs.SyncMemory.Request(
                now=request.now,
                evidence_seq=request.evidence_seq,
                focus=conversions.focus_to_msg(request.focus),
                outcome=outcome,
                count_candidates=request.count_candidates,
            )
        )
        changes = tuple(conversions.change_from_msg(item) for item in reply.changes)
        return SyncReply(changes, reply.candidates)


class RosPlanner:
    """Planner behind the service ``make_plan``."""

    def __init__(self, node: Any, before: Callable[[], None]) -> None:
        self._client = ResendingClient(node, srvs.MakePlan, "make_plan")
        self._before = before
        self.close = self._client.close

    def plan(self, request: PlanRequest) -> PlanReply:
        """Retrieve, plan and validate."""
        self._before()
        reply = self._client.call(
            srvs.MakePlan.Request(
                planning_call=request.call,
                now=request.now,
                focus=conversions.focus_to_msg(request.focus),
                last_outcome=request.last_outcome,
                trigger=request.trigger,
            )
        )
        return PlanReply(
            tuple(conversions.step_from_msg(item) for item in reply.steps),
            conversions.exposure_from_msg(reply.exposure),
            reply.context_units,
            reply.planner,
            tuple(reply.refusals),
        )
