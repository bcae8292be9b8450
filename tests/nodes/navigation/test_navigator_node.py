"""The navigator node: move_base's topics on one side, NavigateToPose on the other."""

import pytest
from adm_core.types import Pose2D
from adm_nodes.common import conversions, qos
from adm_nodes.navigation import NavGoal, NavOutcome
from adm_nodes.navigation.addressing import GoalState
from adm_nodes.navigator import NavigatorNode
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import LaserScan
from std_msgs.msg import String
from std_srvs.srv import Trigger

from adm_interfaces.msg import MapEpoch

nav2 = pytest.importorskip("adm_nodes.navigation.nav2")

GOAL = NavGoal(Pose2D(2.0, 1.0, 0.5))
#: A machine under load must not look like a broken link.
PARAMETERS = {
    "move_base.silence_s": 10.0,
    "move_base.pose_stale_s": 5.0,
    "move_base.scan_stale_s": 5.0,
}


@pytest.fixture
def robot(spinning, move_base):
    """A move_base with a localisation and a laser that can fall silent."""
    node, silent = move_base.node, set()
    streams = {
        "slam_out_pose": node.create_publisher(PoseStamped, "slam_out_pose", qos.FOREIGN),
        "scan": node.create_publisher(LaserScan, "scan", qos.FOREIGN),
    }

    def speak():
        for name in streams.keys() - silent:
            message = LaserScan() if name == "scan" else PoseStamped()
            message.header.stamp = node.get_clock().now().to_msg()
            message.header.frame_id = "map"
            streams[name].publish(message)

    node.create_timer(0.1, speak)
    move_base.silent = silent
    return move_base


@pytest.fixture
def node(spinning, robot):
    node = spinning.add(NavigatorNode, PARAMETERS)
    for label in ("configure", "activate"):
        assert spinning.transition("navigator", label)
    spinning.wait(lambda: node._navigator.problem() == "", 30.0)
    return node


@pytest.fixture
def client(spinning):
    client = nav2.Nav2Navigator(spinning.node)
    yield client
    client.close()


def active(spinning, robot):
    spinning.wait(lambda: robot.model.current is not None)
    spinning.wait(lambda: robot.model.goals[robot.model.current][0] is GoalState.ACTIVE)


def test_a_client_of_nav2_drives_a_robot_behind_a_bridge(spinning, robot, node, client):
    import time

    task = client.send(GOAL)
    active(spinning, robot)
    target = robot.goals[0].goal.target_pose
    assert conversions.pose_from_ros(target.pose) == pytest.approx(GOAL.pose)
    spinning.wait(lambda: task.feedback.pose is not None)
    robot.model.finish(GoalState.SUCCEEDED, time.monotonic())
    assert task.wait(20.0).outcome is NavOutcome.SUCCEEDED


def test_deactivating_stops_the_base_and_takes_no_more_goals(spinning, robot, node, client):
    task = client.send(GOAL)
    active(spinning, robot)
    assert spinning.transition("navigator", "deactivate")
    spinning.wait(lambda: robot.model.alive == [], 20.0)
    assert task.wait(20.0).outcome is not NavOutcome.SUCCEEDED
    assert client.send(GOAL).wait(20.0).outcome is NavOutcome.REJECTED
    assert len(robot.goals) == 1


@pytest.mark.parametrize("stream", ["slam_out_pose", "scan"])
def test_a_blind_base_is_stopped_and_the_client_told_why(spinning, robot, node, client, stream):
    task = client.send(GOAL)
    active(spinning, robot)
    robot.silent.add(stream)
    result = task.wait(30.0)
    assert result.outcome is NavOutcome.STALE
    assert robot.model.alive == []


def test_a_new_map_is_announced_and_ends_the_goal(spinning, robot, node, client):
    epochs = []
    spinning.node.create_subscription(MapEpoch, "map_epoch", epochs.append, qos.LATCHED)
    spinning.wait(lambda: len(epochs) == 1)
    task = client.send(GOAL)
    active(spinning, robot)
    commands = spinning.node.create_publisher(String, "syscommand", qos.COMMAND)
    spinning.wait(lambda: commands.publish(String(data="reset")) or len(epochs) > 1)
    assert epochs[1].map_id != epochs[0].map_id
    assert epochs[1].reason == "reset by syscommand"
    assert task.wait(20.0).outcome is NavOutcome.STALE


def test_an_emergency_stop_stops_everybody(spinning, robot, node, client):
    import time

    task = client.send(GOAL)
    active(spinning, robot)
    assert spinning.call(Trigger, "halt", Trigger.Request()).success
    spinning.wait(lambda: robot.model.alive == [])
    assert not task.wait(20.0).succeeded
    assert spinning.transition("navigator", "deactivate")
    robot.model.on_goal("rviz-1", 0, time.monotonic())
    active(spinning, robot)
    assert spinning.call(Trigger, "halt", Trigger.Request()).success  # while inactive, too
    spinning.wait(lambda: robot.model.alive == [])


@pytest.mark.parametrize(
    ("parameters", "configures"),
    [
        ({"driver": "nav2"}, True),
        ({"driver": "simple_commander"}, False),  # not installed here
        ({"move_base.protocol": "simple"}, True),
        ({"localisation.source": "none"}, True),
    ],
)
def test_drivers_and_sources_are_chosen_by_parameters(spinning, parameters, configures):
    if "simple_commander" in parameters.values():
        try:
            import nav2_simple_commander  # noqa: F401
        except ImportError:
            pass
        else:
            configures = True
    spinning.add(NavigatorNode, parameters)
    assert spinning.transition("navigator", "configure") == configures
