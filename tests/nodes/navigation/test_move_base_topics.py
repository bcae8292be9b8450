"""The shell around the dialogue, over DDS."""

import pytest
from adm_core.types import Pose2D
from adm_nodes.navigation import NavGoal, NavOutcome
from adm_nodes.navigation.addressing import GoalState
from adm_nodes.navigation.config import MoveBaseConfig
from adm_nodes.navigation.move_base_topics import MoveBaseNavigator

CONFIG = {"pose_stale_s": 0.0, "scan_stale_s": 0.0, "silence_s": 5.0}
GOAL = NavGoal(Pose2D(2.0, 1.0, 0.5))


@pytest.fixture(params=["action", "simple"])
def navigator(request, spinning, move_base):
    config = MoveBaseConfig(protocol=request.param, robot_frame_id="robot_1/map", **CONFIG)
    navigator = MoveBaseNavigator(spinning.node, config)
    spinning.wait(lambda: navigator.problem() == "")
    yield navigator
    navigator.close()


def active(spinning, move_base):
    spinning.wait(lambda: move_base.model.current is not None)
    spinning.wait(lambda: move_base.model.status(0)[-1].state is GoalState.ACTIVE)


def end(spinning, move_base, state):
    import time

    active(spinning, move_base)
    move_base.model.finish(state, time.monotonic())


def test_a_goal_is_reached(spinning, move_base, navigator):
    task = navigator.send(GOAL)
    end(spinning, move_base, GoalState.SUCCEEDED)
    assert task.wait(10.0).outcome is NavOutcome.SUCCEEDED
    message = move_base.goals[0]
    if hasattr(message, "goal_id"):
        assert message.goal_id.id.startswith("/test|")
        assert (message.goal_id.stamp.sec, message.goal_id.stamp.nanosec) == (0, 0)
        message = message.goal.target_pose
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (0, 0)
    assert message.header.frame_id == "robot_1/map"
    assert (message.pose.position.x, message.pose.position.y) == (2.0, 1.0)


def test_an_abort_is_told(spinning, move_base, navigator):
    task = navigator.send(GOAL)
    end(spinning, move_base, GoalState.ABORTED)
    assert task.wait(10.0).outcome is NavOutcome.ABORTED


def test_a_cancel_names_its_goal_and_no_time(spinning, move_base, navigator):
    task = navigator.send(GOAL)
    active(spinning, move_base)
    task.cancel()
    assert task.wait(10.0).outcome is NavOutcome.CANCELLED
    assert all(item.id for item in move_base.cancels)
    assert all(item.stamp.sec == item.stamp.nanosec == 0 for item in move_base.cancels)


def test_a_newer_goal_takes_over(spinning, move_base, navigator):
    older = navigator.send(GOAL)
    active(spinning, move_base)
    first = move_base.model.current
    newer = navigator.send(NavGoal(Pose2D(0.0, 0.0)))
    assert older.result.outcome is NavOutcome.PREEMPTED
    spinning.wait(lambda: move_base.model.current not in (None, first))
    end(spinning, move_base, GoalState.SUCCEEDED)
    assert newer.wait(10.0).outcome is NavOutcome.SUCCEEDED


def test_a_server_that_falls_silent_has_lost_the_goal(spinning, move_base):
    config = MoveBaseConfig(**{**CONFIG, "silence_s": 1.0})
    navigator = MoveBaseNavigator(spinning.node, config)
    spinning.wait(lambda: navigator.problem() == "")
    task = navigator.send(GOAL)
    active(spinning, move_base)
    spinning.wait(lambda: task.feedback is not None)
    move_base.running = False
    assert task.wait(10.0).outcome is NavOutcome.LOST
    assert navigator.problem() == "no status from move_base"
    navigator.close()


def test_news_of_the_way(spinning, move_base):
    navigator = MoveBaseNavigator(spinning.node, MoveBaseConfig(protocol="action", **CONFIG))
    task = navigator.send(NavGoal(Pose2D(2.0, 0.0)))
    active(spinning, move_base)
    spinning.wait(lambda: move_base.report(0.5) or task.feedback.pose is not None)
    assert task.feedback.pose == Pose2D(0.5, 0.0)
    assert task.feedback.distance_m == 1.5
    navigator.close()


def test_closing_stops_the_base_and_ends_the_task(spinning, move_base):
    navigator = MoveBaseNavigator(spinning.node, MoveBaseConfig(**CONFIG))
    task = navigator.send(GOAL)
    active(spinning, move_base)
    navigator.close()
    navigator.close()
    assert task.result.outcome is NavOutcome.LOST
    spinning.wait(lambda: move_base.model.alive == [])
    assert {item.id for item in move_base.cancels} == {move_base.goals[0].goal_id.id}


def test_goals_of_an_earlier_process_are_stopped(spinning, move_base):
    import time

    move_base.model.on_goal("/test|0000|1", 0, time.monotonic())
    move_base.model.on_goal("/rviz-1", 0, time.monotonic())
    navigator = MoveBaseNavigator(spinning.node, MoveBaseConfig(**CONFIG))
    spinning.wait(lambda: move_base.cancels or move_base.model.alive == ["/rviz-1"])
    navigator.close()
    assert {item.id for item in move_base.cancels} <= {"/test|0000|1"}
