"""The memory methods that the paper compares with: none, static, unfiltered and oracle."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from adm_core.grid.terrain import Terrain
from adm_core.memory.evidence import Verdict, screen_batch, screen_detection
from adm_core.memory.method import Focus, Log, Memory, Place
from adm_core.memory.records import (
    OPEN,
    Change,
    Detection,
    EvidenceBatch,
    ExposedRecord,
    Exposure,
    Record,
    SkillOutcome,
    Source,
    Status,
    changed_fields,
)
from adm_core.memory.retrieval import expose_held, expose_record, terminal_summary
from adm_core.memory.static import Mission
from adm_core.types import Pose2D


class ListMemory(Memory):
    """Entries in order of arrival, without scores; what differs is left to the subclasses."""

    #: Sources that this method reads at all.
    sources: frozenset[Source] = frozenset()
    prefix = "u"

    def __init__(self, mission: Mission, terrain: Terrain, log: Log | None = None) -> None:
        super().__init__(mission, log)
        self._terrain = terrain
        self._records: dict[str, Record] = {}

    def observe(self, batch: EvidenceBatch, now: float) -> list[Change]:
        """Take in one report; return the changed fields."""
        refused = screen_batch(batch, now, self.mission.frame_id, self.mission.map_id)
        if refused is None and batch.source not in self.sources:
            refused = Verdict.SOURCE_NOT_USED
        if refused is None:
            self._start_batch(batch)
        changes: list[Change] = []
        for item in batch.detections:
            verdict, entity = refused or screen_detection(item), ""
            if verdict is None:
                verdict, entity, changed = self._take(item, batch)
                changes += changed
            self.log.evidence(batch, item, now, verdict, entity)
        return changes

    def _start_batch(self, batch: EvidenceBatch) -> None:
        """Prepare for an accepted report."""

    @abstractmethod
    def _take(self, item: Detection, batch: EvidenceBatch) -> tuple[Verdict, str, list[Change]]:
        """Enter a sound detection; return verdict, entity and changed fields."""

    def _append(self, item: Detection, batch: EvidenceBatch) -> Record:
        record = Record(
            id=item.entity_id or f"{self.prefix}{len(self._records) + 1:04d}",
            label=item.label,
            pose=item.pose,
            confidence=item.confidence,
            status=Status.OBSERVED,
            stamp=batch.stamp,
            source=batch.source,
            map_id=self.mission.map_id,
        )
        self._records[record.id] = record
        return record

    def _place(self, label: str, pose: Pose2D) -> Place:
        return Place(label, self._terrain.cell(pose))

    def attend(self, focus: Focus, now: float) -> list[Change]:
        """Entries carry no assignment."""
        return []

    def conclude(self, outcome: SkillOutcome) -> list[Change]:
        """Write a verified skill outcome."""
        record = self._records.get(outcome.target_id)
        if record is None:
            return []
        new = record
        if outcome.success and outcome.skill == "grasp":
            new = replace(record, status=Status.GRASPED, stamp=outcome.stamp)
            self._note_conclusion(self._place(record.label, record.pose), outcome.stamp)
        elif outcome.success and outcome.skill == "deliver":
            new = replace(record, status=Status.DELIVERED, stamp=outcome.stamp)
        elif outcome.reason.refutes:
            new = replace(record, status=Status.DISMISSED, refuted_at=outcome.stamp)
            self._note_conclusion(self._place(record.label, record.pose), outcome.stamp)
        self._records[record.id] = new
        return changed_fields(record, new)

    def _usable(self, record: Record) -> bool:
        """Tell whether the planner may still work on an entry."""
        return (
            record.status in OPEN
            and self.mission.station_for(record.label) is not None
            and not self.concluded_after(self._place(record.label, record.pose), record.stamp)
        )

    def candidates(self, now: float) -> int:
        """Return how many entries the planner could work on."""
        return sum(map(self._usable, self._shown()))

    def _shown(self) -> list[Record]:
        """Return the entries that a planning call sees."""
        return [item for item in self._records.values() if self._usable(item)]

    def expose(self, now: float, focus: Focus) -> Exposure:
        """Return the entries in order of arrival, all with score 0."""
        records = tuple(expose_record(item, 0.0) for item in self._shown())
        held = expose_held(self._records, focus.held_id)
        return Exposure(records, held, terminal_summary(self._records))

    def records(self) -> list[Record]:
        """Return all entries in order of arrival."""
        return list(self._records.values())


class CurrentViewMemory(ListMemory):
    """No memory: the planner sees what the robot sees at that moment, and what it holds."""

    sources = frozenset({Source.ONBOARD})
    prefix = "v"

    def __init__(self, mission: Mission, terrain: Terrain, log: Log | None = None) -> None:
        super().__init__(mission, terrain, log)
        self._view: list[str] = []

    def _start_batch(self, batch: EvidenceBatch) -> None:
        if batch.source is Source.ONBOARD:
            self._view = []

    def _take(self, item: Detection, batch: EvidenceBatch) -> tuple[Verdict, str, list[Change]]:
        known = self._known_at(self._place(item.label, item.pose))
        record = known or self._append(item, batch)
        self._records[record.id] = replace(record, stamp=batch.stamp, confidence=item.confidence)
        self._view.append(record.id)
        return (Verdict.ACCEPTED if known else Verdict.NEW), record.id, []

    def _known_at(self, place: Place) -> Record | None:
        for record in self._records.values():
            if record.status is Status.OBSERVED and self._place(record.label, record.pose) == place:
                return record
        return None

    def _shown(self) -> list[Record]:
        return [item for item in map(self._records.__getitem__, self._view) if self._usable(item)]


class InitialMapMemory(CurrentViewMemory):
    """Initial static memory: the first map, crossed off by own skills, and the current view."""

    sources = frozenset({Source.ONBOARD, Source.STATIC_PRIOR})
    prefix = "s"

    def _take(self, item: Detection, batch: EvidenceBatch) -> tuple[Verdict, str, list[Change]]:
        if batch.source is Source.ONBOARD:
            return super()._take(item, batch)
        return Verdict.NEW, self._append(item, batch).id, []

    def _shown(self) -> list[Record]:
        mapped = [
            item
            for item in self._records.values()
            if item.source is Source.STATIC_PRIOR and self._usable(item)
        ]
        return mapped + [item for item in super()._shown() if item not in mapped]


class UnfilteredMemory(ListMemory):
    """Append-only report list: all of it is exposed at every call; nothing is revised.

    Entries measured before a skill outcome at their place are marked terminal in the view, so
    that the planner passes over them; they still cost context.
    """

    sources = frozenset({Source.ONBOARD, Source.STATIC_PRIOR, Source.REMOTE})

    def __init__(self, mission: Mission, terrain: Terrain, log: Log | None = None) -> None:
        super().__init__(mission, terrain, log)
        self._listed: dict[Place, list[str]] = {}
        self._view: dict[str, ExposedRecord] = {}  # the list gets long: only its news is redone
        self._usable_ids: set[str] = set()

    def _take(self, item: Detection, batch: EvidenceBatch) -> tuple[Verdict, str, list[Change]]:
        place = self._place(item.label, item.pose)
        if batch.source is Source.ONBOARD and place in self._listed:
            return Verdict.WEAKER_ESTIMATE, "", []
        record = self._append(item, batch)
        self._listed.setdefault(place, []).append(record.id)
        self._show(record)
        return Verdict.NEW, record.id, []

    def conclude(self, outcome: SkillOutcome) -> list[Change]:
        """Write a verified skill outcome; it may spend every entry at its place."""
        changes = super().conclude(outcome)
        record = self._records.get(outcome.target_id)
        if record is not None:
            for entry in self._listed[self._place(record.label, record.pose)]:
                self._show(self._records[entry])
        return changes

    def _show(self, record: Record) -> None:
        usable = self._usable(record)
        spent = not usable and record.status in OPEN
        shown = replace(record, status=Status.DISMISSED) if spent else record
        self._view[record.id] = expose_record(shown, 0.0)
        if usable:
            self._usable_ids.add(record.id)
        else:
            self._usable_ids.discard(record.id)

    def candidates(self, now: float) -> int:
        """Return how many entries the planner could work on."""
        return len(self._usable_ids)

    def expose(self, now: float, focus: Focus) -> Exposure:
        """Return all entries ever made, in order of arrival, all with score 0."""
        held = expose_held(self._records, focus.held_id)
        return Exposure(tuple(self._view.values()), held, terminal_summary(self._records))


class OracleMemory(ListMemory):
    """True state at every step, with true identities; a bound, not a method."""

    sources = frozenset({Source.TRUTH})

    def _take(self, item: Detection, batch: EvidenceBatch) -> tuple[Verdict, str, list[Change]]:
        old = self._records.get(item.entity_id)
        if old is None:
            new = self._append(item, batch)
            return Verdict.NEW, new.id, changed_fields(None, new)
        if old.status in (Status.GRASPED, Status.DELIVERED):
            return Verdict.ALREADY_DONE, old.id, []
        new = replace(old, pose=item.pose, stamp=batch.stamp, status=Status.OBSERVED)
        self._records[new.id] = new
        return Verdict.ACCEPTED, new.id, changed_fields(old, new)

    def _usable(self, record: Record) -> bool:
        return record.status in OPEN
