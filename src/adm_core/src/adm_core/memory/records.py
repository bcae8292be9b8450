"""Entity records, evidence and outcomes: the words in which memory is spoken to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter
from typing import NamedTuple

from adm_core.memory.footprint import Footprint
from adm_core.types import Pose2D


class Status(str, Enum):
    """Task status of an entity (paper, section IV-B; reconsider and dismissed are ours)."""

    OBSERVED = "observed"
    ASSIGNED = "assigned"
    GRASPED = "grasped"
    DELIVERED = "delivered"
    RECONSIDER = "reconsider"
    DISMISSED = "dismissed"

    @property
    def terminal(self) -> bool:
        """Whether nothing is left to do for the entity."""
        return self in (Status.DELIVERED, Status.DISMISSED)


#: Statuses of entities that are still to be fetched.
OPEN = frozenset({Status.OBSERVED, Status.ASSIGNED, Status.RECONSIDER})


class Source(str, Enum):
    """Where a piece of evidence comes from."""

    STATIC_PRIOR = "static_prior"
    REMOTE = "remote"
    ONBOARD = "onboard"
    SKILL = "skill"
    OPERATOR = "operator"
    TRUTH = "truth"  # simulators only: what the oracle method reads


class FailureReason(str, Enum):
    """Why a skill did not succeed."""

    NONE = "none"
    SLIPPED = "slipped"  # arrived and tried, the object or its release slipped
    ABSENT = "absent"  # arrived, nothing of that class is there: refutes presence
    UNREACHABLE = "unreachable"
    PRECONDITION = "precondition"
    BUDGET = "budget"
    DENIED = "denied"  # a person said no: nothing is known against the object
    # Where a body does the work: what camera, base and arm can tell.
    LOST = "lost"  # seen on the way, then no more, not even when looked for again: refutes
    BLOCKED = "blocked"  # the base, or the arm, does not get on
    TIMEOUT = "timeout"
    NO_PICTURES = "no_pictures"
    MISSED = "missed"  # the fingers closed on nothing, or on something else
    DROPPED = "dropped"  # held, then lost
    NOT_VERIFIED = "not_verified"  # gripper and camera disagree
    NOT_RELEASED = "not_released"
    NO_LINK = "no_link"  # the robot is silent, or obeys no more
    NO_POSE = "no_pose"  # it does not know where it is

    @property
    def empties_hand(self) -> bool:
        """Whether whatever was held before is held no more."""
        return self is FailureReason.DROPPED

    @property
    def refutes(self) -> bool:
        """Whether somebody looked at the object's place and it is not there."""
        return self in (FailureReason.ABSENT, FailureReason.LOST)


@dataclass(frozen=True, slots=True)
class Detection:
    """One object in a report.

    Attributes
    ----------
    label : str
        Class name; data of the sender, never trusted as text.
    pose : Pose2D
        Where it was seen, metres in the report's frame.
    confidence : float
        In [0, 1].
    entity_id : str
        Identity, if the sender tracks it; empty for anonymous reports.
    """

    label: str
    pose: Pose2D
    confidence: float
    entity_id: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceBatch:
    """One report of one source: everything it saw at one instant.

    Attributes
    ----------
    seq : int
        Running number over all batches of a mission, from 1; the order of application.
    source : Source
        Kind of source.
    source_id : str
        Name of the sensor or sender.
    stamp : float
        Time of measurement in seconds (one second a step in the simulated worlds).
    detections : tuple of Detection
        May be empty: looked and saw nothing.
    frame_id, map_id : str
        Frame of the poses and the map they belong to.
    footprint : Footprint or None
        What was looked at: where it covers a record that was not seen, this speaks against
        the record. None: a report says nothing about what it does not list.
    """

    seq: int
    source: Source
    source_id: str
    stamp: float
    detections: tuple[Detection, ...]
    frame_id: str = "map"
    map_id: str = ""
    footprint: Footprint | None = None


@dataclass(frozen=True, slots=True)
class SkillOutcome:
    """What became of a dispatched skill: the only evidence that moves a task status."""

    skill: str
    target_id: str
    station_id: str
    success: bool
    reason: FailureReason
    stamp: float
    pose: Pose2D


@dataclass(frozen=True, slots=True)
class Record:
    """Current record of one entity, ``e = (z; c, p, q, sigma, tau, o)`` of the paper.

    Attributes
    ----------
    id : str
        Immutable identity z.
    label : str
        Class c.
    pose : Pose2D
        Position p in the map frame, metres.
    confidence : float
        q in [0, 1].
    status : Status
        sigma.
    stamp : float
        tau: *measurement* time of the last accepted evidence, seconds. Reading never moves it.
    source : Source
        o: source of that evidence.
    map_id : str
        Map that the pose belongs to.
    supported : bool
        Whether accepted evidence has not been refuted since.
    failures : int
        Failed skills on this entity so far.
    refuted_at, cool_until : float
        Time of the last refutation, and until when the entity is left alone; -inf if never.
    sightings : int
        Accepted reports of different times.
    misses : int
        Reports since the last accepted one that covered the place and did not list it.
    missed_at : float
        Measurement time of the last of them; -inf if there is none.
    rival : Pose2D or None
        Another position that the last report gave; a second one moves the entity there.
    tentative : bool
        Whether it still waits for confirmation, hidden from the planner.
    """

    id: str
    label: str
    pose: Pose2D
    confidence: float
    status: Status
    stamp: float
    source: Source
    map_id: str = ""
    supported: bool = True
    failures: int = 0
    refuted_at: float = float("-inf")
    cool_until: float = float("-inf")
    sightings: int = 1
    misses: int = 0
    missed_at: float = float("-inf")
    rival: Pose2D | None = None
    tentative: bool = False


#: Record fields that can be in a changed set C_t, with the paper's letters.
MUTABLE_FIELDS = ("label", "pose", "confidence", "status", "stamp", "source", "supported")


class Change(NamedTuple):
    """One element of the changed set C_t: an entity, a field, and its values (as text)."""

    entity: str
    field: str
    old: str
    new: str


_values = attrgetter(*MUTABLE_FIELDS)
_NOTHING = (None,) * len(MUTABLE_FIELDS)


def number_of(entity_id: str) -> int:
    """Return the number of an entity in order of first acceptance."""
    return int(entity_id[1:])


def changed_fields(old: Record | None, new: Record) -> list[Change]:
    """Return the fields in which `new` differs from `old`; all of them for a new entity."""
    before = _NOTHING if old is None else _values(old)
    entity = new.id
    return [
        Change(entity, name, _text(was), _text(now))
        for name, was, now in zip(MUTABLE_FIELDS, before, _values(new), strict=True)
        if was is not now and was != now
    ]


def _text(value: object) -> str:
    if isinstance(value, float):  # the most frequent first: every report changes two of them
        return str(value)
    if value is None:
        return ""
    if isinstance(value, Enum):
        return str(value._value_)
    if isinstance(value, Pose2D):
        return f"{value.x:.3f},{value.y:.3f}"
    return str(value)


@dataclass(frozen=True, slots=True)
class ExposedRecord:
    """A record as the planner sees it, with its attention score."""

    id: str
    label: str
    pose: Pose2D
    confidence: float
    status: Status
    stamp: float
    source: Source
    score: float


@dataclass(frozen=True, slots=True)
class Exposure:
    """Answer to one retrieval: what the planner may see, best first.

    Attributes
    ----------
    records : tuple of ExposedRecord
        R_t; their number is n_t of the context proxy.
    held : ExposedRecord or None
        The object in the gripper, which is not in competition with the others.
    terminal : tuple of (id, status)
        Compact summary of delivered and dismissed entities.
    """

    records: tuple[ExposedRecord, ...]
    held: ExposedRecord | None = None
    terminal: tuple[tuple[str, Status], ...] = ()


_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:\-]{0,63}\Z")


def is_word(text: str) -> bool:
    """Tell whether a label or id is short and plain enough to be stored and shown."""
    return bool(_WORD.match(text))
