import math

import numpy as np
import pytest
from adm_core.manipulation.perception import find_targets
from adm_core.memory.records import Source
from adm_core.planning.onboard import OnboardSensor, RobotPlace
from adm_core.types import Pose2D
from rgbd_scene import BOTTLE, CAMERA, CAN, HOME, render

SENSOR = OnboardSensor("wrist")
HERE = RobotPlace(Pose2D(2.0, 1.0, math.pi / 2), 0.02, 0.02)


def targets(*objects):
    picture, depth = render(objects)
    return find_targets(picture, depth, CAMERA, HOME, (CAN, BOTTLE))


def test_sightings_become_detections_in_the_map():
    batch = SENSOR.report(targets((CAN, (0.45, 0.05))), CAMERA, HERE, 3.0, "m1")
    (can,) = batch.detections
    assert (batch.source, batch.source_id, batch.map_id) == (Source.ONBOARD, "wrist", "m1")
    assert batch.stamp == 3.0 and batch.footprint is None
    assert can.pose[:2] == pytest.approx((2.0 - 0.05, 1.0 + 0.45), abs=0.01)
    assert 0.9 < can.confidence <= 0.95


def test_what_is_far_or_cut_does_not_count():
    near = OnboardSensor("wrist", sight_m=0.4)
    assert near.report(targets((CAN, (0.55, 0.0))), CAMERA, HERE, 0.0).detections == ()
    cut = targets((BOTTLE, (0.45, 0.29)))
    assert len(cut) == 1
    assert SENSOR.report(cut, CAMERA, HERE, 0.0).detections == ()
    assert SENSOR.report([], CAMERA, HERE, 0.0).detections == ()


def test_a_robot_that_does_not_know_where_it_is_convinces_nobody():
    lost = RobotPlace(HERE.pose, 0.6, 0.02)
    (can,) = SENSOR.report(targets((CAN, (0.45, 0.05))), CAMERA, lost, 0.0).detections
    assert can.confidence < 0.1


def test_the_covariance_is_that_of_robots_that_are_elsewhere():
    (can,) = targets((CAN, (0.5, 0.1)))
    rng = np.random.default_rng(0)
    robot = RobotPlace(Pose2D(0.0, 0.0, 0.4), 0.03, 0.05)
    _, covariance = robot.in_map(can)
    yaw = 0.4 + rng.normal(0, 0.05, 20_000)
    own = rng.multivariate_normal(can.position[:2], can.covariance[:2, :2], 20_000)
    x = np.cos(yaw) * own[:, 0] - np.sin(yaw) * own[:, 1] + rng.normal(0, 0.03, 20_000)
    y = np.sin(yaw) * own[:, 0] + np.cos(yaw) * own[:, 1] + rng.normal(0, 0.03, 20_000)
    assert covariance == pytest.approx(np.cov(x, y), abs=5e-5)
