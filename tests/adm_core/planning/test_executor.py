"""The executor against scripted worlds and planners."""

import pytest
from adm_core.memory.records import Change, ExposedRecord, Exposure, FailureReason, Source, Status
from adm_core.memory.session import SyncReply
from adm_core.planning.executor import Executor
from adm_core.planning.plan import Step
from adm_core.planning.ports import PlanReply, Primitive, WorldReport
from worlds import at, field, mission

FETCH = (
    Step("navigate", "e1"),
    Step("approach", "e1"),
    Step("grasp", "e1"),
    Step("navigate", station_id="station_A"),
    Step("deliver", "e1", "station_A"),
)


class Rig:
    """World, memory and planner in one, each answer scripted by the test."""

    def __init__(self, target=at(0, 2), plans=(FETCH,), expected=1, budget=50):
        self.robot, self.step, self.target = at(0, 0), 0, target
        self.commands, self.requests, self.outcomes = [], [], []
        self.failures = {}  # step -> reason
        self.changes = {}  # step -> changes
        self.plans = list(plans)
        self.executor = Executor(
            mission(expected=expected, budget=budget), field(), self, self, self
        )

    def start(self):
        return WorldReport(0, self.robot, True, FailureReason.NONE, 0.0, 0)

    def act(self, command):
        self.commands.append(command)
        reason = self.failures.get(self.step, FailureReason.NONE)
        self.step += 1
        if command.primitive is Primitive.MOVE and reason is FailureReason.NONE:
            dx = (command.goal.x > self.robot.x) - (command.goal.x < self.robot.x)
            self.robot = self.robot._replace(x=self.robot.x + dx)
        return WorldReport(self.step, self.robot, reason is FailureReason.NONE, reason, 1.0, 0)

    def sync(self, request):
        if request.outcome:
            self.outcomes.append(request.outcome)
        return SyncReply(tuple(self.changes.pop(self.step, ())), 0)

    def plan(self, request):
        self.requests.append(request)
        steps = self.plans.pop(0) if self.plans else ()
        shown = ExposedRecord(
            "e1", "can", self.target, 0.9, Status.OBSERVED, 0.0, Source.REMOTE, 0.5
        )
        return PlanReply(steps, Exposure((shown,)), 66, "scripted")

    def run(self):
        return list(self.executor.run())

    @property
    def primitives(self):
        return [command.primitive.value for command in self.commands]


def test_one_plan_fetches_and_delivers_one_container():
    rig = Rig()
    rig.run()
    assert rig.primitives == ["move", "move", "pick", "move", "move", "place"]
    assert [item.skill for item in rig.outcomes] == [step.skill for step in FETCH]
    assert all(item.success for item in rig.outcomes)
    assert rig.executor.complete
    assert (rig.executor.tally.planner_calls, rig.executor.tally.context_units) == (1, 66)
    assert rig.executor.tally.replans == []


def test_the_outcome_is_written_before_the_next_skill_is_dispatched():
    rig = Rig()
    for _ in rig.executor.run():
        if rig.primitives[-1:] == ["pick"]:
            assert rig.outcomes[-1].skill == "grasp"
            break


def test_a_slipping_move_is_retried_without_a_replan():
    rig = Rig()
    rig.failures = {0: FailureReason.SLIPPED}
    rig.run()
    assert rig.primitives[:3] == ["move", "move", "move"]
    assert rig.executor.tally.planner_calls == 1


def test_a_failed_grasp_gives_the_plan_up_and_says_why():
    rig = Rig(plans=(FETCH, FETCH))
    rig.failures = {2: FailureReason.ABSENT}
    rig.run()
    ((step, reason),) = rig.executor.tally.replans
    assert (step, reason.word, reason.entity) == (3, "skill_failed:absent", "e1")
    assert rig.requests[1].last_outcome == "grasp(e1): absent"
    assert rig.executor.tally.absent == [(3, "e1")]


def test_a_change_that_the_plan_depends_on_stops_the_way_at_once():
    rig = Rig(plans=(FETCH, FETCH))
    rig.changes = {1: (Change("e1", "pose", "0.5,0.5", "2.5,0.5"),)}
    rig.run()
    assert rig.requests[1].now == 1.0
    assert rig.executor.tally.replans[0][1].field == "pose"


@pytest.mark.parametrize(
    "change",
    [
        Change("e2", "pose", "a", "b"),
        Change("e1", "stamp", "0", "1"),
        Change("e1", "status", "observed", "assigned"),
    ],
)
def test_changes_that_do_not_matter_leave_the_plan_alone(change):
    rig = Rig()
    rig.changes = {1: (change,)}
    rig.run()
    assert rig.executor.tally.planner_calls == 1


def test_a_plan_is_resumed_with_the_held_object_after_a_failed_delivery():
    again = (Step("navigate", station_id="station_A"), Step("deliver", "e1", "station_A"))
    rig = Rig(plans=(FETCH, again))
    rig.failures = {5: FailureReason.SLIPPED}
    rig.run()
    assert rig.requests[1].focus.held_id == "e1"
    assert rig.requests[1].focus.station_id == "station_A"
    assert rig.executor.complete


def test_without_a_plan_the_robot_searches_until_the_budget_ends():
    rig = Rig(plans=(), budget=7)
    rig.run()
    assert rig.primitives == ["move"] * 7
    assert rig.executor.tally.planner_calls == 1
    assert not rig.executor.complete


def test_a_plan_that_takes_no_step_cannot_stop_time():
    rig = Rig(target=at(0, 0), plans=[(Step("navigate", "e1"),)] * 100, budget=5)
    rig.run()
    assert rig.primitives == ["wait"] * 5


def test_the_budget_is_never_exceeded():
    rig = Rig(target=at(0, 5), budget=3)
    assert rig.run()[-1].step == 3
    assert rig.step == 3


def test_equal_runs_have_equal_digests_and_different_ones_do_not():
    first, same, other = Rig(), Rig(), Rig(target=at(0, 3))
    for rig in (first, same, other):
        rig.run()
    assert first.executor.digest.hexdigest() == same.executor.digest.hexdigest()
    assert first.executor.digest.hexdigest() != other.executor.digest.hexdigest()


def test_a_snapshot_tells_the_plan_and_why_it_was_made():
    rig = Rig(plans=(FETCH, FETCH))
    rig.failures = {2: FailureReason.SLIPPED}
    snapshots = rig.run()
    assert str(snapshots[1].reason) == "start"
    assert str(snapshots[-1].reason) == "skill_failed:slipped e1"
    assert snapshots[-1].planned == FETCH


def test_a_dropped_object_leaves_the_hand_empty():
    rig = Rig(plans=(FETCH, FETCH))
    rig.failures = {5: FailureReason.DROPPED}
    rig.run()
    assert rig.primitives[:6] == ["move", "move", "pick", "move", "move", "place"]
    assert rig.requests[1].focus.held_id == ""
    assert rig.primitives[6:9] == ["move", "move", "pick"]  # it is fetched again


class Near:
    """A body that is as near as it gets one metre off."""

    def arrived(self, robot, goal):
        return abs(robot.x - goal.x) <= 1.0


def test_a_body_stops_before_the_target_and_approaches_it_by_a_command():
    rig = Rig()
    rig.executor = Executor(mission(expected=1, budget=50), field(), rig, rig, rig, body=Near())
    rig.run()
    assert rig.primitives == ["move", "approach", "pick", "place"]
    assert rig.commands[1].goal == rig.commands[2].goal == rig.target
    assert rig.commands[3].goal == rig.executor.mission.station("station_A").pose


def test_an_approach_that_finds_nothing_refutes_the_target():
    rig = Rig(plans=(FETCH, ()))
    rig.failures = {1: FailureReason.ABSENT}
    rig.executor = Executor(mission(expected=1, budget=5), field(), rig, rig, rig, body=Near())
    rig.run()
    assert [(item.skill, item.reason) for item in rig.outcomes[1:]] == [
        ("approach", FailureReason.ABSENT)
    ]
    assert rig.executor.tally.absent == [(2, "e1")]


def test_a_place_that_cannot_be_reached_does_not_hold_the_search_up():
    rig = Rig(plans=(), budget=6)
    rig.failures = dict.fromkeys(range(6), FailureReason.UNREACHABLE)
    rig.run()
    goals = [command.goal for command in rig.commands]
    assert len(set(goals)) == len(goals) == 6
