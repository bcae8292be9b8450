"""The little of tf that is needed to know where the base is."""

import math

import pytest
from adm_core.types import Pose2D
from adm_nodes.navigation.frames import FrameTree, compose


def test_a_chain_is_composed_from_the_outside_in():
    tree = FrameTree()
    tree.put("map", "odom", Pose2D(1.0, 2.0, math.pi / 2))
    tree.put("odom", "base_footprint", Pose2D(3.0, 0.0, math.pi / 2))
    tree.put("base_footprint", "base_link", Pose2D(0.0, 0.0, 0.0))
    assert tree.find("map", "base_link") == pytest.approx((1.0, 5.0, math.pi))
    assert tree.find("odom", "base_link") == pytest.approx((3.0, 0.0, math.pi / 2))


def test_the_newest_transform_counts_and_leading_slashes_do_not():
    tree = FrameTree()
    tree.put("/map", "/base_link", Pose2D(1.0, 0.0))
    tree.put("map", "base_link", Pose2D(2.0, 0.0))
    assert tree.find("map", "base_link") == Pose2D(2.0, 0.0)


def test_what_is_not_connected_is_unknown():
    tree = FrameTree()
    tree.put("odom", "base_link", Pose2D(1.0, 0.0))
    assert tree.find("map", "base_link") is None
    assert tree.find("map", "camera") is None


def test_a_loop_of_frames_ends():
    tree = FrameTree()
    tree.put("a", "b", Pose2D(0.0, 0.0))
    tree.put("b", "a", Pose2D(0.0, 0.0))
    assert tree.find("map", "b") is None


def test_yaw_stays_in_its_range():
    assert abs(compose(Pose2D(0, 0, 3.0), Pose2D(0, 0, 3.0)).yaw) <= math.pi
