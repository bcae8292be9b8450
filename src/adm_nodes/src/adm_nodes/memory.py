"""Memory node: evidence in, changed fields and exposures out."""

from __future__ import annotations

from adm_core.grid.terrain import Terrain
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.audit import AuditLog
from adm_core.memory.dynamic import MemoryConfig
from adm_core.memory.methods import make_memory
from adm_core.memory.records import EvidenceBatch, Source
from adm_core.memory.session import MemorySession, SyncRequest
from adm_core.memory.static import Mission
from rclpy.task import Future

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from adm_nodes.common import conversions, params, qos, runner
from adm_nodes.common.errors import NotActiveError
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.mission_input import MissionInput
from adm_nodes.common.run_config import MethodConfig, RunConfig

_RECORDS_S = 0.2  # viewers need no more


class MemoryNode(AdmNode):
    """Shell around MemorySession.

    Parameters
    ----------
    method : string
        Memory method.
    memory.*, attention.* : see MemoryConfig, AttentionConfig
        Parameters of the dynamic memory.
    audit : string
        Audit log.

    Topics
    ------
    mission : Mission, map : OccupancyGrid, subscribed
        Static memory.
    evidence : EvidenceBatch, subscribed
        Kept from configuring on; applied when a request names its number.
    changes : FieldChanges, records : EntityRecords (latched), published
        For viewers.

    Services
    --------
    sync_memory : SyncMemory
        Apply evidence, focus and outcome.
    retrieve : Retrieve
        What a planner may see.
    """

    def __init__(self, **kwargs: object) -> None:
        super().__init__("memory", **kwargs)
        params.declare(self, MethodConfig)
        params.declare(self, MemoryConfig, "memory")
        params.declare(self, AttentionConfig, "attention")
        params.declare(self, RunConfig, names=["audit"])
        self._audit: AuditLog | None = None
        self._waiting: list[tuple[int, Future]] = []
        self.reset()

    def setup(self) -> None:
        """Open the audit log and wait for the mission."""
        self._method = params.read(self, MethodConfig).method
        self._config = params.read(self, MemoryConfig, "memory")
        self._attention = params.read(self, AttentionConfig, "attention")
        path = params.read(self, RunConfig, names=["audit"]).audit
        self._audit = AuditLog(path) if path else None
        self._publish_changes = self.add_publisher(msgs.FieldChanges, "changes", qos.STATUS)
        self._publish_records = self.add_publisher(msgs.EntityRecords, "records", qos.LATCHED)
        MissionInput(self, self._on_mission)
        self.add_subscription(msgs.EvidenceBatch, "evidence", qos.EVIDENCE, self._on_evidence)
        self.add_service(srvs.SyncMemory, "sync_memory", self._on_sync)
        self.add_service(srvs.Retrieve, "retrieve", self._on_retrieve)
        self.add_timer(_RECORDS_S, self._show_records)

    def stop(self) -> None:
        """Let go of requests that wait for evidence."""
        for _, future in self._waiting:
            future.set_exception(NotActiveError("the memory was deactivated"))
        self._waiting.clear()

    def reset(self) -> None:
        """Drop the memory and close its log."""
        self._mission: Mission | None = None
        self._session: MemorySession | None = None
        self._early: list[EvidenceBatch] = []
        self._shown = True
        self._now = 0.0
        if self._audit is not None:
            self._audit.close()
            self._audit = None

    # -- input ------------------------------------------------------------------------------

    def _on_mission(self, mission: Mission, terrain: Terrain) -> None:
        memory = make_memory(
            self._method, mission, terrain, self._config, self._attention, self._audit
        )
        self._mission, self._session = mission, MemorySession(memory)
        for batch in self._early:
            self._session.receive(batch)
        self._early.clear()

    def _on_evidence(self, message: msgs.EvidenceBatch) -> None:
        batch = self._read_batch(message)
        if self._session is None:
            self._early.append(batch)
            return
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

    # -- services ---------------------------------------------------------------------------

    async def _on_sync(
        self, request: srvs.SyncMemory.Request, response: srvs.SyncMemory.Response
    ) -> None:
        session = self._ready_session()
        if not session.caught_up(request.evidence_seq):
            arrived = Future()
            self._waiting.append((request.evidence_seq, arrived))
            await arrived
        reply = session.sync(
            SyncRequest(
                request.now,
                request.evidence_seq,
                conversions.focus_from_msg(request.focus),
                conversions.outcome_from_msg(request.outcome[0]) if request.outcome else None,
                request.count_candidates,
            )
        )
        if self._audit is not None:
            self._audit.changes(request.now, reply.changes)
            self._audit.commit()
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

    def _ready_session(self) -> MemorySession:
        if self._session is None:
            raise NotActiveError("no mission yet")
        return self._session

    # -- viewers ----------------------------------------------------------------------------

    def _show_records(self) -> None:
        if self._shown or self._session is None or self._mission is None or not self.is_active:
            return
        self._shown = True
        records = [conversions.record_to_msg(item) for item in self._session.memory.records()]
        self._publish_records(
            msgs.EntityRecords(now=self._now, frame_id=self._mission.frame_id, records=records)
        )


def main() -> int:
    """Run the node."""
    return runner.main(MemoryNode)


if __name__ == "__main__":
    raise SystemExit(main())
