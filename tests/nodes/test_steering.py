"""The action run_mission and what people say, over DDS; the core behind it has tests of its own."""

import json
import sqlite3
import threading
import time

import pytest
from action_msgs.msg import GoalStatus
from mission_crew import LIMIT_S, Crew, plain_digest
from rclpy.parameter import Parameter

from adm_interfaces.msg import OperatorEdit, ReplyStatus
from adm_interfaces.srv import EditRecord


@pytest.fixture
def crew(spinning, tmp_path):
    """Return a function that makes the nodes; parameters are the executor's."""
    return lambda **executor: Crew(spinning, tmp_path / "audit.sqlite", **executor)


# -- the action -----------------------------------------------------------------------------------


def test_a_goal_runs_the_announced_mission(crew):
    crew = crew(begin="asked").activate()
    time.sleep(0.3)
    assert not crew.said["mission_status"]  # nobody asked for it
    status, result = crew.result(crew.send())
    assert (status, result.outcome) == (GoalStatus.STATUS_SUCCEEDED, "completed")
    assert result.tally.decision_sha256 == plain_digest(scenario="S-6")
    assert result.tally.delivered == 6
    assert crew.feedback[-1].step == result.tally.steps
    assert any(item.plan for item in crew.feedback)
    assert max(item.exposed for item in crew.feedback) > 0


def test_two_missions_at_once_are_refused_with_a_reason(crew):
    crew = crew(begin="asked", pace_s=0.05).activate()
    first = crew.send()
    crew.await_step(3)
    status, result = crew.result(crew.send())
    assert (status, result.outcome) == (GoalStatus.STATUS_ABORTED, "refused")
    assert result.detail == "a mission is under way"
    status, result = crew.result(crew.send(mission="goal: another one"))
    assert (result.outcome, result.detail) == ("refused", "a mission is under way")
    assert first.cancel_goal_async() is not None
    assert crew.result(first)[1].outcome == "cancelled"


def test_a_cancelled_mission_is_resumed_from_its_log(crew):
    crew = crew(begin="asked", pace_s=0.02).activate()
    goal = crew.send()
    crew.await_step(10)
    goal.cancel_goal_async()
    status, result = crew.result(goal)
    assert (status, result.outcome) == (GoalStatus.STATUS_CANCELED, "cancelled")
    assert 10 <= result.tally.steps < 60
    assert crew.result(crew.send())[1].detail.startswith("the audit log holds this mission")
    status, result = crew.result(crew.send(resume=True))
    assert (status, result.outcome) == (GoalStatus.STATUS_SUCCEEDED, "completed")
    assert result.tally.decision_sha256 == plain_digest(scenario="S-6")


def test_a_deactivated_executor_goes_on_when_it_is_active_again(crew, spinning):
    crew = crew(pace_s=0.02).activate()
    crew.await_step(10)
    assert spinning.transition("executor", "deactivate")
    crew.await_outcome("stopped")
    assert spinning.transition("executor", "activate")
    assert crew.await_outcome("completed").decision_sha256 == plain_digest(scenario="S-6")


def test_there_must_be_something_to_resume(crew):
    crew = crew(begin="asked").activate()
    status, result = crew.result(crew.send(resume=True))
    assert (status, result.outcome) == (GoalStatus.STATUS_ABORTED, "refused")
    assert "nothing to resume" in result.detail


def test_a_goal_before_activation_is_refused(crew, spinning):
    crew = crew()
    assert spinning.transition("executor", "configure")
    assert crew.result(crew.send())[1].detail == "the executor is not active"


def test_another_mission_is_loaded_from_its_text(crew):
    crew = crew().activate()
    crew.await_outcome("completed")
    status, result = crew.result(crew.send(mission="world: {scenario: S-6, seed: 3}\n"))
    assert (status, result.outcome) == (GoalStatus.STATUS_SUCCEEDED, "completed")
    assert result.tally.decision_sha256 == plain_digest(scenario="S-6", seed=3)


def test_a_wrong_mission_is_refused_with_its_mistakes(crew):
    crew = crew().activate()
    crew.await_outcome("completed")
    _, result = crew.result(crew.send(mission="world: {sed: 3}\n"))
    assert result.outcome == "refused"
    assert "unknown key 'sed' in world; did you mean 'seed'?" in result.detail


# -- people ----------------------------------------------------------------------------------------


def test_hold_step_and_resume(crew, spinning):
    crew = crew(pace_s=0.01).activate()
    crew.await_step(5)
    assert crew.say("hold_mission", detail="look at this").code == ReplyStatus.OK
    crew.await_held("held")
    time.sleep(0.5)  # for what was under way
    step, ended = crew.last.step, crew.skills_ended()
    time.sleep(0.5)
    assert crew.last.step == step
    for more in (1, 2, 3):
        assert crew.say("step_mission").code == ReplyStatus.OK
        spinning.wait(lambda more=more: crew.skills_ended() == ended + more, LIMIT_S)
        time.sleep(0.5)
        assert crew.skills_ended() == ended + more  # and no further
    assert crew.say("resume_mission").code == ReplyStatus.OK
    assert crew.await_outcome("completed").decision_sha256 == plain_digest(scenario="S-6")
    assert [item.word for item in crew.said["mission_control"]] == ["hold", *["step"] * 3, "resume"]
    assert crew.said["mission_control"][0].detail == "look at this"
    assert crew.controls() == ["hold", *["step"] * 3, "resume"]


def test_an_emergency_stop_is_latched(crew):
    crew = crew(pace_s=0.01).activate()
    crew.await_step(5)
    crew.say("estop", detail="a hand in the way")
    crew.await_held("emergency stop")
    crew.say("resume_mission")
    time.sleep(0.3)
    assert crew.last.held == "emergency stop"
    crew.say("reset_estop")
    crew.say("resume_mission")
    crew.await_outcome("completed")
    assert crew.said["mission_control"][0].word == "estop"


def test_whoever_speaks_needs_a_plain_name_and_a_mission(crew, spinning):
    crew = crew(begin="asked").activate()
    assert "no mission is under way" in crew.say("hold_mission").message
    goal = crew.send()
    spinning.wait(lambda: crew.say("hold_mission").code == ReplyStatus.OK, LIMIT_S)
    status = crew.say("hold_mission", operator="no plain word")
    assert status.code == ReplyStatus.REFUSED
    assert "plain word" in status.message
    crew.say("cancel_mission")
    assert crew.result(goal)[1].outcome == "cancelled"


def test_skills_wait_for_approval(crew, spinning):
    crew = crew(approve="navigate,approach,deliver").activate()
    questions = crew.said["approval_request"]
    spinning.wait(lambda: questions and questions[-1].action, LIMIT_S)
    asked = questions[-1]
    assert asked.action[0].skill == "grasp"
    crew.await_held("waits for approval of grasp")
    assert "not open" in crew.answer("yes", number=99).message
    assert "must be one of" in crew.answer("perhaps").message
    assert crew.answer("no", number=asked.number).code == ReplyStatus.OK
    spinning.wait(lambda: questions[-1].number > asked.number and questions[-1].action, LIMIT_S)
    assert questions[-1].action[0].target_id != asked.action[0].target_id  # that one is left alone
    assert crew.answer("always").code == ReplyStatus.OK
    crew.await_outcome("completed")
    assert "no skill waits" in crew.answer("yes").message
    assert crew.controls().count("approval") == 2


def test_nobody_there_is_a_no(crew):
    crew = crew(approve="interactive", approval_s=0.3).activate()
    assert "nobody to ask" in crew.await_outcome("cancelled").detail


def test_cancelling_ends_the_wait_for_approval(crew):
    crew = crew(approve="interactive").activate()
    crew.await_held("waits for approval")
    crew.say("cancel_mission", detail="enough")
    assert crew.await_outcome("cancelled").detail == "enough"


def test_an_edit_is_taken_in_while_the_mission_is_held(crew, spinning):
    crew = crew(pace_s=0.01).activate()
    crew.await_step(2)
    crew.say("hold_mission")
    crew.await_held("held")
    memory = crew.nodes["memory"]
    victim = next(
        item.id for item in memory._session.memory.records() if item.status.value == "observed"
    )

    def edit(entity, kind="dismiss"):
        word = OperatorEdit(operator_id="ada", kind=kind, entity_id=entity)
        return spinning.call(EditRecord, "edit_record", EditRecord.Request(edit=word)).status

    assert edit("e999").message == "dismiss e999: unknown_entity"
    assert "is not a valid" in edit(victim, "explode").message
    assert edit(victim).code == ReplyStatus.OK

    def status_now():
        return next(r.status.value for r in memory._session.memory.records() if r.id == victim)

    spinning.wait(lambda: status_now() == "dismissed", LIMIT_S)
    assert crew.last.held == "held"
    crew.say("resume_mission")
    spinning.wait(lambda: crew.said["mission_result"], LIMIT_S)
    assert status_now() == "dismissed"


# -- who does not answer ---------------------------------------------------------------------------


def deaf(spinning, name):
    """Put a node's service to sleep: requests arrive, nothing comes back."""

    async def never(request, response):
        from rclpy.task import Future

        asked.append(request)
        return await Future()

    asked = []
    node = next(item for item in spinning.nodes if item.get_name() == name)
    service = next(item for item in node.services if item.srv_name.endswith(("make_plan", "act")))
    service.callback = never
    return asked


@pytest.mark.parametrize(("name", "limit"), [("planner", "planner_s"), ("world", "world_s")])
def test_who_is_silent_holds_the_mission_and_it_can_be_cancelled(crew, spinning, name, limit):
    crew = crew(pace_s=0.01, begin="asked", **{limit: 0.6})
    crew.activate("world", "memory", "planner", "executor")
    goal = crew.send()
    crew.await_step(1)
    deaf(spinning, name)
    crew.await_held("has not answered for 0.6 s")
    assert crew.say("hold_mission").code == ReplyStatus.OK  # people are heard all the same
    crew.say("cancel_mission", detail="no use")
    _, result = crew.result(goal)
    assert (result.outcome, result.detail) == ("cancelled", "no use")


@pytest.mark.parametrize(
    ("name", "limit", "service"),
    [("planner", "planner_s", "make_plan"), ("world", "world_s", "act")],
)
def test_who_is_silent_aborts_the_mission_if_that_is_asked(crew, spinning, name, limit, service):
    crew = crew(pace_s=0.01, when_silent="abort", **{limit: 0.6}).activate()
    crew.await_step(1)
    deaf(spinning, name)
    assert crew.await_outcome("failed").detail == f"{service} has not answered for 0.6 s"


# -- parameters ------------------------------------------------------------------------------------


def test_the_pace_may_change_while_a_mission_is_under_way(crew):
    crew = crew(pace_s=30.0).activate()
    executor = crew.nodes["executor"]
    crew.spinning.wait(lambda: crew.said["mission_status"], LIMIT_S)
    refused = executor.set_parameters([Parameter("approve", value="interactive")])[0]
    assert not refused.successful and "clean the node up first" in refused.reason
    assert not executor.set_parameters([Parameter("pace_s", value=-1.0)])[0].successful
    assert executor.set_parameters([Parameter("pace_s", value=0.0)])[0].successful
    assert executor.set_parameters([Parameter("log_level", value="debug")])[0].successful
    wrong = executor.set_parameters([Parameter("log_level", value="loud")])[0]
    assert not wrong.successful and "one of" in wrong.reason


# -- restarts --------------------------------------------------------------------------------------


def test_nothing_asks_twice_after_a_restart(crew, spinning):
    """The journal answers a new executor: servers see only what is new."""
    crew = crew(pace_s=0.01).activate()
    crew.await_step(20)
    assert spinning.transition("executor", "deactivate")
    seen = []
    world = crew.nodes["world"]
    carry_out = world._carry_out
    world._carry_out = lambda number, command: seen.append(number) or carry_out(number, command)
    before = max(world._answers)
    assert spinning.transition("executor", "activate")
    crew.await_outcome("completed")
    assert seen and min(seen) > before
    assert len(seen) == len(set(seen))
    with sqlite3.connect(crew.log) as db:
        bodies = [json.loads(row[0]) for row in db.execute("SELECT body FROM journal")]
    assert len(bodies) > len(seen)
    assert threading.active_count() < 40
