"""Seams of the executor: the same mission runs on objects in process and on ROS services."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from adm_core.memory.method import Focus
from adm_core.memory.records import Exposure, FailureReason
from adm_core.memory.session import SyncReply, SyncRequest
from adm_core.planning.plan import Step
from adm_core.types import Pose2D


class Primitive(str, Enum):
    """Actions of a world; on a grid each costs a step, a body takes the time it needs."""

    MOVE = "move"
    PICK = "pick"
    PLACE = "place"
    WAIT = "wait"
    APPROACH = "approach"  # only worlds with a body know this one and the next
    VERIFY = "verify"


@dataclass(frozen=True, slots=True)
class Command:
    """One action for the world: where to, and for PICK which class.

    `look` asks the aerial source to look at a place besides; no step is spent on it, and a world
    without such a source passes over it.
    """

    primitive: Primitive
    goal: Pose2D
    label: str = ""
    look: Pose2D | None = None


@dataclass(frozen=True, slots=True)
class WorldReport:
    """What the robot itself knows after one action.

    Attributes
    ----------
    step : int
        Steps taken so far; also the time in seconds of the simulated worlds.
    robot : Pose2D
        Where the robot is.
    success : bool
        Whether the action did what it should: MOVE advanced, PICK holds, PLACE released.
    reason : FailureReason
        Why not.
    moved_m : float
        Length in metres of the way that the action covered.
    evidence_seq : int
        Number of the last evidence batch published so far; memory must have taken in all of
        them before the next decision.
    """

    step: int
    robot: Pose2D
    success: bool
    reason: FailureReason
    moved_m: float
    evidence_seq: int


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """Ask for a plan.

    Attributes
    ----------
    call : int
        Number of the planning call, from 1.
    now : float
        Present time in seconds.
    focus : Focus
        What the robot is about.
    last_outcome : str
        Outcome of the last skill, as text of ours.
    trigger : str
        Why a plan is asked for; goes to ledgers, not to planners.
    """

    call: int
    now: float
    focus: Focus
    last_outcome: str
    trigger: str = ""


@dataclass(frozen=True, slots=True)
class PlanReply:
    """A validated plan, and what it was made from.

    Attributes
    ----------
    steps : tuple of Step
        Empty if there is nothing to work on.
    exposure : Exposure
        What the planner saw.
    context_units : int
        Size proxy of the call.
    planner : str
        Which planner answered, by its mode name.
    refusals : tuple of str
        Codes of answers that were refused on the way.
    """

    steps: tuple[Step, ...]
    exposure: Exposure
    context_units: int
    planner: str
    refusals: tuple[str, ...] = ()


class World(Protocol):
    """A robot in its surroundings."""

    def start(self) -> WorldReport:
        """Publish the first evidence and return the state at step 0."""

    def act(self, command: Command) -> WorldReport:
        """Carry out one action; publish the evidence that arrives with it."""


class Body(Protocol):
    """What an executor must know about a robot with a size, a camera and an arm.

    On a grid the robot stands where the object is; a body stops before it, and approaching and
    verifying are work of their own.
    """

    def arrived(self, robot: Pose2D, goal: Pose2D) -> bool:
        """Tell whether `robot` is near enough to `goal` for the next skill."""


class MemoryPort(Protocol):
    """Memory, as the executor reaches it."""

    def sync(self, request: SyncRequest) -> SyncReply:
        """Apply pending evidence and the outcome; return what changed."""


class PlannerPort(Protocol):
    """Planner, as the executor reaches it."""

    def plan(self, request: PlanRequest) -> PlanReply:
        """Retrieve, plan and validate."""
