"""Types of both sides: md5 sums against ROS 1 itself, conversion there and back."""

import json
import subprocess
from pathlib import Path

import pytest
import ros1_graph
from adm_bridge.definitions import Definitions, UnknownTypeError
from adm_bridge.entries import load
from adm_bridge.pairs import Pairs
from adm_bridge.relay import find_class
from adm_bridge.run import share
from bridge_sides import as_json, filled
from rclpy.serialization import deserialize_message, serialize_message
from rosbags.serde import SerdeError

ROOT = Path(__file__).parents[2]
CONFIG = load(ROOT / "bridge" / "config" / "bridge.yaml")
PAIRS = Pairs.load(ROOT / "bridge" / "config" / "mapping_rules.yaml")
TYPES = sorted({item.type for item in CONFIG.topics})

#: As published for the real move_base (Noetic and Melodic).
MOVE_BASE = {
    "move_base_msgs/msg/MoveBaseActionGoal": "660d6895a1b9a16dce51fbdd9a64a56b",
    "move_base_msgs/msg/MoveBaseActionResult": "1eb06eeff08fa7ea874431638cb52332",
    "move_base_msgs/msg/MoveBaseActionFeedback": "7d1870ff6e0decea702b943b5af0b42e",
    "actionlib_msgs/msg/GoalID": "302881f31927c1df708a2dbab0e80ee8",
    "actionlib_msgs/msg/GoalStatusArray": "8b2b82f13216d0a8ea88bd3af735e619",
}
ASK = """
import json, sys, genpy.dynamic, roslib.message
names, own = json.loads(sys.argv[1])
sums = {name: roslib.message.get_message_class(name)._md5sum for name in names}
for name, text in own.items():
    sums[name] = genpy.dynamic.generate_dynamic(name, text)[name]._md5sum
for name in json.loads(sys.argv[2]):
    sums[name] = roslib.message.get_service_class(name)._md5sum
print(json.dumps(sums))
"""


@pytest.fixture(scope="module")
def definitions():
    return Definitions(PAIRS, share)


@pytest.fixture(scope="module")
def ros1_sums():
    """Return the md5 sums that the installed ROS 1 computes, by ROS 1 name."""
    if ros1_graph.missing():
        pytest.skip(ros1_graph.missing())
    names = {PAIRS.ros1(kind) for kind in TYPES}
    own = {name: text(name) for name in names if name.startswith("adm_msgs/")}
    services = [item.type for item in CONFIG.services_2_to_1]
    arguments = [json.dumps([sorted(names - own.keys()), own]), json.dumps(services)]
    done = subprocess.run(
        [ros1_graph.PYTHON, "-c", ASK, *arguments],
        env=ros1_graph.clean_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def text(name):
    return ros1_graph.full_text(ROOT / "bridge" / "noetic", *name.split("/"))


@pytest.mark.parametrize("kind", TYPES)
def test_the_md5_sum_is_the_one_of_ros_1(kind, definitions, ros1_sums):
    assert definitions.ros1(kind).md5 == ros1_sums[PAIRS.ros1(kind)]


@pytest.mark.parametrize("kind", MOVE_BASE)
def test_our_move_base_messages_are_the_real_ones(kind, definitions):
    assert definitions.ros1(kind).md5 == MOVE_BASE[kind]


@pytest.mark.parametrize("service", CONFIG.services_2_to_1, ids=lambda item: item.type)
def test_the_md5_sum_of_a_service_is_the_one_of_ros_1(service, definitions, ros1_sums):
    assert definitions.ros1_service(service.type)[0] == ros1_sums[service.type]


@pytest.mark.parametrize("kind", TYPES)
def test_there_and_back_changes_nothing(kind, definitions):
    converter, message = definitions.converter(kind), filled(find_class(kind))
    assert converter.by_bytes
    there = converter.to_ros1(serialize_message(message))
    back = deserialize_message(bytes(converter.to_ros2(there)), type(message))
    assert as_json(back) == as_json(message)


@pytest.mark.parametrize("kind", TYPES)
def test_a_cut_message_is_refused(kind, definitions):
    converter = definitions.converter(kind)
    whole = bytes(converter.to_ros1(serialize_message(filled(find_class(kind)))))
    with pytest.raises(SerdeError):
        converter.to_ros2(whole[:-1])
    with pytest.raises(SerdeError):
        converter.to_ros2(whole + b"?")


def test_fields_that_one_side_lacks_are_dropped_or_zero(definitions):
    """Markers have textures in ROS 2 only."""
    kind = "visualization_msgs/msg/Marker"
    converter, message = definitions.converter(kind), filled(find_class(kind))
    assert not converter.by_bytes
    there = converter.to_ros1(serialize_message(message))
    back = as_json(deserialize_message(bytes(converter.to_ros2(there)), type(message)))
    empty = as_json(type(message)())
    only_ros2 = ("texture_resource", "texture", "uv_coordinates", "mesh_file")
    assert back == as_json(message) | {name: empty[name] for name in only_ros2}


def test_a_header_that_leads_is_known(definitions):
    assert definitions.ros1("geometry_msgs/msg/PoseStamped").has_header
    assert not definitions.ros1("geometry_msgs/msg/Twist").has_header
    assert not definitions.ros1("tf2_msgs/msg/TFMessage").has_header


@pytest.mark.parametrize("kind", ["no_such_msgs/msg/Thing", "std_msgs/msg/NoSuchThing"])
def test_a_type_that_is_not_installed_is_named(kind, definitions):
    with pytest.raises(UnknownTypeError, match=kind):
        definitions.ros1(kind)
