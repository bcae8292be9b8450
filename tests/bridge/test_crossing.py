"""Every topic of the bridge file, both ways, between real rospy and real rclpy nodes."""

from pathlib import Path

import pytest
import yaml
from adm_bridge.pairs import Pairs
from adm_bridge.relay import find_class
from bridge_sides import as_json, filled, lowered, wait
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros1_graph import full_text

ROOT = Path(__file__).parents[2]
ENTRIES = yaml.safe_load((ROOT / "bridge" / "config" / "bridge.yaml").read_text("utf-8"))["topics"]
TYPES = {entry["topic"]: entry["type"] for entry in ENTRIES}
PAIRS = Pairs.load(ROOT / "bridge" / "config" / "mapping_rules.yaml")


def ros1_type(topic):
    """Return name and definition (empty: installed) of the ROS 1 type of a topic."""
    name = PAIRS.ros1(TYPES[topic])
    own = name.startswith("adm_msgs/")
    return name, full_text(ROOT / "bridge" / "noetic", *name.split("/")) if own else ""


@pytest.mark.parametrize("topic", TYPES)
def test_a_message_reaches_ros_2_with_every_field(topic, relay, robot, ros2):
    kind, text = ros1_type(topic)
    sent = as_json(filled(find_class(TYPES[topic])))
    heard = ros2.listen(find_class(TYPES[topic]), topic)
    robot.ask(do="advertise", topic=topic, type=kind, text=text)
    wait(lambda: robot.ask(do="publish", topic=topic, message=sent) == {} and heard, period=0.1)
    assert as_json(heard[0]) == sent


@pytest.mark.parametrize("topic", TYPES)
def test_a_message_reaches_ros_1_with_every_field(topic, relay, robot, ros2):
    kind, text = ros1_type(topic)
    message = filled(find_class(TYPES[topic]), seed=50)
    robot.ask(do="listen", topic=topic, type=kind, text=text)
    before = len(robot.messages(topic))
    publisher = ros2.node.create_publisher(type(message), topic, 10)
    wait(
        lambda: publisher.publish(message) or len(robot.messages(topic)) > before,
        period=0.1,
    )
    assert lowered(robot.messages(topic)[before]) == as_json(message)
    ros2.node.destroy_publisher(publisher)


LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def test_a_latched_map_waits_for_a_late_subscriber(relay, start_node, ros2):
    sent = as_json(filled(find_class(TYPES["/map"]), seed=7))
    node = start_node("mapper")
    node.ask(do="advertise", topic="/map", type="nav_msgs/OccupancyGrid", latch=True)
    node.ask(do="publish", topic="/map", message=sent)
    first = ros2.listen(find_class(TYPES["/map"]), "/map", LATCHED)
    wait(lambda: sent in [as_json(item) for item in first])
    late = ros2.listen(find_class(TYPES["/map"]), "/map", LATCHED)
    wait(lambda: late)
    assert as_json(late[-1]) == sent


def test_static_transforms_of_several_broadcasters_are_all_kept(relay, start_node, ros2):
    kind = find_class(TYPES["/tf_static"])
    for number in (1, 2):
        node = start_node(f"broadcaster{number}")
        node.ask(do="advertise", topic="/tf_static", type="tf2_msgs/TFMessage", latch=True)
        transform = as_json(filled(kind))["transforms"][0] | {"child_frame_id": f"child{number}"}
        node.ask(do="publish", topic="/tf_static", message={"transforms": [transform]})
    qos = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    heard = ros2.listen(kind, "/tf_static", qos)

    def children():
        return {item.child_frame_id for message in list(heard) for item in message.transforms}

    wait(lambda: {"child1", "child2"} <= children())


def test_no_message_comes_back_to_its_own_side(relay, start_node, ros2):
    """Both sides hear their own publishers once, and the other side's once."""
    kind, topic = find_class("std_msgs/msg/UInt16"), "/ros_robot_controller/battery"
    node = start_node("battery")
    node.ask(do="listen", topic=topic, type="std_msgs/UInt16")
    node.ask(do="advertise", topic=topic, type="std_msgs/UInt16")
    heard = ros2.listen(kind, topic)
    publisher = ros2.node.create_publisher(kind, topic, 10)

    def here(value):
        return [item.data for item in list(heard)].count(value)

    def there(value):
        return node.messages(topic).count({"data": value})

    def publish(value):
        node.ask(do="publish", topic=topic, message={"data": value}, period=0.02)
        publisher.publish(kind(data=10_000 + value))

    def every_connection_stands():
        publish(next(values))
        sent = range(1000, 2000)
        ways = (here, 0), (here, 10_000), (there, 0), (there, 10_000)
        return all(any(count(shift + value) for value in sent) for count, shift in ways)

    values = iter(range(1000, 2000))
    wait(every_connection_stands, period=0.3)
    for value in range(2000, 2020):
        publish(value)
    wait(lambda: here(2019) and here(12_019) and there(2019) and there(12_019))
    for value in range(2000, 2020):
        assert (here(value), here(10_000 + value), there(value)) == (1, 1, 1)
        assert there(10_000 + value) <= 1  # best effort may lose one
    ros2.node.destroy_publisher(publisher)


def test_another_type_on_the_robot_is_named_and_not_passed_on(relay, start_node, ros2):
    heard = ros2.listen(find_class(TYPES["/odom"]), "/odom")
    node = start_node("stranger")
    node.ask(do="advertise", topic="/odom", type="geometry_msgs/PoseStamped")
    wait(lambda: node.ask(do="connections", topic="/odom")["count"])
    node.ask(do="publish", topic="/odom", message={}, count=3)
    relay.wait_for("/stranger sends geometry_msgs/PoseStamped with md5")
    assert heard == []


def test_endpoints_have_the_qos_of_the_file_one_way_and_sensor_data_the_other(relay, ros2):
    def of_the_relay(find, topic):
        return [item.qos_profile for item in find(topic) if item.node_name == "ros_bridge"]

    wait(lambda: ros2.node.count_publishers(list(TYPES)[-1]))
    for entry in ENTRIES:
        (offered,) = of_the_relay(ros2.node.get_publishers_info_by_topic, entry["topic"])
        (asked,) = of_the_relay(ros2.node.get_subscriptions_info_by_topic, entry["topic"])
        wanted = entry.get("qos", {})
        assert offered.durability.name.lower() == wanted.get("durability", "volatile")
        assert offered.reliability.name.lower() == wanted.get("reliability", "reliable")
        assert (asked.reliability.name, asked.durability.name) == ("BEST_EFFORT", "VOLATILE")
