"""The part of an executor that people steer: permission, edits, and plans that they take away."""

from __future__ import annotations

from abc import ABC, abstractmethod

from adm_core.memory.edits import OperatorEdit
from adm_core.memory.records import FailureReason
from adm_core.planning.coverage import Coverage
from adm_core.planning.plan import Step
from adm_core.planning.progress import Reason
from adm_core.planning.supervision import Ruling, Supervisor, permission


class Steered(ABC):
    """Base of the executor: asks before every action, and applies what people say."""

    _supervisor: Supervisor | None
    _plan: tuple[Step, ...]
    _reason: Reason
    _coverage: Coverage | None
    _interrupted: bool  # a person took the plan away: no reason to let a step pass

    @property
    @abstractmethod
    def step(self) -> int:
        """Steps taken so far."""

    @abstractmethod
    def _finish(self, action: Step, reason: FailureReason) -> None:
        """Write a skill's outcome to memory."""

    @abstractmethod
    def _give_up_plan(self, reason: Reason) -> None:
        """Drop the plan."""

    @abstractmethod
    def _note(self, action: Step, event: str, why: str) -> None:
        """Write what became of a skill to the log."""

    @abstractmethod
    def _take_edits(self, edits: tuple[OperatorEdit, ...], committed: bool) -> None:
        """Hand edits to memory; drop the plan if a change touches what it depends on."""

    def _permitted(self, action: Step | None, begins: bool = False) -> bool:
        """Ask whoever supervises; tell whether the next action of a skill may be carried out."""
        if self._supervisor is None:
            return True
        ruling = permission(
            self._supervisor,
            self.step,
            action,
            begins,
            lambda edits: self._still_planned(edits, action, begins),
        )
        if ruling is Ruling.DENIED and action is not None:
            self._finish(action, FailureReason.DENIED)
        elif ruling is Ruling.STOPPED:
            self._lose_plan(action, begins, Reason("emergency_stop"))
        return ruling is Ruling.GO

    def _still_planned(
        self, edits: tuple[OperatorEdit, ...], action: Step | None, begins: bool
    ) -> bool:
        """Apply edits; tell whether the plan survives them."""
        self._take_edits(edits, committed=not begins)
        if action is None:
            self._lose_plan(None, True, Reason("operator_edit", edits[0].entity_id))
        elif not self._plan:
            self._lose_plan(action, begins, self._reason)
        return bool(self._plan)

    def _lose_plan(self, action: Step | None, begins: bool, reason: Reason) -> None:
        self._interrupted = True
        self._coverage = None
        self._give_up_plan(reason)
        if action is not None and not begins:
            self._note(action, "preempted", str(self._reason))
