"""What every memory method offers, so that the paper's five are exchangeable."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from adm_core.memory.edits import OperatorEdit, as_evidence
from adm_core.memory.evidence import Verdict
from adm_core.memory.records import (
    Change,
    Detection,
    EvidenceBatch,
    Exposure,
    Record,
    SkillOutcome,
)
from adm_core.memory.static import Mission
from adm_core.types import Cell, Pose2D


class Place(NamedTuple):
    """A class at a grid cell: what an anonymous report is matched by."""

    label: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class Focus:
    """What the robot is about: the context of a retrieval.

    Attributes
    ----------
    robot : Pose2D
        Where the robot is.
    entity_id : str
        Target of the active plan; empty if there is none.
    held_id : str
        Entity in the gripper; empty if none.
    station_id : str
        Station assigned to the held entity; empty if none.
    """

    robot: Pose2D
    entity_id: str = ""
    held_id: str = ""
    station_id: str = ""


class Log(Protocol):
    """Receiver of everything that memory accepts and refuses."""

    def evidence(
        self, batch: EvidenceBatch, item: Detection, now: float, verdict: Verdict, entity: str
    ) -> None:
        """Note what became of one detection."""

    def map_begun(self, now: float, old: str, new: str) -> None:
        """Note that the map was begun anew."""


class NullLog:
    """Keeps nothing."""

    def evidence(
        self, batch: EvidenceBatch, item: Detection, now: float, verdict: Verdict, entity: str
    ) -> None:
        """Do nothing."""

    def map_begun(self, now: float, old: str, new: str) -> None:
        """Do nothing."""


class Memory(ABC):
    """A memory method: evidence and outcomes in, changed fields and exposures out."""

    def __init__(self, mission: Mission, log: Log | None = None) -> None:
        self.mission = mission
        self.log: Log = log or NullLog()
        self._concluded: dict[Place, float] = {}

    def concluded_after(self, place: Place, stamp: float) -> bool:
        """Tell whether a skill outcome at `place` is as new as a measurement of time `stamp`.

        A container that was picked, or found missing, must not come back through a report
        that was measured before.
        """
        return stamp <= self._concluded.get(place, float("-inf"))

    def _note_conclusion(self, place: Place, stamp: float) -> None:
        self._concluded[place] = stamp

    @abstractmethod
    def observe(self, batch: EvidenceBatch, now: float) -> list[Change]:
        """Take in one report; return the changed fields."""

    @abstractmethod
    def attend(self, focus: Focus, now: float) -> list[Change]:
        """Note which entity the robot works for; return the changed fields."""

    @abstractmethod
    def conclude(self, outcome: SkillOutcome) -> list[Change]:
        """Write a verified skill outcome; return the changed fields."""

    def edit(self, edit: OperatorEdit, now: float) -> list[Change]:
        """Take in an operator's edit; return the changed fields.

        Methods without lasting records of their own refuse it.
        """
        batch = as_evidence(edit, None, now)
        self.log.evidence(batch, batch.detections[0], now, Verdict.SOURCE_NOT_USED, edit.entity_id)
        return []

    def begin_map(self, map_id: str, now: float) -> list[Change]:
        """Take in that the map was begun anew; return the changed fields.

        From now on evidence that names another map is refused. What methods without support of
        their own remember stays as it is.
        """
        if map_id != self.mission.map_id:
            self.log.map_begun(now, self.mission.map_id, map_id)
            self.mission = replace(self.mission, map_id=map_id)
        return []

    @abstractmethod
    def candidates(self, now: float) -> int:
        """Return how many records the planner could work on now."""

    @abstractmethod
    def expose(self, now: float, focus: Focus) -> Exposure:
        """Return what the planner may see now. Reading changes nothing."""

    @abstractmethod
    def records(self) -> list[Record]:
        """Return all current records."""
