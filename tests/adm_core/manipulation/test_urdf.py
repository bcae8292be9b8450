"""The URDF and the closed formulas describe the same arm: the chain is followed link by link."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from adm_core.manipulation.arm import load_arm
from adm_core.manipulation.kinematics import camera_in_base, forward
from adm_core.manipulation.urdf import CAMERA_LINK, FINGERS, TIP_LINK, robot_urdf

ARM = load_arm()
ROBOT = ET.fromstring(robot_urdf(ARM))
JOINTS = {item.get("name"): item for item in ROBOT.iter("joint")}
MOVING = ("joint1", "joint2", "joint3", "joint4", "joint5")


def numbers(text):
    return np.array([float(item) for item in text.split()])


def about(axis, angle):
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def from_rpy(roll, pitch, yaw):
    return about((0, 0, 1), yaw) @ about((0, 1, 0), pitch) @ about((1, 0, 0), roll)


def frame_of(link, joints):
    """Return rotation and place of a link in the base frame."""
    if link == "base":
        return np.eye(3), np.zeros(3)
    joint = next(item for item in JOINTS.values() if item.find("child").get("link") == link)
    rotation, place = frame_of(joint.find("parent").get("link"), joints)
    origin = joint.find("origin")
    place = place + rotation @ numbers(origin.get("xyz"))
    rotation = rotation @ from_rpy(*numbers(origin.get("rpy", "0 0 0")))
    if joint.get("name") in MOVING:
        angle = joints[MOVING.index(joint.get("name"))]
        rotation = rotation @ about(numbers(joint.find("axis").get("xyz")), angle)
    return rotation, place


@pytest.mark.parametrize("seed", range(20))
def test_tip_and_camera_are_where_the_formulas_say(seed):
    rng = np.random.default_rng(seed)
    joints = [rng.uniform(joint.min_rad, joint.max_rad) for joint in ARM.joints]
    rotation, place = frame_of(TIP_LINK, joints)
    tip = forward(ARM, joints)
    assert place == pytest.approx(tip[:3], abs=1e-9)
    pointing = rotation @ [1.0, 0.0, 0.0]
    assert -pointing[2] == pytest.approx(np.sin(tip.pitch), abs=1e-9)
    rotation, place = frame_of(CAMERA_LINK, joints)
    expected_rotation, expected_place = camera_in_base(ARM, joints)
    assert rotation == pytest.approx(expected_rotation, abs=1e-9)
    assert place == pytest.approx(expected_place, abs=1e-9)


def test_limits_are_those_of_the_file():
    for joint in ARM.joints:
        limit = JOINTS[joint.name].find("limit")
        assert float(limit.get("lower")) == pytest.approx(joint.min_rad)
        assert float(limit.get("upper")) == pytest.approx(joint.max_rad)


def test_the_fingers_open_as_wide_as_the_gripper():
    travel = sum(float(JOINTS[name].find("limit").get("upper")) for name in FINGERS)
    assert travel == pytest.approx(ARM.gripper.open_width)


def test_every_shape_is_a_primitive_and_every_joint_joins_known_links():
    links = {item.get("name") for item in ROBOT.iter("link")}
    for geometry in ROBOT.iter("geometry"):
        assert next(item.tag for item in geometry) in ("box", "cylinder")
    for joint in JOINTS.values():
        assert {joint.find("parent").get("link"), joint.find("child").get("link")} <= links
