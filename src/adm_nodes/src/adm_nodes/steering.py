"""What people do to a mission over ROS: hold, resume, step, cancel, stop at once, approve, edit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from adm_core.memory.records import is_word
from adm_core.planning.approval import Answer, Approval, approved_skills
from adm_core.planning.controls import Control, Controls
from adm_core.planning.plan import Step
from adm_core.planning.supervision import EndedError

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.common import conversions, qos
from adm_nodes.common.client import ResendingClient
from adm_nodes.common.errors import DeadlineError, RefusedError, StoppedError
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.run_config import SteeringConfig

_POLL_S = 0.1
_ANSWERS = ("yes", "no", "always")


class Steering:
    """Services by which people steer the mission under way, and where its thread waits.

    Parameters
    ----------
    node : AdmNode
        Owner; services and topics live until it is released.
    config : SteeringConfig
        Who approves, and how long answers may take.

    Attributes
    ----------
    under_way : bool
        Whether there is a mission to steer; set by whoever runs it.
    controls : Controls
        Of the present mission; new with every :meth:`begin`.
    fetch : callable
        Takes edits in that were left in the log; called by the mission's thread while it is held.
    """

    def __init__(self, node: AdmNode, config: SteeringConfig) -> None:
        self._node, self._config = node, config
        self.fetch: Callable[[], None] = lambda: None
        self.under_way = False
        self._stopping = threading.Event()
        self._silent = ""  # who has not answered in time
        self._question: tuple[int, Step] | None = None
        self._answer: Answer | None = None
        self._changed = threading.Condition()
        self._asked = 0
        self.controls = Controls()
        self._publish_control = node.add_publisher(
            msgs.MissionControl, "mission_control", qos.STATUS
        )
        self._publish_question = node.add_publisher(
            msgs.ApprovalRequest, "approval_request", qos.LATCHED
        )
        self._serve()

    def begin(self, reset_by: str = "") -> tuple[Controls, Approval]:
        """Return controls and approval of a mission that begins or goes on."""
        self._stopping.clear()
        self._silent, self._question = "", None
        self.controls = Controls(self._while_held, self._config.held, reset_by)
        self.controls.listeners.append(self._tell)
        return self.controls, Approval(approved_skills(self._config.approve), self.ask)

    def stop(self) -> None:
        """Let the mission's thread go, wherever it waits for a person: it raises StoppedError."""
        self._stopping.set()
        with self._changed:
            self._changed.notify_all()

    @property
    def held(self) -> str:
        """Why nothing is dispatched; empty while the mission goes on."""
        question = self._question
        if self.controls.cancelled:
            return "cancelled"
        if self.controls.stopped:
            return "emergency stop"
        if self.controls.held:
            return "held"
        if question is not None:
            return f"waits for approval of {question[1]}"
        return self._silent

    # -- for the mission's thread -------------------------------------------------------------

    def ask(self, action: Step) -> Answer:
        """Ask people about a skill, and wait for the answer (Approval's `ask`)."""
        limit = self._config.approval_s
        with self._changed:
            self._asked += 1
            self._question, self._answer = (self._asked, action), None
            self._publish_question(
                msgs.ApprovalRequest(number=self._asked, action=[conversions.step_to_msg(action)])
            )
            deadline = time.monotonic() + limit if limit else float("inf")
            try:
                while self._answer is None and time.monotonic() < deadline:
                    self._changed.wait(_POLL_S)
                    self._check_end()
            finally:
                self._question, answer = None, self._answer
                self._publish_question(msgs.ApprovalRequest(number=self._asked))
        return answer or Answer(False, "", "nobody")

    def waiter(self, limit_s: float, interruptible: bool) -> Callable[[ResendingClient, Any], Any]:
        """Return a function that sends a request and waits for its reply.

        Parameters
        ----------
        limit_s : float
            How long the server may be silent.
        interruptible : bool
            Whether a cancelled mission ends without the answer, or sees the action through.
        """

        def wait(client: ResendingClient, request: Any) -> Any:
            answer, done = client.call_async(request), threading.Event()
            answer.add_done_callback(lambda future: _notice(future, done))
            try:
                while not done.wait(_POLL_S):
                    self._watch(client, limit_s, interruptible)
            finally:
                self._silent = ""
            return answer.result()

        return wait

    def _watch(self, client: ResendingClient, limit_s: float, interruptible: bool) -> None:
        """Look at a request under way: end, hold or abort where it is time to."""
        late = client.silence_s > limit_s
        if self.controls.cancelled and (interruptible or late):
            raise EndedError(self.controls.cancelled.detail or "cancelled")
        if not late or self._silent:
            return
        text = f"{client.name} has not answered for {limit_s:g} s"
        if self._config.when_silent == "abort":
            raise DeadlineError(text)
        self._silent = text
        self._node.get_logger().warning(f"mission held: {text}")

    def _while_held(self, _: Controls) -> None:
        if self._stopping.wait(_POLL_S):
            raise StoppedError("the executor was deactivated")
        self.fetch()

    def _check_end(self) -> None:
        if self._stopping.is_set():
            raise StoppedError("the executor was deactivated")
        if self.controls.cancelled:
            raise EndedError(self.controls.cancelled.detail or "cancelled")

    # -- for people -----------------------------------------------------------------------------

    def _serve(self) -> None:
        for name, act in (
            ("hold_mission", lambda who, why: self.controls.hold(who, why)),
            ("resume_mission", lambda who, _: self.controls.resume(who)),
            ("step_mission", lambda who, _: self.controls.step(who)),
            ("cancel_mission", lambda who, why: self.controls.cancel(who, why)),
            ("estop", lambda who, why: self.controls.estop(who, why)),
            ("reset_estop", lambda who, _: self.controls.reset(who)),
        ):
            self._node.add_service(srvs.ControlMission, name, self._control(act))
        self._node.add_service(srvs.ApproveSkill, "approve_skill", self._on_approve)

    def _control(self, act: Callable[[str, str], None]) -> Callable[[Any, Any], None]:
        def handle(request: srvs.ControlMission.Request, _: Any) -> None:
            if not self.under_way:
                raise RefusedError("no mission is under way")
            act(_plain_name(request.operator_id), request.detail)

        return handle

    def _on_approve(self, request: srvs.ApproveSkill.Request, _: Any) -> None:
        who = _plain_name(request.operator_id)
        if request.answer not in _ANSWERS:
            raise RefusedError(f"answer must be one of {', '.join(_ANSWERS)}")
        with self._changed:
            if self._question is None:
                raise RefusedError("no skill waits for approval")
            if request.number not in (0, self._question[0]):
                raise RefusedError(f"question {request.number} is not open any more")
            self._answer = Answer(request.answer != "no", who, request.answer)
            self._changed.notify_all()

    def _tell(self, control: Control) -> None:
        self._publish_control(
            msgs.MissionControl(
                word=control.word.value, operator_id=control.operator, detail=control.detail
            )
        )


def _notice(answer: Any, done: threading.Event) -> None:
    """Note that an answer, or its failure, is there, also if nobody waits for it any more."""
    answer.exception()
    done.set()


def _plain_name(text: str) -> str:
    """Return who speaks; RefusedError unless it can be logged as it is."""
    if not is_word(text):
        raise RefusedError(f"operator_id must be a plain word, got {text!r}")
    return text
