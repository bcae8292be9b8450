import math

import pytest
import yaml
from adm_core.errors import ConfigError
from adm_core.manipulation.arm import load_arm
from adm_core.manipulation.kinematics import forward

ARM = load_arm()


def test_home_pulses_are_the_vendors_angles():
    degrees = [math.degrees(angle) for angle in ARM.home]
    assert degrees == pytest.approx([0.0, -142.8, 96.0, 1.2, 0.0])
    assert ARM.to_pulses(ARM.home) == (500, 720, 100, 120, 500)


@pytest.mark.parametrize("index, at_0, at_1000", [(0, -120, 120), (1, 30, -210), (2, 120, -120)])
def test_the_ends_of_a_servo(index, at_0, at_1000):
    joint = ARM.joints[index]
    assert math.degrees(joint.angle(0)) == pytest.approx(at_0)
    assert math.degrees(joint.angle(1000)) == pytest.approx(at_1000)


def test_every_pulse_comes_back_within_the_limits():
    for joint in ARM.joints:
        for pulse in range(1001):
            angle = joint.angle(pulse)
            if joint.contains(angle):
                assert joint.pulse(angle) == pulse


@pytest.mark.parametrize(
    "angles",
    [(2.2, -1, 0, 0, 0), (0, 0.1, 0, 0, 0), (0, -1, 2.2, 0, 0), (0, -1, 0, 0.5, 0)],
)
def test_an_angle_beyond_a_limit_is_no_pulse(angles):
    with pytest.raises(ValueError, match="must be in"):
        ARM.to_pulses(angles)


@pytest.mark.parametrize("pulse", [-1, 1001, float("nan")])
def test_a_pulse_beyond_the_servo_is_no_angle(pulse):
    with pytest.raises(ValueError, match="pulse of joint1"):
        ARM.joints[0].angle(pulse)


def test_the_gripper_is_linear_and_never_narrower_than_closed():
    gripper = ARM.gripper
    assert gripper.width(gripper.open_pulse) == pytest.approx(gripper.open_width)
    assert gripper.width(gripper.closed_pulse) == 0.0
    assert gripper.width(900) == 0.0
    assert gripper.width(gripper.pulse(0.05)) == pytest.approx(0.05, abs=1e-4)
    with pytest.raises(ValueError, match="width must be"):
        gripper.pulse(0.2)


def test_the_carry_posture_holds_a_container_upright_above_the_chassis():
    tip = forward(ARM, ARM.carry)
    assert 0 < math.degrees(tip.pitch) < 45
    assert tip.z > ARM.base.height + 0.15


def changed(tmp_path, change):
    source = load_arm.__wrapped__.__globals__["_read"]("jetrover")
    document = yaml.safe_load(yaml.safe_dump(source))
    change(document)
    path = tmp_path / "robot.yaml"
    path.write_text(yaml.safe_dump(document))
    return str(path)


def test_a_robot_of_ones_own(tmp_path):
    path = changed(tmp_path, lambda doc: doc["arm"].update(upper=0.2))
    assert load_arm(path).upper == 0.2


@pytest.mark.parametrize(
    "change, told",
    [
        (lambda doc: doc["arm"].update(upper=-1), "upper must be"),
        (lambda doc: doc["arm"].pop("fore"), "fore"),
        (lambda doc: doc["arm"]["joints"].pop(), "joints must be 5"),
        (lambda doc: doc["arm"]["joints"][0].update(min=130), "min of joint1"),
        (lambda doc: doc["arm"].update(home=[500, 100, 500, 500, 500]), "home must be"),
        (lambda doc: doc["gripper"].update(colour=1), "colour"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(tmp_path, change, told):
    with pytest.raises(ConfigError, match=told):
        load_arm(changed(tmp_path, change))


def test_a_missing_file_is_refused():
    with pytest.raises(ConfigError, match="robot must be jetrover or a YAML file"):
        load_arm("nowhere.yaml")


def test_a_file_that_is_no_mapping_is_refused(tmp_path):
    path = tmp_path / "list.yaml"
    path.write_text("- 1\n")
    with pytest.raises(ConfigError, match="must be a mapping"):
        load_arm(str(path))
