"""One memory in use: evidence in order, each batch once, replies in step with the robot."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.memory.edits import OperatorEdit
from adm_core.memory.method import Focus, Memory
from adm_core.memory.records import Change, EvidenceBatch, Exposure, SkillOutcome


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """Bring memory up to the present before a decision.

    Attributes
    ----------
    now : float
        Present time in seconds.
    evidence_seq : int
        All batches up to this number must have been applied.
    focus : Focus
        What the robot is about.
    outcome : SkillOutcome or None
        Outcome of a skill that just ended; applied after the evidence.
    count_candidates : bool
        Whether the reply must say how many records could be exposed.
    edits : tuple of OperatorEdit
        What operators changed; applied after the evidence.
    """

    now: float
    evidence_seq: int
    focus: Focus
    outcome: SkillOutcome | None = None
    count_candidates: bool = False
    edits: tuple[OperatorEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class SyncReply:
    """Changed fields since the last reply, and the number of candidates (-1: not asked)."""

    changes: tuple[Change, ...]
    candidates: int


class MemorySession:
    """Order and apply what reaches a memory.

    Batches may arrive late, twice or out of order: they are applied once, by number, and only
    when a request names a number that covers them. A decision thus depends on what the request
    says, not on how fast messages travel.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._pending: dict[int, EvidenceBatch] = {}
        self._received = 0  # all batches up to this number are here or applied
        self._applied = 0
        self.new_map = ""  # of a map that was begun anew, until the next request

    def receive(self, batch: EvidenceBatch) -> None:
        """Keep a batch until it is called for; a repeated number is ignored."""
        if batch.seq > self._applied:
            self._pending.setdefault(batch.seq, batch)
        while self._received + 1 in self._pending:
            self._received += 1

    def begin_map(self, map_id: str) -> None:
        """Keep that the map was begun anew until the next request."""
        self.new_map = map_id

    @property
    def received(self) -> int:
        """All batches up to this number have been received."""
        return self._received

    def waiting(self, evidence_seq: int) -> list[EvidenceBatch]:
        """Return the batches up to a number that have been received and not applied, in order."""
        return [
            self._pending[number]
            for number in range(self._applied + 1, evidence_seq + 1)
            if number in self._pending
        ]

    def caught_up(self, evidence_seq: int) -> bool:
        """Tell whether all batches up to a number have been received."""
        return self._received >= evidence_seq

    def sync(self, request: SyncRequest) -> SyncReply:
        """Apply a new map, pending evidence, the focus, the outcome; return what changed.

        Raises
        ------
        ValueError
            If a batch up to ``request.evidence_seq`` has not been received.
        """
        if not self.caught_up(request.evidence_seq):
            raise ValueError(
                f"evidence_seq must be received before it is applied: got {request.evidence_seq}, "
                f"have {self._received}"
            )
        changes: list[Change] = []
        if self.new_map:
            changes += self.memory.begin_map(self.new_map, request.now)
            self.new_map = ""
        while self._applied < request.evidence_seq:
            self._applied += 1
            changes += self.memory.observe(self._pending.pop(self._applied), request.now)
        for edit in request.edits:
            changes += self.memory.edit(edit, request.now)
        changes += self.memory.attend(request.focus, request.now)
        if request.outcome is not None:
            changes += self.memory.conclude(request.outcome)
        counted = self.memory.candidates(request.now) if request.count_candidates else -1
        return SyncReply(tuple(changes), counted)

    def expose(self, now: float, focus: Focus) -> Exposure:
        """Return what the planner may see."""
        return self.memory.expose(now, focus)
