"""Either half, the master and the robot's nodes may end and come back."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from adm_bridge.child import HALF
from bridge_sides import wait
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist
from nav_msgs.msg import OccupancyGrid
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros1_graph import PYTHON, free_port
from sensor_msgs.msg import CompressedImage

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Traffic:
    """A latched map from ROS 1 and commands from ROS 2."""

    def __init__(self, ros2):
        self._ros2, self._count = ros2, 0.0
        self._publisher = ros2.node.create_publisher(Twist, "/cmd_vel", 1)

    def robot(self, start_node, name, width):
        """Return a node that latches a map of so many cells and obeys commands."""
        node = start_node(name)
        node.ask(do="listen", topic="/cmd_vel", type="geometry_msgs/Twist")
        node.ask(do="advertise", topic="/map", type="nav_msgs/OccupancyGrid", latch=True)
        grid = {"info": {"width": width, "height": 1}, "data": [0] * width}
        node.ask(do="publish", topic="/map", message=grid)
        return node

    def commands_arrive(self, node):
        """Send commands until one that is sent from now on arrives."""
        first = self._count + 1.0

        def arrived():
            self._count += 1.0
            message = Twist()
            message.linear.x = self._count
            self._publisher.publish(message)
            return any(item["linear"]["x"] >= first for item in node.messages("/cmd_vel"))

        wait(arrived, timeout=90.0, period=0.1)
        return True

    def map_arrives(self, width):
        """Subscribe late and wait for the map of so many cells."""
        heard = self._ros2.listen(OccupancyGrid, "/map", LATCHED)
        wait(lambda: any(item.info.width == width for item in list(heard)), timeout=90.0)
        return True

    def close(self):
        self._ros2.node.destroy_publisher(self._publisher)


@pytest.fixture
def traffic(ros2):
    traffic = Traffic(ros2)
    yield traffic
    traffic.close()


def test_the_ros_1_half_is_started_again(start_relay, start_node, traffic):
    relay = start_relay()
    relay.wait_for("ROS 1: connected")
    node = traffic.robot(start_node, "robot_a", 11)
    assert traffic.commands_arrive(node)
    os.kill(relay.half(), signal.SIGKILL)
    relay.wait_for("starting it again")
    relay.wait_for("ROS 1: connected", 2)
    assert traffic.map_arrives(11)
    assert traffic.commands_arrive(node)


def test_the_ros_2_half_may_come_back_to_a_ros_1_half_elsewhere(
    ros1, start_relay, start_node, traffic
):
    port = free_port()
    half = subprocess.Popen([PYTHON, str(HALF), f"127.0.0.1:{port}"], env=ros1.environment())
    try:
        node = traffic.robot(start_node, "robot_b", 12)
        first = start_relay("--no-ros1", "--listen", f"127.0.0.1:{port}")
        assert traffic.commands_arrive(node)
        first.kill()
        start_relay("--no-ros1", "--listen", f"127.0.0.1:{port}")
        assert traffic.map_arrives(12)
        assert traffic.commands_arrive(node)
        assert half.poll() is None
    finally:
        half.kill()
        half.wait()


def test_a_restarted_master_is_told_everything_again(ros1, start_relay, start_node, traffic):
    relay = start_relay()
    relay.wait_for("ROS 1: connected")
    before = traffic.robot(start_node, "robot_c", 13)
    assert traffic.commands_arrive(before)
    ros1.stop()
    relay.wait_for("the master does not answer any more")
    assert traffic.commands_arrive(before)  # connections outlive the master
    ros1.start()
    relay.wait_for("another master: registering again")
    after = traffic.robot(start_node, "robot_d", 14)
    assert traffic.map_arrives(14)
    assert traffic.commands_arrive(after)
    assert traffic.commands_arrive(before)


def test_a_robot_that_comes_later_or_again_is_served(start_relay, start_node, traffic):
    relay = start_relay()
    relay.wait_for("ROS 1: connected")
    for name, width in (("robot_e", 15), ("robot_e", 16)):
        node = traffic.robot(start_node, name, width)
        assert traffic.map_arrives(width)
        assert traffic.commands_arrive(node)
        node.close()


def test_another_bridge_ends_the_relay(ros1, start_relay):
    """Two bridges of one name would feed each other; the master lets the newer one stay."""
    relay = start_relay()
    relay.wait_for("ROS 1: connected")
    rival = subprocess.Popen(
        [PYTHON, "-c", "import rospy; rospy.init_node('ros_bridge'); rospy.spin()"],
        env=ros1.environment(),
    )
    try:
        assert relay.process.wait(90) == 1
        assert "another node called /ros_bridge" in relay.text()
    finally:
        rival.kill()
        rival.wait()


def test_without_a_master_the_relay_waits_and_says_so(start_relay, ros1):
    ros1.stop()
    try:
        relay = start_relay()
        relay.wait_for("no master at http://127.0.0.1")
    finally:
        ros1.start()
    relay.wait_for("ROS 1: connected")


def test_a_half_that_stalls_costs_old_messages_and_they_are_counted(start_relay, start_node, ros2):
    topic = "/throttled/camera/color/image_raw/compressed"
    relay = start_relay()
    relay.wait_for("ROS 1: connected")
    node = start_node("viewer")
    node.ask(do="listen", topic=topic, type="sensor_msgs/CompressedImage")
    publisher = ros2.node.create_publisher(CompressedImage, topic, 2)
    image = CompressedImage(data=bytes(200_000))

    def publish(name):
        image.format = name
        publisher.publish(image)

    def heard(name):
        return any(item["format"] == name for item in node.messages(topic))

    wait(lambda: publish("before") or heard("before"), period=0.2)
    diagnostics = ros2.listen(DiagnosticArray, "/diagnostics")
    os.kill(relay.half(), signal.SIGSTOP)

    def dropped():
        publish("during")
        values = {
            value.key: int(value.value)
            for array in list(diagnostics)
            for status in array.status
            if status.name == f"ros_bridge: {topic}"
            for value in status.values
            if value.key == "dropped_to_ros1"
        }
        return values.get("dropped_to_ros1", 0) > 0

    wait(dropped, period=0.02)
    os.kill(relay.half(), signal.SIGCONT)
    wait(lambda: publish("after") or heard("after"), period=0.2)
    ros2.node.destroy_publisher(publisher)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_half_is_left_behind(number, start_relay):
    relay = start_relay()
    relay.wait_for("ROS 1: connected")
    half = relay.half()
    relay.process.send_signal(number)
    assert relay.process.wait(60) == (-number if number == signal.SIGKILL else 0)
    wait(lambda: not alive(half))


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "(zombie)" not in Path(f"/proc/{pid}/status").read_text("utf-8")
