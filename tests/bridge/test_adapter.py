"""The robot's side of the bridge: guards without ROS."""

import ast
import math
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "bridge" / "noetic" / "adm_jetrover"
sys.path.insert(0, str(PACKAGE / "src"))

from adm_jetrover.epoch import MapEpoch  # noqa: E402
from adm_jetrover.servos import ServoGuard  # noqa: E402
from adm_jetrover.velocity import VelocityGuard  # noqa: E402

CONFIG = yaml.safe_load((PACKAGE / "config" / "jetrover.yaml").read_text())
LIMITS = (0.4, 0.4, 1.5)
numbers = st.floats(allow_nan=True, allow_infinity=True)


@given(st.tuples(numbers, numbers, numbers))
def test_no_velocity_passes_the_limits(wanted):
    found = VelocityGuard(LIMITS, 0.5).command(wanted, 0.0)
    assert all(abs(item) <= limit for item, limit in zip(found, LIMITS, strict=True))
    if not all(map(math.isfinite, wanted)):
        assert found == (0.0, 0.0, 0.0)


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans()), max_size=20))
def test_a_moving_base_is_stopped_once_commands_cease(events):
    guard, now, last, moving = VelocityGuard(LIMITS, 0.5), 0.0, None, False
    for pause, moves in events:
        now += pause
        late = moving and now - last > 0.5
        assert guard.check(now) is late
        moving = moves
        guard.command((0.2 if moves else 0.0, 0.0, 0.0), now)
        last = now
    assert guard.check(now + 0.51) is moving
    assert not guard.check(now + 10.0)  # a stop is said once


def servos(speed=100.0):
    return ServoGuard(CONFIG["joints"], speed)


@given(st.lists(st.floats(-10.0, 10.0), min_size=6, max_size=6), st.floats(0.0, 5.0))
def test_no_servo_leaves_its_joint_limits(angles, seconds):
    names = list(CONFIG["joints"])
    for name, (number, pulse, time) in zip(
        names, servos().pulses(names, angles, seconds), strict=True
    ):
        joint = CONFIG["joints"][name]
        angle = joint["zero"] + joint["per_pulse"] * pulse
        assert number == joint["id"] and 0 <= pulse <= 1000 and time >= seconds
        assert joint["min"] - 0.13 <= angle <= joint["max"] + 0.13


def test_a_jump_takes_the_time_that_the_joint_speed_allows():
    guard = servos(speed=2.0)
    guard.pulses(["joint1"], [0.0], 0.1)
    assert guard.pulses(["joint1"], [1.0], 0.1)[0][2] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("names", "angles", "seconds"),
    [
        (["joint1"], [math.nan], 0.1),
        (["joint1"], [math.inf], 0.1),
        (["joint1"], [0.0], math.nan),
        (["elbow"], [0.0], 0.1),
        (["joint1", "joint2"], [0.0], 0.1),
    ],
)
def test_what_is_no_command_is_refused(names, angles, seconds):
    with pytest.raises(ValueError, match=r"angle|joint"):
        servos().pulses(names, angles, seconds)


def test_the_arm_model_and_the_adapter_have_the_same_pulses():
    from adm_core.manipulation.arm import load_arm

    arm = load_arm()
    names = [joint.name for joint in arm.joints]
    for posture in (arm.home, arm.carry):
        found = [pulse for _, pulse, _ in servos().pulses(names, posture, 0.1)]
        assert found == list(arm.to_pulses(posture))


def test_a_pose_that_jumps_and_a_map_that_shrinks_begin_a_new_epoch():
    epoch = MapEpoch(0.5, 0.5)
    assert not epoch.on_map((88, 88, 0.05), 4000) and not epoch.on_pose(1.0, 1.0)
    assert not epoch.on_pose(1.1, 1.0) and epoch.number == 1
    assert epoch.on_pose(0.0, 0.0) and epoch.number == 2
    assert not epoch.on_map((88, 88, 0.05), 300)
    assert not epoch.on_map((88, 88, 0.05), 4000)
    assert epoch.on_map((88, 88, 0.05), 300) and epoch.number == 3
    assert epoch.on_map((100, 88, 0.05), 400) and epoch.number == 4
    assert epoch.on_reset() and epoch.number == 5


SOURCES = [*sorted(PACKAGE.rglob("*.py")), PACKAGE / "scripts" / "jetrover_adapter"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_adapter_knows_only_what_python_2_7_knows(path):
    """No f-strings, annotations, keyword-only arguments, nonlocal, raise-from, star in displays."""
    tree = ast.parse(path.read_text())
    found = [type(node).__name__ for node in ast.walk(tree) if _is_newer(node)]
    assert found == []


def _is_newer(node):
    if isinstance(node, (ast.JoinedStr, ast.AnnAssign, ast.Nonlocal, ast.NamedExpr, ast.YieldFrom)):
        return True
    if isinstance(node, (ast.AsyncFunctionDef, ast.Await)):
        return True
    if isinstance(node, ast.FunctionDef):
        everything = [*node.args.args, *node.args.kwonlyargs]
        return bool(node.returns or node.args.kwonlyargs or any(i.annotation for i in everything))
    if isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
        return any(isinstance(item, ast.Starred) for item in node.elts)
    return isinstance(node, ast.Raise) and node.cause is not None
