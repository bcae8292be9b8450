"""Which pose is relied on when a map is begun anew."""

import math

import pytest
from adm_core.types import Pose2D
from adm_nodes.robot.trust import Trust


def followed(*poses, step_s=0.1):
    trust = Trust()
    for number, pose in enumerate(poses):
        trust.note(pose, step_s * number)
    return trust


def test_the_newest_pose_is_trusted_and_the_way_counted_without_noise():
    trust = followed(Pose2D(0, 0), Pose2D(0.01, 0), Pose2D(0.1, 0), Pose2D(0.2, 0))
    assert (trust.pose, trust.is_lost) == (Pose2D(0.2, 0), False)
    assert trust.travelled_m == pytest.approx(0.2)


def test_a_jump_ends_trust_but_what_was_driven_during_a_silence_does_not():
    assert followed(Pose2D(2, 1), Pose2D(0, 0)).is_lost
    assert not followed(Pose2D(2, 1), Pose2D(1, 0), step_s=3.0).is_lost


def test_the_motion_since_the_loss_is_added_to_the_last_pose_once():
    trust = followed(Pose2D(2, 1, math.pi / 2), Pose2D(0, 0, 0), Pose2D(0.15, 0.05, 0.1))
    assert trust.pose == Pose2D(2, 1, math.pi / 2)  # as long as nobody asks
    expected = pytest.approx((1.95, 1.15, math.pi / 2 + 0.1))
    assert tuple(trust.carry_on()) == expected
    assert tuple(trust.carry_on()) == expected
    trust.note(Pose2D(0.15, 0.05, 0.2), 1.0)
    assert trust.carry_on().yaw == pytest.approx(math.pi / 2 + 0.2)


def test_a_pose_of_the_old_map_that_comes_late_is_no_motion():
    trust = followed(Pose2D(2, 1, 0.0))
    trust.lose()
    for number, pose in enumerate([Pose2D(2.01, 1, 0), Pose2D(0, 0, 0), Pose2D(0.1, 0, 0)]):
        trust.note(pose, 0.1 * (1 + number))
    assert tuple(trust.carry_on()) == pytest.approx((2.1, 1.0, 0.0))


def test_a_told_pose_is_no_motion_either():
    trust = followed(Pose2D(2, 1, 0.0), Pose2D(0, 0, 0))
    trust.carry_on()
    trust.note(Pose2D(2, 1, 0), 0.3)  # the localisation took it
    assert tuple(trust.carry_on()) == pytest.approx((2.0, 1.0, 0.0))


def test_the_present_map_can_be_relied_on_again():
    trust = followed(Pose2D(2, 1), Pose2D(0, 0))
    trust.rely_on(Pose2D(0, 0), 0.1)
    trust.note(Pose2D(0.1, 0), 0.2)
    assert (trust.is_lost, trust.pose) == (False, Pose2D(0.1, 0))


def test_without_any_pose_there_is_none():
    trust = Trust()
    trust.lose()
    assert trust.carry_on() is None
