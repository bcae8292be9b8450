"""Memory node: evidence in, changed fields and exposures out."""

from __future__ import annotations

from heapq import nlargest

from adm_core.memory.attention import AttentionConfig
from adm_core.memory.audit import AuditLog
from adm_core.memory.dynamic import MemoryConfig
from adm_core.memory.edits import OperatorEdit, screen_edit
from adm_core.memory.methods import make_memory
from adm_core.memory.records import EvidenceBatch, Source
from adm_core.memory.session import SyncRequest
from adm_core.planning.recall import JournaledSession
from rclpy.task import Future

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.common import conversions, limits, params, qos, runner
from adm_nodes.common.client import ResendingClient
from adm_nodes.common.errors import NotActiveError, RefusedError
from adm_nodes.common.known_map import KnownMap
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.mission_input import Announced, MissionInput
from adm_nodes.common.run_config import MethodConfig, RunConfig
from adm_nodes.common.run_log import open_run_log

_RECORDS_S = 0.2  # viewers need no more
_MISSING_S = 0.5  # after which what is missing counts as lost, and is asked for again


class MemoryNode(AdmNode):
    """Shell around JournaledSession.

    A memory that was killed comes back from its audit log, to the last request that it answered;
    evidence that arrived since is asked for again.

    Parameters
    ----------
    method : string
        Memory method.
    memory.*, attention.* : see MemoryConfig, AttentionConfig
        Parameters of the dynamic memory.
    audit : string
        Audit log; without one a killed memory is lost.

    Topics
    ------
    mission : Mission, map : OccupancyGrid, subscribed
        Static memory.
    evidence : EvidenceBatch, subscribed
        Kept from configuring on; applied when a request names its number.
    map_epoch : MapEpoch, subscribed
        Which life of the map it is: with a new one everything has to be seen again.
    changes : FieldChanges, records : EntityRecords (latched), published
        For viewers.

    Services
    --------
    sync_memory : SyncMemory
        Apply evidence, focus and outcome.
    retrieve : Retrieve
        What a planner may see.
    edit_record : EditRecord
        An operator's edit, which the mission takes in before its next action.
    get_evidence : GetEvidence, called
        Batches that did not arrive.
    """

    def __init__(self, **kwargs: object) -> None:
        super().__init__("memory", **kwargs)
        params.declare(self, MethodConfig)
        params.declare(self, MemoryConfig, "memory")
        params.declare(self, AttentionConfig, "attention")
        params.declare(self, RunConfig, names=["audit"])
        self._audit: AuditLog | None = None
        self._waiting: list[tuple[int, Future]] = []
        self._source: ResendingClient | None = None
        self.reset()

    def setup(self) -> None:
        """Open the audit log and wait for the mission."""
        self._method = params.read(self, MethodConfig).method
        self._config = params.read(self, MemoryConfig, "memory")
        self._attention = params.read(self, AttentionConfig, "attention")
        self._log = params.read(self, RunConfig, names=["audit"]).audit
        self._publish_changes = self.add_publisher(msgs.FieldChanges, "changes", qos.STATUS)
        self._publish_records = self.add_publisher(msgs.EntityRecords, "records", qos.LATCHED)
        MissionInput(self, self._on_mission)
        self.add_subscription(msgs.EvidenceBatch, "evidence", qos.EVIDENCE, self._on_evidence)
        self.add_subscription(msgs.MapEpoch, "map_epoch", qos.LATCHED, self._on_epoch)
        self.add_service(srvs.SyncMemory, "sync_memory", self._on_sync)
        self.add_service(srvs.Retrieve, "retrieve", self._on_retrieve)
        self.add_service(srvs.EditRecord, "edit_record", self._on_edit)
        self.add_timer(_RECORDS_S, self._show_records)
        self.add_timer(_MISSING_S, self._ask_missing)

    def start(self) -> None:
        """Connect to the source of evidence."""
        self._source = ResendingClient(self, srvs.GetEvidence, "get_evidence")

    def stop(self) -> None:
        """Let go of requests that wait for evidence."""
        if self._source is not None:
            self._source.close()
            self._source = None
        for _, future in self._waiting:
            future.set_exception(NotActiveError("the memory was deactivated"))
        self._waiting.clear()

    def reset(self) -> None:
        """Drop the memory and close its log."""
        self._announced: Announced | None = None
        self._session: JournaledSession | None = None
        self._edits: list[OperatorEdit] = []  # where there is no log to leave them in
        self._asking: Future | None = None  # for what is missing
        self._asked_from = 0  # first batch that was missing when it was last looked
        self._early: list[EvidenceBatch] = []
        self._known_map: KnownMap | None = None
        self._map_id = ""
        self._shown = True
        self._now = 0.0
        if self._audit is not None:
            self._audit.close()
            self._audit = None

    # -- input ------------------------------------------------------------------------------

    def _on_mission(self, announced: Announced) -> None:
        """Begin a memory, or bring the one back that the log tells of."""
        if self._announced is not None:  # what is known belongs to the mission before
            self._early.clear()
        if self._audit is not None:
            self._audit.close()
        self._audit = open_run_log(self._log, announced.run_id)
        memory = make_memory(
            self._method,
            announced.mission,
            announced.terrain,
            self._config,
            self._attention,
            self._audit,
        )
        self._announced, self._session = announced, JournaledSession(memory, self._audit)
        if self._session.last_number:
            self.get_logger().info(f"back at request {self._session.last_number} of the log")
        self._known_map = KnownMap(self._audit)
        self._compare_maps()
        for batch in self._early:
            self._session.receive(batch)
        self._early.clear()

    def _on_epoch(self, message: msgs.MapEpoch) -> None:
        self._map_id = message.map_id
        self._compare_maps()

    def _compare_maps(self) -> None:
        if self._session is None or self._known_map is None or not self._map_id:
            return
        if self._known_map.is_another(self._map_id):
            self.get_logger().warning(f"map {self._map_id}: everything has to be seen again")
            self._session.begin_map(self._map_id)

    def _on_evidence(self, message: msgs.EvidenceBatch) -> None:
        batch = self._read_batch(message)
        if self._session is None:
            self._early.append(batch)
            return
        self._receive(batch)

    def _receive(self, batch: EvidenceBatch) -> None:
        assert self._session is not None
        self._session.receive(batch)
        for waiting in [item for item in self._waiting if self._session.caught_up(item[0])]:
            self._waiting.remove(waiting)
            waiting[1].set_result(None)

    def _read_batch(self, message: msgs.EvidenceBatch) -> EvidenceBatch:
        try:
            return conversions.batch_from_msg(message)
        except ValueError as err:  # its number must not be missing, or all later ones would wait
            self.get_logger().error(f"evidence {message.seq} of {message.source_id!r}: {err}")
            return EvidenceBatch(
                message.seq, Source.REMOTE, message.source_id, float("nan"), (), message.frame_id
            )

    def _ask_missing(self) -> None:
        """Ask again for what a request has waited for in vain."""
        if not self._waiting or self._session is None or self._source is None:
            self._asked_from = 0
            return
        first, last = self._session.received + 1, max(item[0] for item in self._waiting)
        overdue, self._asked_from = self._asked_from == first, first
        if overdue and (self._asking is None or self._asking.done()):
            request = srvs.GetEvidence.Request(first=first, last=last)
            self._asking = self._source.call_async(request)
            self._asking.add_done_callback(self._on_missing)

    def _on_missing(self, answer: Future) -> None:
        if answer.exception() is None and self._session is not None:
            for message in answer.result().batches:
                self._receive(self._read_batch(message))

    # -- services ---------------------------------------------------------------------------

    async def _on_sync(
        self, request: srvs.SyncMemory.Request, response: srvs.SyncMemory.Response
    ) -> None:
        session = self._ready_session()
        if not session.caught_up(request.evidence_seq):
            arrived = Future()
            self._waiting.append((request.evidence_seq, arrived))
            await arrived
        if self._announced is not None:
            await self._announced.floor_at(request.now)
        edits = tuple(map(conversions.edit_from_msg, request.edits))
        if request.number != session.last_number:
            edits, self._edits = (*edits, *self._edits), []
        reply = session.sync(
            request.number,
            request.previous,
            SyncRequest(
                request.now,
                request.evidence_seq,
                conversions.focus_from_msg(request.focus),
                conversions.outcome_from_msg(request.outcome[0]) if request.outcome else None,
                request.count_candidates,
                edits,
            ),
        )
        response.changes = [conversions.change_to_msg(item) for item in reply.changes]
        response.candidates = reply.candidates
        if reply.changes:
            self._shown, self._now = False, request.now
            self._publish_changes(msgs.FieldChanges(now=request.now, changes=response.changes))

    def _on_retrieve(
        self, request: srvs.Retrieve.Request, response: srvs.Retrieve.Response
    ) -> None:
        session = self._ready_session()
        exposure = session.expose(request.now, conversions.focus_from_msg(request.focus))
        response.exposure = conversions.exposure_to_msg(exposure)

    def _on_edit(self, request: srvs.EditRecord.Request, _: srvs.EditRecord.Response) -> None:
        """Leave an edit for the mission, unless it would be refused as things stand."""
        session, edit = self._ready_session(), conversions.edit_from_msg(request.edit)
        assert self._announced is not None
        records = {item.id: item for item in session.memory.records()}
        finding = screen_edit(edit, records.get(edit.entity_id), self._announced.mission.map_id)
        if finding is not None:
            raise RefusedError(f"{edit}: {finding.value}")
        if self._audit is not None:
            self._audit.request_edit(edit.as_plain())
        else:
            self._edits.append(edit)

    def _ready_session(self) -> JournaledSession:
        if self._session is None:
            raise NotActiveError("no mission yet")
        return self._session

    # -- viewers ----------------------------------------------------------------------------

    def _show_records(self) -> None:
        if self._shown or self._session is None or not self.is_active:
            return
        assert self._announced is not None
        self._shown = True
        known = list(self._session.memory.records())
        if len(known) > limits.RECORDS:
            known = nlargest(limits.RECORDS, known, key=lambda item: item.stamp)
        records = [conversions.record_to_msg(item) for item in known]
        self._publish_records(
            msgs.EntityRecords(
                now=self._now, frame_id=self._announced.mission.frame_id, records=records
            )
        )


def main() -> int:
    """Run the node."""
    return runner.main(MemoryNode)


if __name__ == "__main__":
    raise SystemExit(main())
