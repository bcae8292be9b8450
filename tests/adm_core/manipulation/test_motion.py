import math

import numpy as np
import pytest
from adm_core.manipulation.arm import load_arm
from adm_core.manipulation.kinematics import Reach, ReachStatus, ToolPose, forward
from adm_core.manipulation.motion import JointMotion, straight_line

ARM = load_arm()
ZERO = (0.0, 0.0, 0.0, 0.0, 0.0)


def test_the_slowest_joint_sets_the_time():
    motion = JointMotion([ZERO, (0.1, -1.0, 0.0, 0.0, 0.0)], 0.5, started=10.0)
    assert motion.ends_at == pytest.approx(12.0)
    assert motion.at(11.0) == pytest.approx((0.05, -0.5, 0.0, 0.0, 0.0))
    assert motion.at(9.0) == ZERO
    assert motion.at(99.0) == motion.end


def test_no_joint_is_ever_faster_than_allowed():
    rng = np.random.default_rng(0)
    points = [tuple(rng.uniform(-1, 1, 5)) for _ in range(6)]
    motion = JointMotion(points, 0.7, 0.0)
    times = np.arange(0, motion.ends_at, 0.01)
    speeds = np.abs(np.diff([motion.at(t) for t in times], axis=0)) / 0.01
    assert speeds.max() <= 0.7 + 1e-6


def test_a_motion_from_here_to_here_still_takes_a_moment():
    assert JointMotion([ZERO, ZERO], 1.0, 0.0).ends_at > 0
    assert JointMotion([ZERO], 1.0, 3.0).ends_at == 3.0


def test_a_senseless_motion_is_refused():
    with pytest.raises(ValueError, match="waypoints"):
        JointMotion([], 1.0, 0.0)
    with pytest.raises(ValueError, match="speed"):
        JointMotion([ZERO], 0.0, 0.0)


def test_the_fingertips_stay_on_the_straight_line():
    start, end = ToolPose(0.28, 0.0, 0.10, 0.4), ToolPose(0.35, 0.02, 0.07, 0.5)
    points = straight_line(ARM, start, end, ARM.home)
    tips = np.array([forward(ARM, joints)[:3] for joints in points])
    direction = np.subtract(end[:3], start[:3])
    off = np.linalg.norm(np.cross(tips - start[:3], direction), axis=1) / np.linalg.norm(direction)
    assert off.max() < 1e-9
    assert len(points) >= 8
    assert np.abs(np.diff(points, axis=0)).max() < 0.5


def test_a_line_out_of_reach_says_why():
    found = straight_line(ARM, ToolPose(0.3, 0.0, 0.1, 0.3), ToolPose(0.6, 0.0, 0.1, 0.3), ARM.home)
    assert isinstance(found, Reach)
    assert found.status in (ReachStatus.TOO_FAR, ReachStatus.JOINT_LIMIT)


def test_the_postures_of_a_line_are_within_the_limits():
    points = straight_line(
        ARM, ToolPose(0.28, 0.05, 0.12, 0.3), ToolPose(0.34, 0.05, 0.07, 0.3), ARM.home
    )
    assert all(ARM.within_limits(joints) for joints in points)
    assert all(math.isfinite(angle) for joints in points for angle in joints)
