"""Grasp and place against an arm that follows its commands and a container that may misbehave."""

import math

import numpy as np
import pytest
from adm_core.errors import ConfigError
from adm_core.manipulation.arm import load_arm
from adm_core.manipulation.camera import Mount
from adm_core.manipulation.grasp import GraspConfig, Grasping, is_in_hand
from adm_core.manipulation.kinematics import camera_in_base, forward
from adm_core.manipulation.sequence import ArmEnd, ArmState, Glance
from rgbd_scene import BOTTLE, CAMERA, CAN, COLOURS, FLOOR

ARM = load_arm()
GRASPING = Grasping(ARM)
WIDE = ARM.gripper.open_width


class Robot:
    """Servos that follow at 10 Hz; a container at a place, until it is held."""

    def __init__(self, kind=CAN, place=(0.35, 0.0), joints=ARM.home, held=False):
        self.kind, self.place, self.held = kind, place, held
        self.joints = joints
        self.width = 2 * kind.radius_m if held else WIDE
        self.now = 5.0
        self.phases = []
        self.tips = []

    def follow(self, command):
        self.joints = command.joints
        goal = command.width
        tip = forward(ARM, self.joints)
        self.tips.append(tip)
        if goal >= self.width:
            self.width, self.held = goal, False
            return
        at_object = self.place and math.dist(tip[:2], self.place) < 0.02 and tip.z < 0.1
        self.held = self.held or at_object
        self.width = max(goal, 2 * self.kind.radius_m) if self.held else goal

    def run(self, sequence, disturb=lambda robot, command: None, camera=lambda robot: robot.held):
        glance = None
        for _ in range(600):
            state = ArmState(self.joints, self.width)
            command = sequence.step(state, self.now, glance)
            if not self.phases or self.phases[-1] != command.phase:
                self.phases.append(command.phase)
            if command.finished:
                return command
            self.follow(command)
            disturb(self, command)
            self.now += 0.1
            seen = camera(self) if command.wants_picture else None
            glance = Glance(self.now, seen) if seen is not None else None
        raise AssertionError("the sequence did not end")

    def grasp(self, **more):
        state = ArmState(self.joints, self.width)
        return self.run(GRASPING.grasp(self.place, self.kind, state), **more)


@pytest.mark.parametrize("kind", [CAN, BOTTLE], ids=lambda kind: kind.label)
@pytest.mark.parametrize("place", [(0.35, 0.0), (0.30, 0.08), (0.36, -0.05), (0.27, 0.0)])
def test_a_container_in_reach_is_fetched_in_order(kind, place):
    robot = Robot(kind, place)
    end = robot.grasp()
    assert end.success
    assert robot.held
    assert robot.phases == ["pre_grasp", "descent", "closure", "lift", "carry", "look"]
    assert robot.joints == pytest.approx(ARM.carry)
    assert min(tip.z for tip in robot.tips) > 0.03


@pytest.mark.parametrize("place", [(0.6, 0.0), (0.1, 0.0), (-0.35, 0.0), (0.42, 0.1)])
def test_what_is_out_of_reach_is_refused_before_anything_moves(place):
    robot = Robot(CAN, place)
    end = robot.grasp()
    assert (end.end, robot.phases, robot.joints) == (ArmEnd.UNREACHABLE, ["refused"], ARM.home)


def test_closing_on_nothing_is_noticed():
    robot = Robot()
    sequence = GRASPING.grasp((0.35, 0.0), CAN, ArmState(ARM.home, WIDE))
    robot.place = None
    end = robot.run(sequence)
    assert (end.end, robot.phases[-1]) == (ArmEnd.MISSED, "closure")


def test_something_else_between_the_fingers_is_noticed():
    robot = Robot()

    def wedge(robot, command):
        if command.phase == "closure":
            robot.width = 0.085

    end = robot.grasp(disturb=wedge)
    assert (end.end, robot.phases[-1]) == (ArmEnd.JAMMED, "closure")


@pytest.mark.parametrize("phase", ["lift", "carry"])
def test_a_container_that_falls_is_noticed(phase):
    robot = Robot()

    def fall(robot, command):
        if command.phase == phase:
            robot.place, robot.held, robot.width = None, False, command.width

    end = robot.grasp(disturb=fall)
    assert (end.end, robot.phases[-1]) == (ArmEnd.DROPPED, phase)


def test_the_camera_has_a_say_against_the_gripper():
    end = Robot().grasp(camera=lambda robot: False)
    assert (end.end, end.success) == (ArmEnd.NOT_SEEN, False)


def test_without_pictures_nothing_is_claimed():
    end = Robot().grasp(camera=lambda robot: None)
    assert end.end is ArmEnd.NO_PICTURES


def test_an_arm_that_does_not_arrive_is_stuck():
    robot = Robot()

    def hold(robot, command):
        if command.phase == "descent":
            robot.joints = ARM.home

    end = robot.grasp(disturb=hold)
    assert (end.end, robot.phases[-1]) == (ArmEnd.ARM_STUCK, "descent")


def test_a_held_container_is_set_down_and_the_hand_is_checked():
    robot = Robot(BOTTLE, joints=ARM.carry, held=True)
    state = ArmState(robot.joints, robot.width)
    end = robot.run(GRASPING.place((0.34, 0.03, 0.01), BOTTLE, state))
    assert end.success
    assert robot.phases == ["reach_over", "lower", "release", "retreat", "home", "look"]
    assert not robot.held
    assert robot.joints == pytest.approx(ARM.home)


def test_nothing_held_cannot_be_placed():
    robot = Robot(joints=ARM.carry)
    end = robot.run(GRASPING.place((0.34, 0.0, 0.0), CAN, ArmState(ARM.carry, 0.03)))
    assert end.end is ArmEnd.EMPTY


def test_fingers_that_do_not_open_are_noticed():
    robot = Robot(joints=ARM.carry, held=True)

    def jam(robot, command):
        robot.width, robot.held = 2 * CAN.radius_m, True

    state = ArmState(robot.joints, robot.width)
    end = robot.run(GRASPING.place((0.34, 0.0, 0.0), CAN, state), disturb=jam)
    assert (end.end, robot.phases[-1]) == (ArmEnd.NOT_RELEASED, "release")


def test_a_container_that_hangs_on_is_seen():
    robot = Robot(joints=ARM.carry, held=True)
    state = ArmState(robot.joints, robot.width)
    end = robot.run(GRASPING.place((0.34, 0.0, 0.0), CAN, state), camera=lambda robot: True)
    assert (end.end, robot.phases[-1]) == (ArmEnd.NOT_RELEASED, "look")


def test_a_container_that_is_lost_on_the_way_to_the_station_is_noticed():
    robot = Robot(joints=ARM.carry, held=True)

    def fall(robot, command):
        if command.phase == "lower":
            robot.held, robot.width = False, command.width

    state = ArmState(robot.joints, robot.width)
    end = robot.run(GRASPING.place((0.34, 0.0, 0.0), CAN, state), disturb=fall)
    assert end.end is ArmEnd.DROPPED


def hand_picture(kind, radius_px):
    mount = Mount(*camera_in_base(ARM, ARM.carry))
    tip = forward(ARM, ARM.carry)[:3]
    column, row = CAMERA.project(mount.to_optical(tip))
    rows, cols = np.ogrid[: CAMERA.height, : CAMERA.width]
    picture = np.full((CAMERA.height, CAMERA.width, 3), FLOOR, np.uint8)
    picture[(rows - row) ** 2 + (cols - column) ** 2 <= radius_px**2] = COLOURS[kind.label]
    return picture, mount, tip


def test_looking_at_the_hand():
    config = GraspConfig()
    picture, mount, tip = hand_picture(CAN, 28)
    assert is_in_hand(picture, CAMERA, mount, tip, CAN, config)
    assert not is_in_hand(picture, CAMERA, mount, tip, BOTTLE, config)
    assert not is_in_hand(np.full_like(picture, 120), CAMERA, mount, tip, CAN, config)
    speck, mount, tip = hand_picture(CAN, 6)
    assert not is_in_hand(speck, CAMERA, mount, tip, CAN, config)


def test_a_hand_behind_or_beside_the_camera_holds_nothing_to_see():
    picture, mount, _ = hand_picture(CAN, 28)
    away = mount.to_frame([0.0, 0.0, -0.1])
    beside = mount.to_frame([5.0, 0.0, 0.1])
    for place in (away, beside):
        assert not is_in_hand(picture, CAMERA, mount, place, CAN, GraspConfig())


def test_a_slack_that_hides_an_empty_hand_is_refused():
    with pytest.raises(ConfigError, match="slack_m must be < squeeze_m"):
        GraspConfig(slack_m=0.02, squeeze_m=0.02)
