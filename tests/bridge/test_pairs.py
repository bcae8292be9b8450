"""Mapping rules, as ros1_bridge takes them."""

from pathlib import Path

import pytest
import yaml
from adm_bridge.entries import BridgeConfigError
from adm_bridge.pairs import Pairs

RULES = Path(__file__).parents[2] / "bridge" / "config" / "mapping_rules.yaml"


def test_our_reports_are_adm_msgs_on_the_ros_1_side():
    assert Pairs.load(RULES).ros1("adm_interfaces/msg/RobotReport") == "adm_msgs/RobotReport"


@pytest.mark.parametrize(
    ("ros2", "ros1"),
    [
        ("nav_msgs/msg/OccupancyGrid", "nav_msgs/OccupancyGrid"),
        ("other_interfaces/msg/Thing", "other_msgs/Thing"),
        ("interfaces/msg/SetRobotPose", "hiwonder_interfaces/SetRobotPose"),
        ("ros_robot_controller_msgs/msg/RGBState", "ros_robot_controller/RGBState"),
        ("hiwonder_servo_msgs/msg/RawIdPosDur", "hiwonder_servo_msgs/RawIdPosDur"),
    ],
)
def test_other_names_follow_rules_and_endings(ros2, ros1):
    assert Pairs.load(RULES).ros1(ros2) == ros1


def test_a_rule_for_one_message_goes_before_that_for_its_package():
    names = {"ros1_package_name": "a_msgs", "ros2_package_name": "b_msgs"}
    one = names | {"ros1_message_name": "Old", "ros2_message_name": "New"}
    pairs = Pairs.from_rules([names, one])
    assert pairs.ros1("b_msgs/msg/New") == "a_msgs/Old"
    assert pairs.ros1("b_msgs/msg/Other") == "a_msgs/Other"


def test_every_rule_of_ours_is_one_that_ros1_bridge_takes_from_a_foreign_package():
    """It ignores rules for other packages without this, and takes a rule of these keys as one for
    the whole package."""
    for rule in yaml.safe_load(RULES.read_text("utf-8")):
        assert rule.keys() == {"ros1_package_name", "ros2_package_name", "enable_foreign_mappings"}
        assert rule["enable_foreign_mappings"] is True


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("a: b", "needs ros1_package_name"),
        ({"ros1_package_name": "a"}, "needs ros1_package_name"),
        (
            {"ros1_package_name": "a", "ros2_package_name": "b", "ros1_message_name": "A"},
            "needs both",
        ),
        (
            {"ros1_package_name": "a", "ros2_package_name": "b", "fields_1_to_2": {"x": "y"}},
            "knows no fields_1_to_2",
        ),
    ],
)
def test_a_rule_that_the_relay_cannot_keep_is_refused(rule, problem):
    with pytest.raises(BridgeConfigError, match=problem):
        Pairs.from_rules([rule])


def test_rules_that_are_no_list_are_refused(tmp_path):
    (tmp_path / "rules.yaml").write_text("a: b", "utf-8")
    with pytest.raises(BridgeConfigError, match="no list"):
        Pairs.load(tmp_path / "rules.yaml")
