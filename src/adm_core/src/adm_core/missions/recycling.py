"""A recycling mission in this process: world, memory, planner and executor wired together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from adm_core.memory.audit import AuditLog
from adm_core.memory.methods import make_memory
from adm_core.memory.records import EvidenceBatch
from adm_core.memory.session import MemorySession, SyncReply, SyncRequest
from adm_core.missions.planners import PlannerSetup
from adm_core.missions.profile import Profile
from adm_core.missions.setup import MissionConfig, MissionSetup, make_setup
from adm_core.missions.spec import NOTHING_ELSE, MissionSpec
from adm_core.planning.approval import Approval
from adm_core.planning.controls import Controls
from adm_core.planning.execution_log import AuditedExecution
from adm_core.planning.executor import Executor
from adm_core.planning.journal import JournaledWorld, journaled_plan
from adm_core.planning.ports import Command, PlanReply, PlanRequest, WorldReport
from adm_core.planning.progress import Snapshot
from adm_core.planning.supervision import JournaledSupervisor
from adm_core.simulation.recycling import SimulatedWorld, WorldFacts


class NumberedWorld(Protocol):
    """World that knows commands by number.

    Attributes
    ----------
    forgets : bool
        Whether the world lives and dies with this process.
    """

    forgets: bool

    def act(self, number: int, command: Command | None) -> tuple[WorldReport, list[EvidenceBatch]]:
        """Carry out command `number` (None: start) once; repeat the answer if asked again."""

    def facts(self) -> WorldFacts:
        """Return the truth about the mission so far."""


class WorldMaker(Protocol):
    """Makes the same simulated world as often as wanted."""

    def world(self, publish: Callable[[EvidenceBatch], None]) -> SimulatedWorld:
        """Return a fresh world that sends its evidence to `publish`."""


class LocalWorld:
    """Simulated world in this process.

    Attributes
    ----------
    simulated : SimulatedWorld
        The world itself, for a look at what only a simulator knows.
    """

    forgets = True

    def __init__(self, setup: WorldMaker) -> None:
        self._evidence: list[EvidenceBatch] = []
        self.simulated = setup.world(self._evidence.append)

    def act(self, number: int, command: Command | None) -> tuple[WorldReport, list[EvidenceBatch]]:
        """Carry out the next command."""
        report = self.simulated.start() if command is None else self.simulated.act(command)
        evidence = list(self._evidence)
        self._evidence.clear()
        return report, evidence

    def facts(self) -> WorldFacts:
        """Return the truth about the mission so far."""
        return self.simulated.facts()


class LocalMission:
    """One mission with all its parts in this process.

    Parameters
    ----------
    setup : MissionSetup
        What to run; its profile holds the parameters of the memory.
    audit : AuditLog, optional
        Where to write evidence and decisions.
    world : NumberedWorld, optional
        Where the mission takes place; by default a simulated world in this process.
    planners : PlannerSetup, optional
        Who plans; the built-in policy if not given.
    controls : Controls, optional
        By which people hold, step, edit, stop or cancel the mission while it runs.
    approval : Approval, optional
        Who says yes before a skill is dispatched; by default every skill is trusted.

    A mission whose audit log already holds a journal is resumed from it: what was done is not
    done again.

    Attributes
    ----------
    world, executor : NumberedWorld, Executor
        For a look at the state, during and after the run.
    """

    def __init__(
        self,
        setup: MissionSetup,
        audit: AuditLog | None = None,
        world: NumberedWorld | None = None,
        planners: PlannerSetup | None = None,
        controls: Controls | None = None,
        approval: Approval | None = None,
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
        self.planners = planners or PlannerSetup("policy")
        self._planner = self.planners.planner(setup.mission, setup.terrain, profile.attention)
        self.world = world or LocalWorld(setup)
        journaled = JournaledWorld(self.world.act, self._session.receive, self.world.forgets, audit)
        self.executor = Executor(
            setup.mission,
            setup.terrain,
            journaled,
            memory=self,
            planner=self,
            log=AuditedExecution(audit, commit=False) if audit else None,
            supervisor=JournaledSupervisor(
                controls or Controls(),
                approval or Approval(),
                audit,
                lambda: journaled.replaying,
                lambda: journaled.next_number,
            )
            if controls or approval or audit
            else None,
            body=setup.body,
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
        if self._audit is None:
            return self._planner.plan(request, exposure)
        return journaled_plan(
            self._audit,
            request.call,
            exposure,
            lambda: self._planner.plan(request, exposure),
            self._planner,
        )


def oracle_steps(setup: MissionSetup, watch: Callable[[Snapshot], None] | None = None) -> int:
    """Return the steps that the oracle method takes for a mission."""
    mission = LocalMission(setup)
    for snapshot in mission.run():
        if watch:
            watch(snapshot)
    return mission.executor.step


def prepare(
    config: MissionConfig,
    profile: Profile | None = None,
    spec: MissionSpec = NOTHING_ELSE,
    watch: Callable[[Snapshot], None] | None = None,
) -> MissionSetup:
    """Build the mission of `config`, measuring its budget by the oracle where it has none.

    Parameters
    ----------
    config, profile, spec : MissionConfig, Profile, MissionSpec
        As :func:`~adm_core.missions.setup.make_setup` takes them.
    watch : callable, optional
        Receives every state of the oracle's run, which takes seconds on a large map.
    """
    return make_setup(config, profile, lambda setup: oracle_steps(setup, watch), spec)
