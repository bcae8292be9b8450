"""NavigateToPose from both ends: our server, and our clients before it."""

import threading
import time

import pytest
import rclpy
from adm_core.types import Pose2D
from adm_nodes.navigation import NavFeedback, NavGoal, NavOutcome
from adm_nodes.navigation.commander import CommanderNavigator
from adm_nodes.navigation.config import Nav2Config
from adm_nodes.navigation.map_watch import MapEpoch
from adm_nodes.testing.navigator import ScriptedNavigator

nav2 = pytest.importorskip("adm_nodes.navigation.nav2")
from adm_nodes.navigation.navigate_to_pose import NavigateToPoseServer  # noqa: E402
from nav2_msgs.action import NavigateToPose  # noqa: E402

GOAL = NavGoal(Pose2D(2.0, 1.0, 0.5))
CONFIG = Nav2Config(accept_s=10.0, silence_s=2.0, cancel_timeout_s=3.0)


class Commander(rclpy.node.Node):
    """What CommanderNavigator uses of BasicNavigator, with the same blocking calls."""

    class _Result:
        def __init__(self, name):
            self.name = name

    def __init__(self):
        super().__init__("basic_navigator")
        self.nav_to_pose_client = rclpy.action.ActionClient(
            self, NavigateToPose, "navigate_to_pose"
        )
        self.result_future = self.feedback = self.status = None

    def goToPose(self, pose, behavior_tree=""):
        while not self.nav_to_pose_client.wait_for_server(timeout_sec=1.0):
            pass
        goal = NavigateToPose.Goal(pose=pose, behavior_tree=behavior_tree)
        future = self.nav_to_pose_client.send_goal_async(goal, self._on_feedback)
        rclpy.spin_until_future_complete(self, future)
        self.goal_handle = future.result()
        if not self.goal_handle.accepted:
            return False
        self.result_future = self.goal_handle.get_result_async()
        return True

    def isTaskComplete(self):
        rclpy.spin_until_future_complete(self, self.result_future, timeout_sec=0.1)
        if self.result_future.result():
            self.status = self.result_future.result().status
            return True
        return False

    def cancelTask(self):
        rclpy.spin_until_future_complete(self, self.goal_handle.cancel_goal_async())

    def getFeedback(self):
        return self.feedback

    def getResult(self):
        names = {4: "SUCCEEDED", 5: "CANCELED", 6: "FAILED"}
        return self._Result(names.get(self.status, "UNKNOWN"))

    def _on_feedback(self, message):
        self.feedback = message.feedback


@pytest.fixture
def scripted():
    return ScriptedNavigator()


@pytest.fixture
def server(spinning, scripted):
    """A server on a node of its own, so that it can die alone."""
    node = rclpy.create_node("bt_navigator", context=spinning.context)
    server = NavigateToPoseServer(node, scripted)
    from adm_nodes.common.runner import Spinner

    spinner = Spinner(node).start()
    server.gate = [True]
    server._is_open = lambda: server.gate[0]

    def die():
        if server.gate is not None:
            server.gate = None
            spinner.join()
            server.close()
            node.destroy_node()

    server.die = die
    yield server
    die()


@pytest.fixture(params=["action client", "simple commander"])
def client(request, spinning, server):
    if request.param == "action client":
        client = nav2.Nav2Navigator(spinning.node, CONFIG)
    else:
        client = CommanderNavigator(CONFIG, Commander)
    spinning.wait(lambda: client.problem() == "")
    yield client
    client.close()
    rclpy.try_shutdown()


def begun(spinning, scripted, count=1):
    spinning.wait(lambda: len(scripted.tasks) == count)
    return scripted.tasks[-1]


def test_a_goal_is_reached(spinning, scripted, client):
    task = client.send(GOAL)
    served = begun(spinning, scripted)
    assert served.goal.frame_id == "map"
    assert served.goal.pose == pytest.approx(GOAL.pose)
    served.finish(NavOutcome.SUCCEEDED)
    assert task.wait(10.0).outcome is NavOutcome.SUCCEEDED


def test_news_of_the_way_come_through(spinning, scripted, client):
    task = client.send(GOAL)
    served = begun(spinning, scripted)
    news = NavFeedback(Pose2D(1.0, 1.0), 1.25, 3.5, 2)
    spinning.wait(lambda: served.report(news) or task.feedback.pose is not None)
    assert task.feedback.pose == Pose2D(1.0, 1.0)
    assert (task.feedback.distance_m, task.feedback.recoveries) == (1.25, 2)
    served.finish(NavOutcome.SUCCEEDED)


@pytest.mark.parametrize(
    "outcome",
    [NavOutcome.ABORTED, NavOutcome.LOST, NavOutcome.TIMEOUT, NavOutcome.STALE],
)
def test_a_failure_keeps_its_kind_and_its_reason(spinning, scripted, client, outcome):
    task = client.send(GOAL)
    begun(spinning, scripted).finish(outcome, "for a reason")
    assert task.wait(10.0) == (type(task.result))(outcome, "for a reason")


def test_a_cancel_is_carried_out(spinning, scripted, client):
    task = client.send(GOAL)
    begun(spinning, scripted)
    task.cancel()
    assert task.wait(10.0).outcome is NavOutcome.CANCELLED
    assert scripted.cancelled == scripted.tasks


def test_a_cancel_that_nobody_confirms_leaves_the_goal_lost(spinning, scripted, client):
    scripted.confirms_cancels = False
    task = client.send(GOAL)
    begun(spinning, scripted)
    task.cancel()
    assert task.wait(15.0).outcome is NavOutcome.LOST


def test_a_newer_goal_takes_over(spinning, scripted, client):
    older = client.send(GOAL)
    begun(spinning, scripted)
    newer = client.send(NavGoal(Pose2D(0.0, 0.0)))
    assert older.result.outcome is NavOutcome.PREEMPTED
    begun(spinning, scripted, 2).finish(NavOutcome.SUCCEEDED)
    assert newer.wait(10.0).outcome is NavOutcome.SUCCEEDED


def test_a_server_that_refuses(scripted, server, client):
    server.gate[0] = False
    assert client.send(GOAL).wait(10.0).outcome is NavOutcome.REJECTED
    assert scripted.tasks == []


def test_a_server_that_dies_has_lost_the_goal(spinning, scripted, server, client):
    task = client.send(GOAL)
    begun(spinning, scripted)
    server.die()
    assert task.wait(20.0).outcome is NavOutcome.LOST
    spinning.wait(lambda: client.problem() == "nobody serves navigate_to_pose")


def test_a_goal_ends_when_its_time_is_over(spinning, scripted, client):
    task = client.send(NavGoal(GOAL.pose, timeout_s=1.0))
    begun(spinning, scripted)
    assert task.wait(10.0).outcome is NavOutcome.TIMEOUT
    assert scripted.cancelled == scripted.tasks


class ToldOfMaps:
    """The part of a localisation that tells which map it is."""

    def __init__(self):
        self.epoch = MapEpoch("m1")

    def listen(self, on_epoch):
        self.begin = lambda name: on_epoch(MapEpoch(name), 0.0)


@pytest.mark.parametrize("commander", [False, True])
def test_a_map_begun_anew_ends_the_goal(spinning, scripted, server, commander):
    maps = ToldOfMaps()
    if commander:
        client = CommanderNavigator(CONFIG, Commander, localisation=maps)
    else:
        client = nav2.Nav2Navigator(spinning.node, CONFIG, maps)
    spinning.wait(lambda: client.problem() == "")
    task = client.send(NavGoal(GOAL.pose, map_id="m1"))
    begun(spinning, scripted)
    maps.begin("m2")
    assert task.wait(10.0).outcome is NavOutcome.STALE
    assert client.send(NavGoal(GOAL.pose, map_id="m1")).result.outcome is NavOutcome.REJECTED
    client.close()
    rclpy.try_shutdown()


@pytest.mark.parametrize("goal", [NavGoal(Pose2D(float("nan"), 0.0)), NavGoal(GOAL.pose, "odom")])
def test_what_nobody_could_do_is_not_even_sent(scripted, client, goal):
    assert client.send(goal).result.outcome is NavOutcome.REJECTED
    assert scripted.tasks == []


def test_without_a_server_a_goal_is_given_up(spinning):
    client = nav2.Nav2Navigator(spinning.node, Nav2Config(accept_s=0.5))
    assert "nobody serves" in client.problem()
    assert client.send(GOAL).wait(10.0).outcome is NavOutcome.LOST
    client.close()
    assert client.send(GOAL).result.outcome is NavOutcome.REJECTED


class HangingCommander(Commander):
    """A server that vanishes between two calls: goToPose never returns."""

    def goToPose(self, pose, behavior_tree=""):
        threading.Event().wait()


def test_a_commander_that_hangs_does_not_hold_the_task(spinning, server):
    client = CommanderNavigator(Nav2Config(accept_s=1.0), HangingCommander)
    spinning.wait(lambda: client.problem() == "")
    assert client.send(GOAL).wait(10.0).outcome is NavOutcome.LOST
    started = time.monotonic()
    client.close()
    assert time.monotonic() - started < 10.0
    rclpy.try_shutdown()


def test_a_commander_that_cannot_be_made_says_why():
    def make():
        raise RuntimeError("no such thing")

    client = CommanderNavigator(CONFIG, make)
    deadline = time.monotonic() + 10.0
    while "no such thing" not in client.problem() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "RuntimeError: no such thing" in client.problem()
    client.close()
    rclpy.try_shutdown()


@pytest.mark.parametrize(
    ("fields", "outcome", "text"),
    [
        ({}, NavOutcome.ABORTED, ""),  # Humble: an Empty
        ({"error_code": 0, "error_msg": ""}, NavOutcome.ABORTED, ""),
        ({"error_code": 9003, "error_msg": "slow"}, NavOutcome.ABORTED, "slow"),
        ({"error_code": 104}, NavOutcome.ABORTED, "error code 104"),
        ({"error_code": 9105, "error_msg": "no scan"}, NavOutcome.STALE, "no scan"),
    ],
)
def test_results_of_every_distribution_can_be_read(fields, outcome, text):
    from types import SimpleNamespace

    from adm_nodes.navigation.codes import read_failure

    assert read_failure(SimpleNamespace(**fields)) == (outcome, text)
