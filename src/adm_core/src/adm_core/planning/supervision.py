"""What people may say between two actions, and how it is kept for a mission that is resumed."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple, Protocol

from adm_core.memory.audit import AuditLog
from adm_core.memory.edits import OperatorEdit
from adm_core.memory.stored import sound
from adm_core.planning.approval import Answer, Approval
from adm_core.planning.controls import Controls
from adm_core.planning.plan import Step


class Ruling(str, Enum):
    """What becomes of the next action."""

    GO = "go"
    EDITED = "edited"  # look at the memory again, then ask again
    DENIED = "denied"
    STOPPED = "stopped"  # an emergency stop took the skill away; it has been reset since
    END = "end"


class Decision(NamedTuple):
    """A ruling, with the edits that came, who gave it, and why."""

    ruling: Ruling
    edits: tuple[OperatorEdit, ...] = ()
    operator: str = ""
    detail: str = ""


GO = Decision(Ruling.GO)


class Supervisor(Protocol):
    """Is asked before every action."""

    def check(self, step: int, action: Step | None, begins: bool) -> Decision:
        """Return what becomes of the next action; may wait for a person.

        Parameters
        ----------
        step : int
            Steps taken so far.
        action : Step or None
            The skill that the action belongs to; None while searching.
        begins : bool
            Whether the skill (or a step of the search) begins with it.
        """


class EndedError(Exception):
    """A person, or the want of one, has ended the mission."""


def permission(
    supervisor: Supervisor,
    step: int,
    action: Step | None,
    begins: bool,
    take_edits: Callable[[tuple[OperatorEdit, ...]], bool],
) -> Ruling:
    """Ask until a ruling comes that is no edit, or an edit takes the action away.

    Parameters
    ----------
    supervisor, step, action, begins
        As :meth:`Supervisor.check` takes them.
    take_edits : callable
        Applies edits; tells whether the action is still planned.

    Raises
    ------
    EndedError
        If the mission is to end here.
    """
    while True:
        word = supervisor.check(step, action, begins)
        if word.ruling is Ruling.END:
            raise EndedError(word.detail or "cancelled")
        if word.ruling is not Ruling.EDITED or not take_edits(word.edits):
            return word.ruling


class JournaledSupervisor:
    """Supervisor that asks controls and approval, and notes in the journal what they said.

    A resumed mission repeats the rulings of the journal up to where it was, without asking
    anybody again. An emergency stop that was not reset is still latched.

    Parameters
    ----------
    controls : Controls
        Hold, step, cancel, emergency stop, edits.
    approval : Approval
        Who approves skills.
    audit : AuditLog or None
        Holds journal and log.
    replaying : callable
        Whether the next action is in the journal already.
    next_command : callable
        Number of the next command.
    """

    def __init__(
        self,
        controls: Controls,
        approval: Approval,
        audit: AuditLog | None = None,
        replaying: Callable[[], bool] = lambda: False,
        next_command: Callable[[], int] = lambda: 0,
    ) -> None:
        self._controls = controls
        self._approval = approval
        self._audit = audit
        self._replaying = replaying
        self._next_command = next_command
        self._number = 0
        self._rulings = audit.journal_entries("ruling") if audit else {}
        self._resets = audit.journal_entries("reset") if audit else {}
        self._mark, self._mark_command = _last_mark(audit)
        with sound("journal entry ruling"):
            self._requests_seen = max(
                (int(body.get("requests", 0)) for body in self._rulings.values()), default=0
            )

    def check(self, step: int, action: Step | None, begins: bool) -> Decision:
        """Return the ruling of the journal, or a new one."""
        number, self._number = self._number, self._number + 1
        stored = self._rulings.get(number)
        if stored is not None:
            word = self._repeat(number, stored, action, step)
        elif self._was_made(number):
            word = GO
        else:
            self._unmute(number)
            word = self._ask(number, step, action, begins)
        if number == self._mark:
            self._unmute(number)
        return word

    def _was_made(self, number: int) -> bool:
        """Tell whether this check was made, and followed by others, in an earlier run."""
        marked = self._mark_command >= self._next_command() and number < self._mark
        return self._replaying() or marked

    # -- from the journal -------------------------------------------------------------------

    def _repeat(
        self, number: int, stored: dict[str, Any], action: Step | None, step: int
    ) -> Decision:
        with sound(f"journal entry ruling {number}"):
            ruling, how = Ruling(stored["ruling"]), str(stored.get("how", ""))
            edits = tuple(map(OperatorEdit.from_plain, stored.get("edits", ())))
            operator, detail = str(stored["operator"]), str(stored["detail"])
        if action is not None and how:
            self._approval.remember(action, Answer(ruling is Ruling.GO, operator, how))
        if ruling is Ruling.STOPPED and number not in self._resets:
            self._unmute(number)
            self._controls.latch()
            return self._stand_still(number, step)
        return Decision(ruling, edits, operator, detail)

    def _unmute(self, number: int) -> None:
        """Let the log take entries again, once everything it holds has been repeated."""
        if self._audit and not self._was_made(number):
            self._audit.muted = False

    # -- from people ------------------------------------------------------------------------

    def _ask(self, number: int, step: int, action: Step | None, begins: bool) -> Decision:
        controls = self._controls
        if begins:
            controls.reaches_boundary()
        self._note_news(step)
        self.fetch_requests()
        if controls.stopped:
            return self._stop(number, step)
        if controls.held:
            self._commit(number)  # whatever happens while we wait, nothing is lost
            controls.wait()
            self._note_news(step)
            self.fetch_requests()
            if controls.stopped:
                return self._stop(number, step)
        if controls.cancelled:
            self._commit(number)
            return Decision(Ruling.END, (), controls.cancelled.operator, controls.cancelled.detail)
        edits = controls.take_edits()
        if edits:
            return self._edited(number, step, edits)
        return self._approve(number, step, action) if begins and action else GO

    def _stop(self, number: int, step: int) -> Decision:
        self._note(number, Ruling.STOPPED, "", "emergency stop")
        return self._stand_still(number, step)

    def _stand_still(self, number: int, step: int) -> Decision:
        """Wait until the emergency stop is reset and the mission resumed, or cancelled."""
        controls = self._controls
        self._commit(number)
        controls.wait(edits_wake=False)  # nothing is edited while everything stands still
        self._note_news(step)
        if controls.cancelled:
            self._commit(number)
            return Decision(Ruling.END, (), controls.cancelled.operator, controls.cancelled.detail)
        if self._audit:
            self._audit.journal("reset", number, {"step": step})
            self._commit(number)
        return Decision(Ruling.STOPPED, (), "", "emergency stop")

    def _edited(self, number: int, step: int, edits: tuple[OperatorEdit, ...]) -> Decision:
        if self._audit:
            for edit in edits:
                self._audit.control(step, "edit", edit.operator, edit.entity_id, str(edit))
        plain = [edit.as_plain() for edit in edits]
        self._note(number, Ruling.EDITED, "", "", edits=plain, requests=self._requests_seen)
        return Decision(Ruling.EDITED, edits)

    def _approve(self, number: int, step: int, action: Step) -> Decision:
        answer = self._approval(action)
        if answer.how == "list":
            return GO
        ruling = Ruling.GO if answer.granted else Ruling.DENIED
        detail = f"{action}: {answer.how}"
        if self._audit:
            self._audit.control(step, "approval", answer.operator, action.target_id, detail)
        if answer.how == "nobody":
            self._commit(number)
            why = f"held: skill {action} needs approval and there is nobody to ask"
            return Decision(Ruling.END, (), "", why)
        self._note(number, ruling, answer.operator, detail, how=answer.how)
        return Decision(ruling, (), answer.operator, detail)

    # -- log ----------------------------------------------------------------------------------

    def fetch_requests(self) -> None:
        """Take in the edits that another process has left in the log; for the mission's thread."""
        if self._audit is None or not self._audit.others_wrote():
            return
        for number, body in self._audit.edit_requests(self._requests_seen):
            self._requests_seen = number
            with sound(f"edit request {number}"):
                self._controls.edit(OperatorEdit.from_plain(body))

    def _note_news(self, step: int) -> None:
        for item in self._controls.take_news():
            if self._audit:
                self._audit.control(step, item.word.value, item.operator, "", item.detail)

    def _note(
        self, number: int, ruling: Ruling, operator: str, detail: str, **more: object
    ) -> None:
        if self._audit:
            body = {"ruling": ruling.value, "operator": operator, "detail": detail, **more}
            self._audit.journal("ruling", number, body)

    def _commit(self, number: int) -> None:
        if self._audit:
            self._audit.journal("mark", number, {"command": self._next_command()})
            self._audit.commit()


def _last_mark(audit: AuditLog | None) -> tuple[int, int]:
    """Return the last check that committed the log, and the command that was next then."""
    marks = audit.journal_entries("mark") if audit else {}
    last = max(marks, default=-1)
    with sound(f"journal entry mark {last}"):
        return last, int(marks[last]["command"]) if marks else -1
