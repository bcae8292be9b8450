"""Journal of a brain whose world, memory and planner live on without it.

:mod:`adm_core.planning.journal` is for a brain that is one process. Here every request goes to
somebody else and has a number that outlives whoever asks. Whoever answers does a numbered thing
once and answers a repetition as before; whoever asks notes each request before it is sent and
each answer when it comes. Any of them may then be killed at any time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from adm_core.errors import MissionError
from adm_core.memory.audit import AuditLog
from adm_core.memory.method import Memory
from adm_core.memory.records import EvidenceBatch
from adm_core.memory.session import MemorySession, SyncReply, SyncRequest
from adm_core.memory.stored import sound
from adm_core.planning.plain import batch_from_plain, batch_to_plain, command_from_plain
from adm_core.planning.plain_memory import sync_from_plain, sync_to_plain
from adm_core.planning.ports import Command

Plain = dict[str, Any]

REQUEST, ANSWER, SYNC = "request", "answer", "sync"
#: Kind of the requests that the world gets.
ACT = "act"


class Recall:
    """Requests of one mission by number, from 1, and their answers.

    Parameters
    ----------
    audit : AuditLog or None
        Holds the journal; what is in it is answered from it. None: nothing is kept.
    """

    def __init__(self, audit: AuditLog | None) -> None:
        self._audit = audit
        self._number = 0
        self._answers = audit.journal_entries(ANSWER) if audit else {}
        self._requests = audit.journal_entries(REQUEST) if audit else {}
        self._last = max(self._requests, default=0)
        if audit is not None:  # what is repeated from the journal is in the log already
            audit.muted = self._last > 0

    @property
    def next_number(self) -> int:
        """Number of the next request."""
        return self._number + 1

    @property
    def replaying(self) -> bool:
        """Whether the next request is in the journal already: it was decided in an earlier run."""
        return self.next_number <= self._last

    def ask(self, kind: str, body: Plain, send: Callable[[int], Plain]) -> Plain:
        """Return the answer of the journal, or send the request and note both.

        Parameters
        ----------
        kind, body : str, dict
            What is asked; for a request of the journal it must be the same again.
        send : callable
            Gets the number and returns the answer, as plain data.

        Raises
        ------
        MissionError
            If the journal holds another request under this number.
        """
        self._number += 1
        number, request = self._number, {"kind": kind, **body}
        stored = self._requests.get(number)
        if stored is not None and json.dumps(stored) != json.dumps(request):
            raise MissionError(
                f"the mission does not repeat request {number} of the journal: it belongs to "
                "another mission or another version"
            )
        if number in self._answers:
            return self._answers[number]
        if self._audit is not None:
            self._audit.muted = False
            self._audit.journal(REQUEST, number, request)
            self._audit.commit()
        answer = send(number)
        if self._audit is not None:
            self._audit.journal(ANSWER, number, answer)
        return answer


def journaled_commands(audit: AuditLog) -> Iterator[tuple[int, Command | None]]:
    """Yield every command that was decided (None: start), by number, carried out or not.

    A simulated world that has been killed comes back to where it was by carrying them out again:
    the last one, if it had not been, is what it will be asked for next.
    """
    entries = audit.journal_entries(REQUEST)
    for number in sorted(entries):
        if entries[number].get("kind") == ACT:
            with sound(f"journal entry {REQUEST} {number}"):
                yield number, command_from_plain(entries[number]["command"])


class JournaledSession:
    """Memory that answers numbered requests once, and comes back from its log after a kill.

    Parameters
    ----------
    memory : Memory
        A fresh memory; the journal's evidence and requests are applied to it again.
    audit : AuditLog or None
        Holds the journal. None: nothing is kept, and a killed memory is lost.
    """

    def __init__(self, memory: Memory, audit: AuditLog | None) -> None:
        self._session = MemorySession(memory)
        self._audit = audit
        self.last_number = 0  # of the last synchronisation
        self._reply = SyncReply((), -1)
        self.receive = self._session.receive
        self.caught_up = self._session.caught_up
        self.expose = self._session.expose
        self.begin_map = self._session.begin_map
        self.memory = memory
        if audit is not None:
            self._rebuild(audit)

    @property
    def received(self) -> int:
        """All batches up to this number have been received."""
        return self._session.received

    def sync(self, number: int, previous: int, request: SyncRequest) -> SyncReply:
        """Carry a synchronisation out, once; the answer is durable before it is given.

        Parameters
        ----------
        number, previous : int
            Of this request and of the synchronisation before it (0: there was none).
        request : SyncRequest
            Its evidence must have been received.

        Raises
        ------
        MissionError
            If memory is not where the mission is: it was lost with its process, without a log.
        """
        if number == self.last_number:
            return self._reply
        if previous != self.last_number:
            raise MissionError(
                f"memory stands at request {self.last_number}, the mission at {previous}: "
                "one of them was lost, and there is no audit log to bring it back"
            )
        batches, new_map = self._session.waiting(request.evidence_seq), self._session.new_map
        self.last_number, self._reply = number, self._session.sync(request)
        if self._audit is not None:
            self._audit.changes(request.now, self._reply.changes)
            self._audit.journal(SYNC, number, _entry(request, batches, new_map))
            self._audit.commit()
        return self._reply

    def _rebuild(self, audit: AuditLog) -> None:
        """Apply again what the journal holds, without noting it again."""
        entries = audit.journal_entries(SYNC)
        audit.muted = True
        try:
            for number in sorted(entries):
                with sound(f"journal entry {SYNC} {number}"):
                    request = sync_from_plain(entries[number]["request"])
                    batches = [batch_from_plain(item) for item in entries[number]["batches"]]
                    self._session.new_map = str(entries[number]["new_map"])
                for batch in batches:
                    self._session.receive(batch)
                self.last_number, self._reply = number, self._session.sync(request)
        finally:
            audit.muted = False


def _entry(request: SyncRequest, batches: list[EvidenceBatch], new_map: str) -> Plain:
    return {
        "new_map": new_map,
        "request": sync_to_plain(request),
        "batches": [batch_to_plain(item) for item in batches],
    }
