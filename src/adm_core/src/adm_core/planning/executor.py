"""Receding-horizon executor: one committed skill at a time, replanning only with a reason.

Algorithm 1 of the paper, written against ports so that the same decisions come out in one
process and over ROS services.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adm_core.grid.terrain import Terrain
from adm_core.memory.edits import OperatorEdit
from adm_core.memory.method import Focus
from adm_core.memory.records import (
    ExposedRecord,
    FailureReason,
    SkillOutcome,
    Status,
)
from adm_core.memory.session import SyncRequest
from adm_core.memory.static import Mission
from adm_core.planning.coverage import Coverage
from adm_core.planning.decisions import DecisionDigest
from adm_core.planning.places import goal_of
from adm_core.planning.plan import Step, effects, triggering_change
from adm_core.planning.ports import (
    Body,
    Command,
    MemoryPort,
    PlannerPort,
    PlanRequest,
    Primitive,
    World,
    WorldReport,
)
from adm_core.planning.progress import ExecutionLog, Reason, Snapshot, Tally
from adm_core.planning.skills import SKILLS
from adm_core.planning.steered import Steered
from adm_core.planning.supervision import EndedError, Supervisor
from adm_core.types import Pose2D

#: Ends of a move after which the next one may do better; all others end the skill.
_DRIVES_ON = frozenset({FailureReason.NONE, FailureReason.SLIPPED})


class Executor(Steered):
    """Carry a mission out.

    Parameters
    ----------
    mission : Mission
        Static memory.
    terrain : Terrain
        Where the robot can search when nothing is known.
    world, memory, planner : World, MemoryPort, PlannerPort
        The rest of the system.
    log : ExecutionLog, optional
        Receives every decision.
    body : Body, optional
        What tells arrival where the robot has a size; approach and verify then act on the world.
    supervisor : Supervisor, optional
        Is asked before every action: people may hold, step, edit, refuse or end.

    The attribute `ended` says why people ended the mission before its time; else it is empty.
    """

    def __init__(
        self,
        mission: Mission,
        terrain: Terrain,
        world: World,
        memory: MemoryPort,
        planner: PlannerPort,
        log: ExecutionLog | None = None,
        body: Body | None = None,
        supervisor: Supervisor | None = None,
    ) -> None:
        self.mission = mission
        self.tally = Tally()
        self.digest = DecisionDigest()
        self._terrain = terrain
        self._world = world
        self._memory = memory
        self._planner = planner
        self._log = log
        self._body = body
        self._supervisor = supervisor
        self._look: Pose2D | None = None
        self._interrupted = False  # a person took the plan away: no reason to let a step pass
        self.ended = ""
        self._report = WorldReport(0, Pose2D(0.0, 0.0), True, FailureReason.NONE, 0.0, 0)
        self._plan: tuple[Step, ...] = ()
        self._exposed: tuple[ExposedRecord, ...] = ()
        self._planned: tuple[Step, ...] = ()
        self._reason = self._planned_because = Reason("start")
        self._held_id = self._held_station = ""
        self._last_outcome = "none"
        self._coverage: Coverage | None = None

    # -- the loop ---------------------------------------------------------------------------

    def run(self) -> Iterator[Snapshot]:
        """Yield a snapshot after every step until the mission is complete or out of budget.

        Closing the generator between two steps stops the mission with the log complete.
        """
        self._report = self._world.start()
        self._note_pose()
        self._sync()
        yield self._snapshot("start")
        try:
            yield from self._carry_out()
        except EndedError as err:
            self.ended = str(err)

    def _carry_out(self) -> Iterator[Snapshot]:
        while not self.complete and self._report.step < self.mission.budget_steps:
            before = self._report.step
            self._interrupted = False
            if not self._plan and self._coverage is None:
                self._request_plan()
            if self._plan:
                yield from self._run_skill(self._plan[0])
            elif self._report.step < self.mission.budget_steps:
                yield from self._search_step()
            if self._report.step == before and not (self._plan or self._interrupted):
                yield from self._spend_step(Command(Primitive.WAIT, self._report.robot), "wait")

    @property
    def complete(self) -> bool:
        """Whether every expected container is delivered and nothing is held."""
        return len(self.tally.delivered) >= self.mission.expected and not self._held_id

    @property
    def step(self) -> int:
        """Steps taken so far."""
        return self._report.step

    # -- planning ---------------------------------------------------------------------------

    def _request_plan(self) -> None:
        self.tally.planner_calls += 1
        request = PlanRequest(
            self.tally.planner_calls,
            float(self.step),
            self._focus(),
            self._last_outcome,
            str(self._reason),
        )
        reply = self._planner.plan(request)
        self.tally.context_units += reply.context_units
        self.digest.exposed(self.step, [item.id for item in reply.exposure.records])
        if self._reason.is_replan:
            self.tally.replans.append((self.step, self._reason))
        if self._log:
            self._log.planning(self.step, self.tally.planner_calls, self._reason, reply)
        self._exposed = reply.exposure.records
        self._plan = self._planned = reply.steps
        self._planned_because = self._reason
        here = self._terrain.cell(self._report.robot)
        view_m = self.mission.view_m
        self._coverage = None if reply.steps else Coverage(self._terrain, view_m, here)

    def _give_up_plan(self, reason: Reason) -> None:
        self._plan = ()
        self._reason = reason

    def _focus(self) -> Focus:
        sought = (item for item in self._plan if item.skill != "observe")
        target = next((item.target_id for item in sought if item.target_id), "")
        station = next((item.station_id for item in self._plan if item.station_id), "")
        if self._held_id and not station:
            station = self._held_station
        return Focus(self._report.robot, target, self._held_id, station)

    # -- skills -----------------------------------------------------------------------------

    def _run_skill(self, action: Step) -> Iterator[Snapshot]:
        """Commit one skill and see it through, or until a change takes its plan away."""
        if not self._permitted(action, begins=True):
            return
        self.digest.committed(self.step, action)
        self._note(action, "start", "")
        if action.skill == "navigate":
            yield from self._navigate(action)
        elif action.skill == "grasp":
            yield from self._act_once(action, Primitive.PICK)
        elif action.skill == "deliver":
            yield from self._act_once(action, Primitive.PLACE)
        elif action.skill == "observe":
            self._look = goal_of(action, self.mission, self._exposed)  # the next command asks
            self.tally.observations += 1
            self._finish(action, FailureReason.NONE)
        elif self._body is not None:
            yield from self._act_once(action, Primitive(action.skill))
        else:  # approach and verify cost no step in worlds without a camera
            self._finish(action, FailureReason.NONE)

    def _navigate(self, action: Step) -> Iterator[Snapshot]:
        goal = goal_of(action, self.mission, self._exposed)
        if goal is None:
            self._finish(action, FailureReason.UNREACHABLE)
            return
        while not self._arrived(goal):
            if self.step >= self.mission.budget_steps:
                self._finish(action, FailureReason.BUDGET)
                return
            if not self._permitted(action):
                return
            self._act(Command(Primitive.MOVE, goal))
            if self._report.reason not in _DRIVES_ON:
                self._finish(action, self._report.reason)
                yield self._snapshot(str(action))
                return
            self._sync()
            yield self._snapshot(str(action))
            if not self._plan:  # a changed field that the plan depends on
                self._note(action, "preempted", str(self._reason))
                return
        self._finish(action, FailureReason.NONE)

    def _act_once(self, action: Step, primitive: Primitive) -> Iterator[Snapshot]:
        if self.step >= self.mission.budget_steps:
            self._finish(action, FailureReason.BUDGET)
            return
        if not self._permitted(action):
            return
        label = next((item.label for item in self._exposed if item.id == action.target_id), "")
        self._act(Command(primitive, self._place_of(action), label))
        reason = FailureReason.NONE if self._report.success else self._report.reason
        self._finish(action, reason)
        yield self._snapshot(str(action))

    def _finish(self, action: Step, reason: FailureReason) -> None:
        """Write a skill's outcome to memory before anything else is decided."""
        success = reason is FailureReason.NONE
        outcome = SkillOutcome(
            action.skill,
            action.target_id,
            action.station_id,
            success,
            reason,
            float(self.step),
            self._report.robot,
        )
        self._last_outcome = f"{action}: {'succeeded' if success else reason.value}"
        self._note(action, "done" if success else "failed", reason.value)
        if success:
            self._plan = self._plan[1:]
            self._apply_effects(action)
            if not self._plan:
                self._reason = Reason("plan_complete")
        elif reason is FailureReason.ABSENT:
            self.tally.absent.append((self.step, action.target_id))
        elif reason.empties_hand:
            self._held_id = ""
        self._sync(outcome, predicted=effects(action))
        if not success:
            self._give_up_plan(Reason(f"skill_failed:{reason.value}", action.target_id, "status"))

    def _apply_effects(self, action: Step) -> None:
        if action.skill == "grasp":
            self._held_id = action.target_id
            self._held_station = next(
                (item.station_id for item in self._plan if item.station_id), ""
            )
        elif action.skill == "deliver":
            self._held_id = ""
            self.tally.delivered.append(action.target_id)

    def _arrived(self, goal: Pose2D) -> bool:
        if self._body is not None:
            return self._body.arrived(self._report.robot, goal)
        return self._terrain.cell(self._report.robot) == self._terrain.cell(goal)

    def _place_of(self, action: Step) -> Pose2D:
        """Return where a skill acts: for a body its goal, else where the robot stands."""
        goal = goal_of(action, self.mission, self._exposed) if self._body is not None else None
        return goal or self._report.robot

    # -- search -----------------------------------------------------------------------------

    def _search_step(self) -> Iterator[Snapshot]:
        """Take one step of the search; a candidate ends it."""
        if not self._permitted(None, begins=True):
            return
        assert self._coverage is not None
        goal = self._coverage.next_goal(self._terrain.cell(self._report.robot))
        self._act(Command(Primitive.MOVE, self._terrain.pose(goal)))
        if self._report.reason not in _DRIVES_ON:
            self._coverage.skip(goal)
        self._coverage.look(self._terrain.cell(self._report.robot))
        if self._sync(count_candidates=True) > 0:
            self._coverage = None
            self._reason = Reason("search_found")
        yield self._snapshot("search")

    # -- world and memory -------------------------------------------------------------------

    def _spend_step(self, command: Command, activity: str) -> Iterator[Snapshot]:
        self._act(command)
        self._sync()
        yield self._snapshot(activity)

    def _act(self, command: Command) -> None:
        self._report = self._world.act(replace(command, look=self._look))
        self._look = None
        self.tally.path_m += self._report.moved_m
        self._note_pose()

    def _note(self, action: Step, event: str, why: str) -> None:
        if self._log:
            self._log.skill(self.step, action, event, why)

    def _note_pose(self) -> None:
        if self._log:
            self._log.pose(self.step, self._report.robot, self._held_id)

    def _sync(
        self,
        outcome: SkillOutcome | None = None,
        predicted: frozenset[tuple[str, str, str]] = frozenset(),
        count_candidates: bool = False,
        edits: tuple[OperatorEdit, ...] = (),
        committed: bool = True,
    ) -> int:
        """Bring memory up to date; drop the plan if a change touches what it depends on.

        What cannot be preempted is seen through, unless it is not even committed yet.
        """
        reply = self._memory.sync(
            SyncRequest(
                float(self.step),
                self._report.evidence_seq,
                self._focus(),
                outcome,
                count_candidates,
                edits,
            )
        )
        expected = predicted | {(self._focus().entity_id, "status", Status.ASSIGNED.value)}
        change = triggering_change(reply.changes, self._plan, expected)
        if change is None:
            return reply.candidates
        if SKILLS[self._plan[0].skill].preemptible or not committed:
            self._give_up_plan(
                Reason("changed_field", change.entity, change.field, change.old, change.new)
            )
        return reply.candidates

    def look(self) -> Snapshot:
        """Return the state between two actions, once the mission has begun."""
        return self._snapshot("waits")

    def _take_edits(self, edits: tuple[OperatorEdit, ...], committed: bool) -> None:
        self._sync(edits=edits, committed=committed)

    def _snapshot(self, activity: str) -> Snapshot:
        return Snapshot(
            self.step,
            len(self.tally.delivered),
            self.tally.planner_calls,
            self._report.robot,
            self._held_id,
            activity,
            self._exposed,
            self._planned,
            self._plan,
            self._planned_because,
        )
