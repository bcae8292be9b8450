"""Journal of a mission: what was commanded, answered and planned, so that it can be resumed.

The executor is a pure function of the answers it gets. A mission is resumed by running it again
on the answers in the journal until they end, and on the real world from there. A command is in
the journal, durably, before it is dispatched; one that was dispatched but whose answer is missing
is sent again under its number, and the world answers a number it knows without acting twice.
"""

from __future__ import annotations

from collections.abc import Callable

from adm_core.errors import MissionError
from adm_core.memory.audit import AuditLog
from adm_core.memory.records import EvidenceBatch, Exposure
from adm_core.memory.stored import sound
from adm_core.planning.plain import command_to_plain, report_from_plain, report_to_plain
from adm_core.planning.plan import Step
from adm_core.planning.planner import Planner
from adm_core.planning.ports import Command, PlanReply, WorldReport

#: Carry out command `number` (None: start) once, and return the report and the new evidence.
Act = Callable[[int, Command | None], tuple[WorldReport, list[EvidenceBatch]]]


class JournaledWorld:
    """World that notes every command before and every report after it is carried out.

    Parameters
    ----------
    act : callable
        The real world; answers a repeated number with the stored report.
    deliver : callable
        Receives the evidence of every report, in order.
    rebuild : bool
        Whether the world has no memory of its own (it died with the process), so that the
        journaled commands have to be carried out again to bring it back to where it was.
    audit : AuditLog or None
        Holds the journal; reports found in it are answered from it. None: no journal.
    """

    def __init__(
        self,
        act: Act,
        deliver: Callable[[EvidenceBatch], None],
        rebuild: bool,
        audit: AuditLog | None,
    ) -> None:
        self._act = act
        self._deliver = deliver
        self._rebuild = rebuild
        self._audit = audit
        self._number = 0
        self._reports = audit.journal_entries("report") if audit else {}
        self._last = max(audit.journal_entries("command"), default=-1) if audit else -1
        if audit is not None:  # what is repeated from the journal is in the log already
            audit.muted = self._last >= 0

    @property
    def next_number(self) -> int:
        """Number of the next command."""
        return self._number

    @property
    def replaying(self) -> bool:
        """Whether the next command is in the journal already: it was decided in an earlier run."""
        return self._number <= self._last

    def start(self) -> WorldReport:
        """Publish the first evidence and return the state at step 0."""
        return self._step(None)

    def act(self, command: Command) -> WorldReport:
        """Carry out one action, once in the life of the mission."""
        return self._step(command)

    def _step(self, command: Command | None) -> WorldReport:
        number, self._number = self._number, self._number + 1
        stored = self._reports.get(number)
        if stored is None:
            report, batches = self._dispatch(number, command)
        else:
            with sound(f"journal entry report {number}"):
                report, batches = report_from_plain(stored)
            if self._rebuild and self._act(number, command) != (report, batches):
                raise MissionError(
                    f"the world does not repeat step {report.step} of the journal: it belongs to "
                    "another mission or another version"
                )
        for batch in batches:
            self._deliver(batch)
        return report

    def _dispatch(
        self, number: int, command: Command | None
    ) -> tuple[WorldReport, list[EvidenceBatch]]:
        if self._audit is None:
            return self._act(number, command)
        self._audit.muted = False
        self._audit.journal("command", number, command_to_plain(command))
        self._audit.commit()
        report, batches = self._act(number, command)
        self._audit.journal("report", number, report_to_plain(report, batches))
        return report, batches


def journaled_plan(
    audit: AuditLog,
    call: int,
    exposure: Exposure,
    plan: Callable[[], PlanReply],
    planner: Planner,
) -> PlanReply:
    """Return the journaled plan of planning call `call`, or make it and note it.

    Parameters
    ----------
    audit : AuditLog
        Holds the journal.
    call : int
        Number of the planning call.
    exposure : Exposure
        What memory exposes now; not journaled, since memory is rebuilt exactly.
    plan : callable
        Makes the plan, possibly at a price, if it is not in the journal.
    planner : Planner
        Whose state is kept with the plan, and taken up again with it.
    """
    stored = audit.journal_entry("plan", call)
    if stored is not None:
        with sound(f"journal entry plan {call}"):
            planner.restore(stored.pop("state", {}))
            steps = tuple(Step(*step) for step in stored.pop("steps"))
            return PlanReply(steps, exposure, **{**stored, "refusals": tuple(stored["refusals"])})
    reply = plan()
    body = {
        "steps": [list(step) for step in reply.steps],
        "context_units": reply.context_units,
        "planner": reply.planner,
        "refusals": list(reply.refusals),
        "state": planner.state(),
    }
    audit.journal("plan", call, body)
    return reply
