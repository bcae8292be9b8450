"""What every sender of a goal may rely on."""

import math
import threading

import pytest
from adm_core.types import Pose2D
from adm_nodes.navigation import NavFeedback, NavGoal, NavOutcome, NavResult, NavTask
from adm_nodes.navigation.protocol import refused

GOAL = NavGoal(Pose2D(1.0, 2.0, 0.5))


@pytest.mark.parametrize(
    ("goal", "rule"),
    [
        (NavGoal(Pose2D(math.nan, 0.0)), "pose must be finite"),
        (NavGoal(Pose2D(0.0, math.inf)), "pose must be finite"),
        (NavGoal(Pose2D(0.0, 0.0, math.nan)), "pose must be finite"),
        (NavGoal(Pose2D(0.0, 0.0), frame_id=""), "frame_id must be a plain name"),
        (NavGoal(Pose2D(0.0, 0.0), frame_id="/map"), "frame_id must be a plain name"),
        (NavGoal(Pose2D(0.0, 0.0), timeout_s=0.0), "timeout_s must be > 0"),
        (NavGoal(Pose2D(0.0, 0.0), timeout_s=math.nan), "timeout_s must be > 0"),
    ],
)
def test_a_goal_names_its_fault(goal, rule):
    assert rule in goal.fault()


def test_a_sound_goal_has_no_fault():
    assert GOAL.fault() == ""


def test_only_the_first_end_counts():
    task, seen = NavTask(GOAL), []
    task.add_done_callback(seen.append)
    task.finish(NavOutcome.SUCCEEDED)
    task.finish(NavOutcome.LOST, "too late")
    assert task.result == NavResult(NavOutcome.SUCCEEDED)
    assert seen == [task.result]


def test_whoever_asks_after_the_end_is_told_at_once():
    seen = []
    task = refused(GOAL, "no")
    task.add_done_callback(seen.append)
    assert seen == [NavResult(NavOutcome.REJECTED, "no")]
    assert task.wait(0.0) == seen[0]
    assert not seen[0].succeeded


def test_cancel_asks_once_and_never_after_the_end():
    asked = []
    task = NavTask(GOAL, lambda: asked.append(1))
    task.cancel()
    task.cancel()
    assert asked == [1]
    assert task.result is None
    done = NavTask(GOAL, lambda: asked.append(2))
    done.finish(NavOutcome.ABORTED)
    done.cancel()
    assert asked == [1]


def test_wait_gives_up_in_time_and_wakes_at_the_end():
    task = NavTask(GOAL)
    assert task.wait(0.0) is None
    threading.Timer(0.05, task.finish, [NavOutcome.CANCELLED]).start()
    assert task.wait(10.0) == NavResult(NavOutcome.CANCELLED)


def test_news_reach_their_watchers_until_the_end():
    task, seen = NavTask(GOAL), []
    task.on_feedback(seen.append)
    task.report(NavFeedback(distance_m=2.0))
    task.finish(NavOutcome.SUCCEEDED)
    task.report(NavFeedback(distance_m=1.0))
    assert [item.distance_m for item in seen] == [2.0]
    assert task.feedback.distance_m == 2.0
