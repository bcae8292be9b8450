"""A recycling mission in this process: world, memory, planner and executor wired together."""

from __future__ import annotations

from collections.abc import Iterator

from adm_core.memory.audit import AuditLog
from adm_core.memory.methods import make_memory
from adm_core.memory.session import MemorySession, SyncReply, SyncRequest
from adm_core.missions.profile import Profile
from adm_core.missions.setup import MissionConfig, MissionSetup, make_setup
from adm_core.planning.execution_log import AuditedExecution
from adm_core.planning.executor import Executor
from adm_core.planning.planner import Planner
from adm_core.planning.ports import PlanReply, PlanRequest
from adm_core.planning.progress import Snapshot
from adm_core.simulation.recycling import RecyclingWorld


class LocalMission:
    """One mission with all its parts in this process.

    Parameters
    ----------
    setup : MissionSetup
        What to run; its profile holds the parameters of the memory.
    audit : AuditLog, optional
        Where to write evidence and decisions.

    Attributes
    ----------
    world, executor : RecyclingWorld, Executor
        For a look at the state, during and after the run.
    """

    def __init__(
        self,
        setup: MissionSetup,
        audit: AuditLog | None = None,
    ) -> None:
        profile = setup.profile
        memory = make_memory(
            setup.config.method,
            setup.mission,
            setup.terrain,
            profile.memory,
            profile.attention,
            audit,
        )
        self.memory = memory
        self._audit = audit
        self._session = MemorySession(memory)
        self._planner = Planner(setup.mission, setup.terrain)
        self.world: RecyclingWorld = setup.world(self._session.receive)
        self.executor = Executor(
            setup.mission,
            setup.terrain,
            self.world,
            memory=self,
            planner=self,
            log=AuditedExecution(audit) if audit else None,
        )

    def run(self) -> Iterator[Snapshot]:
        """Yield a snapshot after every step."""
        return self.executor.run()

    def sync(self, request: SyncRequest) -> SyncReply:
        """Bring memory up to date (the executor's MemoryPort)."""
        reply = self._session.sync(request)
        if self._audit:
            self._audit.changes(request.now, reply.changes)
        return reply

    def plan(self, request: PlanRequest) -> PlanReply:
        """Retrieve and plan (the executor's PlannerPort)."""
        exposure = self._session.expose(request.now, request.focus)
        return self._planner.plan(request, exposure)


def oracle_steps(setup: MissionSetup) -> int:
    """Return the steps that the oracle method takes for a mission."""
    mission = LocalMission(setup)
    for _ in mission.run():
        pass
    return mission.executor.step


def prepare(config: MissionConfig, profile: Profile | None = None) -> MissionSetup:
    """Build the mission of `config`, measuring its budget by the oracle where it has none."""
    return make_setup(config, profile, measure=oracle_steps)
