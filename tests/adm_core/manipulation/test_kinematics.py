import math

import numpy as np
import pytest
from adm_core.manipulation.arm import load_arm
from adm_core.manipulation.kinematics import (
    ReachStatus,
    ToolPose,
    camera_in_base,
    forward,
    search_pitch,
    solve,
)
from hypothesis import given
from hypothesis import strategies as st

ARM = load_arm()
DOWN = math.radians(90)

angles = st.tuples(*(st.floats(joint.min_rad, joint.max_rad) for joint in ARM.joints))


def turned(a, b):
    return abs(math.remainder(a - b, 2 * math.pi))


def random_joints(rng):
    return tuple(rng.uniform(joint.min_rad, joint.max_rad) for joint in ARM.joints)


def test_ten_thousand_reachable_targets_are_solved_within_a_millimetre_and_a_degree():
    rng = np.random.default_rng(1)
    for _ in range(10_000):
        target = forward(ARM, random_joints(rng))
        reach = solve(ARM, target)
        assert reach.status is ReachStatus.REACHABLE
        assert ARM.within_limits(reach.joints)
        found = forward(ARM, reach.joints)
        assert math.dist(found[:3], target[:3]) < 1e-3
        assert turned(found.pitch, target.pitch) < math.radians(1)
        assert turned(found.roll, target.roll) < math.radians(1)


def test_what_is_refused_no_posture_reaches():
    """The judge tries all postures of the arm on a grid of half degrees."""
    shoulder, elbow = np.meshgrid(
        np.radians(np.arange(-180, 0.1, 0.5)), np.radians(np.arange(-120, 120.1, 0.5))
    )
    out = ARM.upper * np.cos(shoulder) + ARM.fore * np.cos(shoulder + elbow)
    up = -ARM.upper * np.sin(shoulder) - ARM.fore * np.sin(shoulder + elbow)
    rng = np.random.default_rng(2)
    refused = 0
    for _ in range(120):
        x, z = rng.uniform(0.0, 0.5), rng.uniform(-0.1, 0.7)
        pitch = rng.uniform(-math.pi, math.pi)
        reach = solve(ARM, ToolPose(x, 0.0, z, pitch))
        if reach:
            continue
        refused += 1
        # With the back to the target joint 1 would have to turn by 180 degrees.
        bent = ARM.joints[3].min_rad
        wrist = bent + np.remainder(pitch - shoulder - elbow - DOWN - bent, 2 * math.pi)
        off = np.hypot(
            out + ARM.hand * math.cos(pitch) - x,
            up - ARM.hand * math.sin(pitch) - (z - ARM.shoulder_height),
        )
        assert off[wrist <= ARM.joints[3].max_rad].min(initial=1.0) > 2e-4
    assert refused > 30


@pytest.mark.parametrize(
    "target, status",
    [
        (ToolPose(0.60, 0.0, 0.2, 0.0), ReachStatus.TOO_FAR),
        (ToolPose(0.35, 0.0, 0.07, DOWN), ReachStatus.TOO_FAR),
        (ToolPose(0.172, 0.0, ARM.shoulder_height, 0.0), ReachStatus.JOINT_LIMIT),
        (ToolPose(-0.35, 0.0, 0.25, DOWN / 3), ReachStatus.JOINT_LIMIT),
        (ToolPose(0.3, 0.0, 0.1, 0.5, roll=math.pi), ReachStatus.JOINT_LIMIT),
        (ToolPose(math.nan, 0.0, 0.1, 0.5), ReachStatus.NOT_FINITE),
        (ToolPose(0.3, 0.0, 0.1, math.inf), ReachStatus.NOT_FINITE),
    ],
)
def test_why_a_target_is_out_of_reach(target, status):
    reach = solve(ARM, target)
    assert (reach.status, reach.joints) == (status, None)
    assert not reach


@given(angles)
def test_the_present_posture_is_the_nearest_solution(joints):
    target = forward(ARM, joints)
    reach = solve(ARM, target, near=joints)
    assert reach
    travel = max(abs(a - b) for a, b in zip(reach.joints, joints, strict=True))
    others = solve(ARM, target)
    assert travel <= max(abs(a - b) for a, b in zip(others.joints, joints, strict=True)) + 1e-6


def test_a_straight_arm_reaches_its_full_length():
    reach = solve(ARM, ToolPose(ARM.upper + ARM.fore + ARM.hand, 0.0, ARM.shoulder_height, 0.0))
    assert reach
    assert reach.joints == pytest.approx((0, 0, 0, -DOWN, 0), abs=1e-5)


def test_straight_above_the_axis_the_present_turn_is_kept():
    height = ARM.shoulder_height + ARM.upper + ARM.fore + ARM.hand
    reach = solve(ARM, ToolPose(0.0, 0.0, height, -DOWN), near=(0.7, -1.0, 0.0, -DOWN, 0.0))
    assert reach
    assert reach.joints[0] == pytest.approx(0.7)


def test_the_pitch_search_takes_the_nearest_possible_pitch():
    wanted = {"preferred": DOWN, "lowest": 0.0, "highest": DOWN}
    assert not solve(ARM, ToolPose(0.35, 0.0, 0.07, DOWN))
    reach = search_pitch(ARM, (0.35, 0.0, 0.07), **wanted)
    assert reach
    steeper = solve(ARM, ToolPose(0.35, 0.0, 0.07, reach.pitch + math.radians(2)))
    assert not steeper
    assert forward(ARM, reach.joints)[:4] == pytest.approx((0.35, 0.0, 0.07, reach.pitch))


def test_the_pitch_search_tells_what_is_in_the_way_of_the_preferred_pitch():
    reach = search_pitch(ARM, (0.7, 0.0, 0.1), preferred=0.5, lowest=0.0, highest=1.0)
    assert reach.status is ReachStatus.TOO_FAR


@pytest.mark.parametrize(
    "change, told",
    [
        ({"preferred": 2.0}, "preferred must be"),
        ({"lowest": 1.5, "highest": 1.0}, "preferred must be"),
        ({"step": 0.0}, "step must be"),
        ({"step": math.nan}, "step must be"),
    ],
)
def test_a_senseless_pitch_range_is_refused(change, told):
    with pytest.raises(ValueError, match=told):
        search_pitch(
            ARM, (0.3, 0, 0.1), **{"preferred": 0.5, "lowest": 0.0, "highest": 1.0, **change}
        )


def test_at_home_the_camera_looks_ahead_and_down():
    rotation, centre = camera_in_base(ARM, ARM.home)
    ahead = rotation @ [0.0, 0.0, 1.0]
    assert rotation @ rotation.T == pytest.approx(np.eye(3))
    assert np.linalg.det(rotation) == pytest.approx(1.0)
    assert math.degrees(math.asin(-ahead[2])) == pytest.approx(44.4, abs=0.1)
    assert rotation @ [1.0, 0.0, 0.0] == pytest.approx([0.0, -1.0, 0.0])  # right of the picture
    assert centre[2] == pytest.approx(0.384, abs=1e-3)
