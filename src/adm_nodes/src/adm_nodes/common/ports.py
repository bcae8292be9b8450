"""The executor's ports over ROS services: numbered, journaled, and never waited for in silence."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from adm_core.memory.session import SyncReply, SyncRequest
from adm_core.planning.plain import command_to_plain, report_from_plain, report_to_plain
from adm_core.planning.plain_memory import (
    exposure_from_plain,
    exposure_to_plain,
    sync_reply_from_plain,
    sync_reply_to_plain,
)
from adm_core.planning.plan import Step
from adm_core.planning.ports import Command, PlanReply, PlanRequest, WorldReport
from adm_core.planning.recall import ACT, Plain, Recall
from adm_core.types import Pose2D

import adm_interfaces.srv as srvs
from adm_nodes.common import conversions
from adm_nodes.common.client import ResendingClient

#: Sends a request and returns its reply, for as long as people and deadlines allow.
Waiter = Callable[[ResendingClient, Any], Any]


class RosWorld:
    """World behind the service ``act``.

    Parameters
    ----------
    node : AdmNode
        Owner.
    recall : Recall
        Numbers requests and keeps their answers.
    wait : Waiter
        Sends, and waits.
    on_look : callable
        Gets number, time and place of a look that the aerial source is asked for.
    """

    def __init__(
        self,
        node: Any,
        recall: Recall,
        wait: Waiter,
        on_look: Callable[[int, float, Pose2D], None],
    ) -> None:
        self._client = ResendingClient(node, srvs.Act, "act")
        self._recall, self._wait, self._on_look = recall, wait, on_look
        self._now = 0.0
        self.close = self._client.close

    def start(self) -> WorldReport:
        """Publish the first evidence and return the state at step 0."""
        return self._act(None)

    def act(self, command: Command) -> WorldReport:
        """Carry out one action."""
        return self._act(command)

    def _act(self, command: Command | None) -> WorldReport:
        body = {"command": command_to_plain(command)}
        answer = self._recall.ask(ACT, body, lambda number: self._send(number, command))
        report = report_from_plain(answer)[0]
        self._now = float(report.step)
        return report

    def _send(self, number: int, command: Command | None) -> Plain:
        request = srvs.Act.Request(number=number, primitive="start")
        if command is not None:
            request.primitive, request.label = command.primitive.value, command.label
            request.goal = conversions.pose_to_msg(command.goal)
            if command.look is not None:
                request.look = [conversions.pose_to_msg(command.look)]
                self._on_look(number, self._now, command.look)
        return report_to_plain(
            conversions.report_from_msg(self._wait(self._client, request).report), []
        )


class RosMemory:
    """Memory behind the service ``sync_memory``."""

    def __init__(self, node: Any, recall: Recall, wait: Waiter) -> None:
        self._client = ResendingClient(node, srvs.SyncMemory, "sync_memory")
        self._recall, self._wait = recall, wait
        self._previous = 0
        self.close = self._client.close

    def sync(self, request: SyncRequest) -> SyncReply:
        """Apply pending evidence, edits and the outcome; return what changed."""
        number = self._recall.next_number
        answer = self._recall.ask("sync", {}, lambda number: self._send(number, request))
        self._previous = number
        return sync_reply_from_plain(answer)

    def _send(self, number: int, request: SyncRequest) -> Plain:
        outcome = [] if request.outcome is None else [conversions.outcome_to_msg(request.outcome)]
        message = srvs.SyncMemory.Request(
            number=number,
            previous=self._previous,
            now=request.now,
            evidence_seq=request.evidence_seq,
            focus=conversions.focus_to_msg(request.focus),
            outcome=outcome,
            edits=[conversions.edit_to_msg(item) for item in request.edits],
            count_candidates=request.count_candidates,
        )
        reply = self._wait(self._client, message)
        changes = tuple(conversions.change_from_msg(item) for item in reply.changes)
        return sync_reply_to_plain(SyncReply(changes, reply.candidates))


class RosPlanner:
    """Planner behind the service ``make_plan``; what it remembers travels with the requests."""

    def __init__(self, node: Any, recall: Recall, wait: Waiter) -> None:
        self._client = ResendingClient(node, srvs.MakePlan, "make_plan")
        self._recall, self._wait = recall, wait
        self._state: Plain = {}
        self.close = self._client.close

    def plan(self, request: PlanRequest) -> PlanReply:
        """Retrieve, plan and validate."""
        answer = self._recall.ask("plan", {}, lambda number: self._send(number, request))
        self._state = answer["state"]
        return PlanReply(
            tuple(Step(*item) for item in answer["steps"]),
            exposure_from_plain(answer["exposure"]),
            answer["context_units"],
            answer["planner"],
            tuple(answer["refusals"]),
        )

    def _send(self, number: int, request: PlanRequest) -> Plain:
        message = srvs.MakePlan.Request(
            number=number,
            planning_call=request.call,
            now=request.now,
            focus=conversions.focus_to_msg(request.focus),
            last_outcome=request.last_outcome,
            state=json.dumps(self._state),
            trigger=request.trigger,
        )
        reply = self._wait(self._client, message)
        return {
            "steps": [list(conversions.step_from_msg(item)) for item in reply.steps],
            "exposure": exposure_to_plain(conversions.exposure_from_msg(reply.exposure)),
            "context_units": reply.context_units,
            "planner": reply.planner,
            "refusals": list(reply.refusals),
            "state": json.loads(reply.state or "{}"),
        }
