"""Object-centric dynamic memory M^d: one current record per entity (section IV-B and IV-C)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from adm_core.grid.terrain import Terrain
from adm_core.memory.association import Neighbourhoods, associate
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.edits import EditKind, OperatorEdit, as_evidence, edited, screen_edit
from adm_core.memory.evidence import (
    Verdict,
    replaces,
    screen_batch,
    screen_detection,
    support,
)
from adm_core.memory.method import Focus, Log, Memory, Place
from adm_core.memory.parameters import MemoryConfig, reports_needed
from adm_core.memory.records import (
    OPEN,
    Change,
    Detection,
    EvidenceBatch,
    Exposure,
    Record,
    SkillOutcome,
    Source,
    Status,
    changed_fields,
    number_of,
)
from adm_core.memory.retrieval import expose_held, pinned_records, rank, terminal_summary
from adm_core.memory.revision import (
    after_failure,
    first_record,
    missed,
    of_other_class,
    on_lost_map,
    revised,
)
from adm_core.memory.static import Mission
from adm_core.types import Pose2D


class DynamicMemory(Memory):
    """Current records revised by evidence and skill outcomes, exposed through attention.

    Parameters
    ----------
    mission : Mission
        Static memory.
    terrain : Terrain
        Cells, by which anonymous reports are matched, and path lengths, by which they are ranked.
    config, attention : MemoryConfig, AttentionConfig
        Parameters.
    log : Log, optional
        Receives every accepted and rejected item.
    """

    def __init__(
        self,
        mission: Mission,
        terrain: Terrain,
        config: MemoryConfig | None = None,
        attention: AttentionConfig | None = None,
        log: Log | None = None,
    ) -> None:
        super().__init__(mission, log)
        self.config = config or MemoryConfig()
        self.attention = attention or AttentionConfig()
        self._terrain = terrain
        self._records: dict[str, Record] = {}
        self._at_place: dict[Place, str] = {}
        self._backed_records: dict[str, Record] = {}  # supported, still to be fetched
        self._is_sorted = True
        self._is_gated = self.config.association == "gated"
        self._nearby = Neighbourhoods(self.config.gate * self.config.report_sigma_m)
        self._counts_misses = self.config.misses > 0 or reports_needed(self.config) > 1
        self._assigned_id = ""
        self._senders = {name.strip() for name in self.config.senders.split(",") if name.strip()}
        self._pins: set[str] = set()  # by an operator
        self._old_labels: dict[str, set[str]] = {}  # of relabelled entities
        self._backed_id = ""  # target whose support was last seen above the decay floor

    # -- evidence ---------------------------------------------------------------------------

    def observe(self, batch: EvidenceBatch, now: float) -> list[Change]:
        """Take in one report; return the changed fields."""
        refused = screen_batch(batch, now, self.mission.frame_id, self.mission.map_id)
        refused = refused or self._refused_sender(batch)
        if refused is not None:
            for item in batch.detections:
                self.log.evidence(batch, item, now, refused, "")
            return []
        screened = [self._screen(item, batch) for item in batch.detections]
        near = self._associate(batch, screened) if self._is_gated else {}
        changes: list[Change] = []
        newcomers: list[str] = []
        for index, (item, (verdict, place)) in enumerate(
            zip(batch.detections, screened, strict=True)
        ):
            entity = ""
            if verdict is None and place is not None:
                verdict, entity, new = self._take(item, place, batch, now, near.get(index, ""))
                changes += new
                newcomers += [item.label for change in new if change.field == "supported"]
            assert verdict is not None
            self.log.evidence(batch, item, now, verdict, entity)
        if batch.footprint is not None and self._counts_misses:
            listed = {place for _, place in screened if place is not None}
            changes += self._count_misses(batch, listed, set(near.values()), newcomers)
        return changes

    def _screen(self, item: Detection, batch: EvidenceBatch) -> tuple[Verdict | None, Place | None]:
        """Return why a detection is refused, if so, and its place if it has one."""
        refused = screen_detection(item)
        if refused is not None:
            return refused, None
        place = Place(item.label, self._terrain.cell(item.pose))
        if batch.source is Source.REMOTE and item.confidence < self.config.min_remote_confidence:
            return Verdict.LOW_CONFIDENCE, place
        if self.concluded_after(place, batch.stamp):
            return Verdict.OUTCOME_IS_NEWER, place
        return None, place

    def _associate(
        self, batch: EvidenceBatch, screened: list[tuple[Verdict | None, Place | None]]
    ) -> dict[int, str]:
        """Return the entities of those remote detections that match none exactly, by index."""
        is_own = batch.source is Source.ONBOARD and self.config.associate_onboard
        if batch.source is not Source.REMOTE and not is_own:
            return {}
        exact: set[str] = set()
        loose: dict[int, Detection] = {}
        for index, (verdict, place) in enumerate(screened):
            known = self._at_place.get(place) if place is not None else None
            if known is not None:
                exact.add(known)
            elif verdict is None:
                loose[index] = batch.detections[index]
        if not loose:
            return {}
        ids = {
            entity
            for item in loose.values()
            for entity in self._nearby.around(item.label, item.pose)
        }
        records = [self._records[entity] for entity in sorted(ids - exact, key=number_of)]
        if not records:
            return {}
        matched = associate(
            list(loose.values()), records, self.config.report_sigma_m, self.config.gate
        )
        pairs = zip(loose, matched, strict=True)
        return {index: records[match].id for index, match in pairs if match >= 0}

    def _take(
        self, item: Detection, place: Place, batch: EvidenceBatch, now: float, near_id: str
    ) -> tuple[Verdict, str, list[Change]]:
        """Let a sound detection make a new record, or compete with what one says."""
        known = self._records.get(self._at_place.get(place, near_id))
        old = known
        if known is None and self.config.revise_class:
            reach = self.config.gate * self.config.report_sigma_m
            old = of_other_class(self._backed(), item, batch, reach)
        if old is None:
            name = f"e{len(self._records) + 1:03d}"
            new = first_record(name, item, batch, self.mission.map_id, self.config)
            self._at_place[place] = new.id
            return Verdict.NEW, new.id, self._store(None, new)
        new = revised(old, item, batch, self.mission.map_id, self.config)
        if new is old or not replaces(new, old, now, self.attention):
            return Verdict.WEAKER_ESTIMATE, old.id, []
        if known is None:  # taken for another class until now
            new = replace(new, label=item.label)
            self._at_place.pop(self._place(old.label, old.pose), None)
            self._at_place[self._place(new.label, new.pose)] = new.id
        elif new.pose is not old.pose:
            self._move(old, new)
        return Verdict.ACCEPTED, old.id, self._store(old, new)

    def _move(self, old: Record, new: Record) -> None:
        """Let reports from the new position find the entity, and none from the old one.

        Whoever still reports it by a class that an operator has corrected finds it too.
        """
        for label in (new.label, *self._old_labels.get(new.id, ())):
            before, after = self._place(label, old.pose), self._place(label, new.pose)
            if before != after and self._at_place.get(before) == old.id:
                del self._at_place[before]
            self._at_place[after] = new.id

    def _refused_sender(self, batch: EvidenceBatch) -> Verdict | None:
        """Return why nothing is taken from whoever sends a report, or None."""
        if batch.source is Source.TRUTH:
            return Verdict.SOURCE_NOT_USED
        believed = not self._senders or batch.source_id in self._senders
        return None if believed or batch.source is not Source.REMOTE else Verdict.UNKNOWN_SENDER

    # -- operator and map ------------------------------------------------------------------

    def edit(self, edit: OperatorEdit, now: float) -> list[Change]:
        """Take in an operator's edit; return the changed fields."""
        old = self._records.get(edit.entity_id)
        refused = screen_edit(edit, old, self.mission.map_id)
        batch = as_evidence(edit, old, now)
        verdict = refused or Verdict.ACCEPTED
        self.log.evidence(batch, batch.detections[0], now, verdict, edit.entity_id)
        if refused is not None or old is None:
            return []
        new = edited(old, edit, now)
        if new.label != old.label:
            self._old_labels.setdefault(old.id, set()).add(old.label)
        if new.status in OPEN and (new.pose, new.label) != (old.pose, old.label):
            self._note_conclusion(self._place(old.label, old.pose), now)
            self._move(old, new)
        return self._store(old, new) + self._pin(edit)

    def _pin(self, edit: OperatorEdit) -> list[Change]:
        if edit.kind not in (EditKind.PIN, EditKind.UNPIN):
            return []
        was, pinned = edit.entity_id in self._pins, edit.kind is EditKind.PIN
        (self._pins.add if pinned else self._pins.discard)(edit.entity_id)
        return [Change(edit.entity_id, "pinned", str(was), str(pinned))] if was != pinned else []

    def begin_map(self, map_id: str, now: float) -> list[Change]:
        """Take in that the map was begun anew: what is still to be fetched has to be seen again.

        SLAM that is reset keeps the name of its frame, so remembered poses would point anywhere.
        Identities, failures and finished work stay; so does what the gripper holds.
        """
        if map_id == self.mission.map_id:
            return []
        super().begin_map(map_id, now)
        changes: list[Change] = []
        for record in self.records():
            if record.status in OPEN:
                changes += self._store(record, on_lost_map(record, now))
        return changes

    def _count_misses(
        self, batch: EvidenceBatch, listed: set[Place], seen_ids: set[str], newcomers: list[str]
    ) -> list[Change]:
        """Hold against records that the report covers their place and does not list them.

        A refused detection still counts as seen: what it says is doubtful, not that it looked.
        If there is a newcomer of its class for everyone who is missing, they have moved there.
        """
        assert batch.footprint is not None
        covers = batch.footprint.covers
        missing = [
            record
            for record in self._backed()
            if record.id not in seen_ids
            and self._place(record.label, record.pose) not in listed
            and covers(record.pose.x, record.pose.y)
        ]
        rivals = Counter(record.label for record in missing)
        changes: list[Change] = []
        for record in missing:
            moved = rivals[record.label] <= newcomers.count(record.label)
            after = missed(record, batch, self.config, moved and self.config.notice_moves)
            if after is not None:
                changes += self._store(record, after)
        return changes

    def _place(self, label: str, pose: Pose2D) -> Place:
        return Place(label, self._terrain.cell(pose))

    def _store(self, old: Record | None, new: Record) -> list[Change]:
        self._records[new.id] = new
        if new.supported and new.status in OPEN:
            is_kept = new.id in self._backed_records
            if self._is_gated and not (is_kept and old is not None and new.pose is old.pose):
                self._nearby.put(new)
            self._is_sorted &= is_kept or old is None
            self._backed_records[new.id] = new
        elif self._backed_records.pop(new.id, None) is not None:
            self._nearby.remove(new.id)
        return changed_fields(old, new)

    def _backed(self) -> list[Record]:
        """Return the supported records of things still to be fetched, in order of their ids."""
        if not self._is_sorted:
            order = sorted(self._backed_records, key=number_of)
            self._backed_records = {entity: self._backed_records[entity] for entity in order}
            self._is_sorted = True
        return list(self._backed_records.values())

    # -- skill outcomes ---------------------------------------------------------------------

    def attend(self, focus: Focus, now: float) -> list[Change]:
        """Mark the entity that the robot now works for as assigned, and release the last one."""
        changes: list[Change] = []
        last = self._records.get(self._assigned_id)
        if last is not None and last.status is Status.ASSIGNED and last.id != focus.entity_id:
            changes += self._store(last, replace(last, status=Status.OBSERVED))
        target = self._records.get(focus.entity_id)
        if target is not None and target.status in (Status.OBSERVED, Status.RECONSIDER):
            changes += self._store(target, replace(target, status=Status.ASSIGNED))
            self._assigned_id = target.id
        return changes + self._support_lost(focus.entity_id, now)

    def _support_lost(self, entity_id: str, now: float) -> list[Change]:
        """Report once when the target's support falls through the decay floor.

        On a long way a target may move unseen. Its age alone is no reason to replan; that it
        is no longer supported like others are, is (a declared threshold crossing).
        """
        target = self._records.get(entity_id)
        if target is None or target.status is not Status.ASSIGNED:
            return []
        if self.support(target, now) >= self.attention.floor:
            self._backed_id = target.id
            return []
        if self._backed_id != target.id or not self.config.replan_on_support_loss:
            return []
        self._backed_id = ""
        return [Change(target.id, "support", "above_floor", "below_floor")]

    def conclude(self, outcome: SkillOutcome) -> list[Change]:
        """Write a verified skill outcome: the only thing that moves a task status."""
        record = self._records.get(outcome.target_id)
        if record is None:
            return []
        if not outcome.success:
            if outcome.reason.refutes and record.status is not Status.GRASPED:
                self._note_conclusion(self._place(record.label, record.pose), outcome.stamp)
            return self._store(record, after_failure(record, outcome, self.config))
        if outcome.skill == "grasp":
            self._leave_place(record, outcome.stamp)
            return self._store(record, self._by_skill(record, outcome, Status.GRASPED))
        if outcome.skill == "deliver":
            delivered = self._by_skill(record, outcome, Status.DELIVERED)
            return self._store(record, replace(delivered, pose=outcome.pose))
        return []

    def _by_skill(self, record: Record, outcome: SkillOutcome, status: Status) -> Record:
        return replace(
            record,
            status=status,
            confidence=1.0,
            stamp=outcome.stamp,
            source=Source.SKILL,
            supported=True,
        )

    def _leave_place(self, record: Record, stamp: float) -> None:
        for label in (record.label, *self._old_labels.get(record.id, ())):
            place = self._place(label, record.pose)
            self._note_conclusion(place, stamp)
            if self._at_place.get(place) == record.id:
                del self._at_place[place]

    # -- retrieval --------------------------------------------------------------------------

    def candidates(self, now: float) -> int:
        """Return how many records could be exposed now."""
        return len(self._candidates(now))

    def expose(self, now: float, focus: Focus) -> Exposure:
        """Return the top-K records by Eq. 5 for the place of the active task."""
        found = self._candidates(now)
        distances = self._terrain.distances(self._goal(focus), [item.pose for item in found])
        target = focus.entity_id if self.config.pin_target else None
        pinned = pinned_records(
            found, self._pins, target, lambda item: self.support(item, now) >= self.attention.floor
        )
        ranked = rank(found, distances, now, self.attention, pinned)
        held = expose_held(self._records, focus.held_id)
        return Exposure(tuple(ranked), held, terminal_summary(self._records))

    def _candidates(self, now: float) -> list[Record]:
        return [
            record
            for record in self._backed()
            if not record.tentative
            and record.cool_until <= now
            and self.mission.station_for(record.label) is not None
        ]

    def _goal(self, focus: Focus) -> Pose2D:
        """Return g_t: the station if holding, else the active target's pose, else the robot's."""
        if focus.held_id:
            station = self.mission.station(focus.station_id)
            return station.pose if station else focus.robot
        target = self._records.get(focus.entity_id)
        return target.pose if target else focus.robot

    def records(self) -> list[Record]:
        """Return all current records in order of first acceptance."""
        return list(self._records.values())

    def support(self, record: Record, now: float) -> float:
        """Return S(t) of a record."""
        return support(record.source, record.confidence, record.stamp, now, self.attention)
