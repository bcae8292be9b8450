"""PyBullet's own inverse kinematics is the rival: on the same arm and the same targets."""

import time

import numpy as np
import pytest
from adm_core.manipulation.arm import load_arm
from adm_core.manipulation.kinematics import forward, solve
from adm_core.manipulation.urdf import TIP_LINK, robot_urdf

bullet = pytest.importorskip("pybullet", reason="PyBullet is not installed (extra: rigid)")

ARM = load_arm()


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    path = tmp_path_factory.mktemp("urdf") / "robot.urdf"
    path.write_text(robot_urdf(ARM))
    client = bullet.connect(bullet.DIRECT)
    body = bullet.loadURDF(str(path), useFixedBase=True, physicsClientId=client)
    yield client, body
    bullet.disconnect(client)


def joint_index(client, body, name):
    for index in range(bullet.getNumJoints(body, physicsClientId=client)):
        info = bullet.getJointInfo(body, index, physicsClientId=client)
        if name in (info[1].decode(), info[12].decode()):
            return index
    raise KeyError(name)


def test_the_engine_puts_the_tip_where_the_formulas_say(robot):
    client, body = robot
    rng = np.random.default_rng(4)
    tip = joint_index(client, body, TIP_LINK)
    for _ in range(50):
        joints = [rng.uniform(joint.min_rad, joint.max_rad) for joint in ARM.joints]
        for joint, angle in zip(ARM.joints, joints, strict=True):
            index = joint_index(client, body, joint.name)
            bullet.resetJointState(body, index, angle, physicsClientId=client)
        state = bullet.getLinkState(
            body, tip, computeForwardKinematics=True, physicsClientId=client
        )
        assert state[4] == pytest.approx(forward(ARM, joints)[:3], abs=1e-5)


def test_the_closed_solution_is_faster_and_misses_less(robot, capsys):
    client, body = robot
    rng = np.random.default_rng(5)
    tip = joint_index(client, body, TIP_LINK)
    moving = [joint_index(client, body, joint.name) for joint in ARM.joints]
    for index, angle in zip(moving, ARM.home, strict=True):
        bullet.resetJointState(body, index, angle, physicsClientId=client)
    targets = [
        forward(ARM, [rng.uniform(joint.min_rad, joint.max_rad) for joint in ARM.joints])
        for _ in range(300)
    ]
    started = time.perf_counter()
    ours = [solve(ARM, target) for target in targets]
    own_s = time.perf_counter() - started
    started = time.perf_counter()
    theirs = [
        bullet.calculateInverseKinematics(body, tip, target[:3], physicsClientId=client)[:5]
        for target in targets
    ]
    bullet_s = time.perf_counter() - started
    near = sum(
        float(np.linalg.norm(np.subtract(forward(ARM, found)[:3], target[:3]))) < 1e-3
        for found, target in zip(theirs, targets, strict=True)
    )
    with capsys.disabled():
        print(
            f"\nIK: {1e6 * own_s / 300:.0f} us against {1e6 * bullet_s / 300:.0f} us a target, "
            f"{bullet_s / own_s:.1f} times faster; within 1 mm: 300 against {near} of 300"
        )
    assert all(ours)
    assert own_s < bullet_s
