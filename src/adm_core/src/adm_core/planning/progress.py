"""What an executor tells about its work: reasons, snapshots, costs, and where it logs them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from adm_core.memory.records import ExposedRecord
from adm_core.planning.plan import Step
from adm_core.planning.ports import PlanReply
from adm_core.types import Pose2D

#: Reasons by which a plan was given up, rather than missing or finished.
_GIVEN_UP = ("skill_failed", "changed_field", "emergency_stop", "operator_edit")


@dataclass(frozen=True)
class Reason:
    """Why a planning call was made: a word, and the changed field if that was it."""

    word: str
    entity: str = ""
    field: str = ""
    old: str = ""
    new: str = ""

    @property
    def is_replan(self) -> bool:
        """Whether a plan was given up, rather than missing or finished."""
        return self.word.startswith(_GIVEN_UP)

    def __str__(self) -> str:
        if not self.entity:
            return self.word
        if not self.new:
            return f"{self.word} {self.entity}"
        return f"{self.word} {self.entity}.{self.field}: {self.old} -> {self.new}"


@dataclass(frozen=True)
class Snapshot:
    """State after a step, for a live view.

    Attributes
    ----------
    step, delivered, planner_calls : int
        Progress so far.
    robot : Pose2D
        Where the robot is.
    held_id : str
        What it holds.
    activity : str
        The skill under way, as text.
    exposed : tuple of ExposedRecord
        What the last planning call saw.
    planned, plan : tuple of Step
        The answer to that call, and what remains of it.
    reason : Reason
        Why the last planning call was made.
    """

    step: int
    delivered: int
    planner_calls: int
    robot: Pose2D
    held_id: str
    activity: str
    exposed: tuple[ExposedRecord, ...]
    planned: tuple[Step, ...]
    plan: tuple[Step, ...]
    reason: Reason


class ExecutionLog(Protocol):
    """Receiver of everything that the executor does."""

    def planning(self, step: int, call: int, reason: Reason, reply: PlanReply) -> None:
        """Note a planning call and its answer."""

    def skill(self, step: int, action: Step, event: str, reason: str) -> None:
        """Note that a skill was committed, or ended."""

    def pose(self, step: int, robot: Pose2D, held_id: str) -> None:
        """Note where the robot is."""


@dataclass
class Tally:
    """What a mission has cost so far."""

    planner_calls: int = 0
    context_units: int = 0
    delivered: list[str] = field(default_factory=list)
    replans: list[tuple[int, Reason]] = field(default_factory=list)
    absent: list[tuple[int, str]] = field(default_factory=list)
    path_m: float = 0.0
    observations: int = 0
