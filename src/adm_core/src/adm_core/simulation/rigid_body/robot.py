"""The robot in the engine: planar base, five joints, fingers that hold by contact, lidar."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core.manipulation.arm import ArmModel, Joints
from adm_core.manipulation.camera import Mount
from adm_core.manipulation.kinematics import camera_in_base
from adm_core.manipulation.sequence import ArmState
from adm_core.manipulation.servo import Twist
from adm_core.manipulation.urdf import FINGERS, robot_urdf
from adm_core.simulation.rigid_body.engine import Engine
from adm_core.types import Pose2D

_GREY = (0.23, 0.23, 0.25, 1.0)
_BASE = ("slide_x", "slide_y", "spin")
_PUSH_N, _SPIN_NM = 60.0, 15.0
_RAY_FROM_M, _RAY_TO_M = 0.17, 5.0
_HOLD_N = 40.0
_FINGER_N = 12.0
_OPENING_M = 0.004  # commanded gap beyond the held one that counts as letting go


class Grip(NamedTuple):
    """A container between the fingers: its body, the joint that holds it, the gap."""

    body: int
    constraint: int
    width: float


class Robot:
    """Robot on three planar joints: it slides and turns on the floor, and collides for real.

    Parameters
    ----------
    engine : Engine
        The physics.
    arm : ArmModel
        Kinematics; the body is generated from it.
    start : Pose2D
        Where it begins.
    base : str
        ``differential`` refuses to move sideways, ``mecanum`` does not.
    """

    def __init__(self, engine: Engine, arm: ArmModel, start: Pose2D, base: str) -> None:
        self.arm = arm
        self.grip: Grip | None = None
        self._engine = engine
        self._sideways = base == "mecanum"
        self.body = _load(engine, arm)
        names = {
            engine.getJointInfo(self.body, index)[1].decode(): index
            for index in range(engine.getNumJoints(self.body))
        }
        self._base = [names[name] for name in _BASE]
        self._arm = [names[joint.name] for joint in arm.joints]
        self._fingers = [names[name] for name in FINGERS]
        self._hand = self._arm[-1]
        for index, value in zip(self._base, start, strict=True):
            engine.resetJointState(self.body, index, value)
        for index, value in zip(self._arm, arm.home, strict=True):
            engine.resetJointState(self.body, index, value)
        for index in self._fingers:
            engine.resetJointState(self.body, index, arm.gripper.open_width / 2)
            engine.changeDynamics(self.body, index, lateralFriction=1.2)
        for index in range(-1, len(names)):
            engine.changeVisualShape(self.body, index, rgbaColor=_GREY)
        self._twist = Twist()
        self.command_arm(arm.home, arm.gripper.open_width)
        self.drive(Twist())

    # -- state ----------------------------------------------------------------------------------

    def pose(self) -> Pose2D:
        """Return where the robot really is."""
        x, y, yaw = (item[0] for item in self._engine.getJointStates(self.body, self._base))
        return Pose2D(x, y, math.remainder(yaw, 2 * math.pi))

    def state(self) -> ArmState:
        """Return joint angles and the gap between the fingers, as the servos measure them."""
        values = [
            item[0] for item in self._engine.getJointStates(self.body, self._arm + self._fingers)
        ]
        joints: Joints = (values[0], values[1], values[2], values[3], values[4])
        return ArmState(joints, values[5] + values[6])

    def camera(self) -> Mount:
        """Return the wrist camera in the robot's frame, by the measured joints."""
        return Mount(*camera_in_base(self.arm, self.state().joints))

    # -- commands -------------------------------------------------------------------------------

    def drive(self, twist: Twist) -> None:
        """Set the velocity; it holds until the next command."""
        self._twist = twist if self._sideways else twist._replace(left=0.0)
        self.refresh()

    def refresh(self) -> None:
        """Turn the velocity of the robot's frame into that of the joints; call it often."""
        yaw = self._engine.getJointState(self.body, self._base[2])[0]
        cos, sin = math.cos(yaw), math.sin(yaw)
        ahead, left, turn = self._twist
        self._engine.setJointMotorControlArray(
            self.body,
            self._base,
            self._engine.VELOCITY_CONTROL,
            targetVelocities=[cos * ahead - sin * left, sin * ahead + cos * left, turn],
            forces=[_PUSH_N, _PUSH_N, _SPIN_NM],
        )

    def command_arm(self, joints: Sequence[float], width: float) -> None:
        """Set joint angles and gap to go to."""
        self._engine.setJointMotorControlArray(
            self.body,
            self._arm,
            self._engine.POSITION_CONTROL,
            targetPositions=list(joints),
            forces=[20.0] * 5,
            positionGains=[0.25] * 5,
            velocityGains=[1.0] * 5,
        )
        self._engine.setJointMotorControlArray(
            self.body,
            self._fingers,
            self._engine.POSITION_CONTROL,
            targetPositions=[width / 2, width / 2],
            forces=[_FINGER_N, _FINGER_N],
            positionGains=[0.1, 0.1],
        )
        if self.grip is not None and width > self.grip.width + _OPENING_M:
            self.release()

    # -- gripping -------------------------------------------------------------------------------

    def feel(self, containers: Sequence[int], closing: bool) -> None:
        """Hold a container once both fingers press on it (contact-gated grasp)."""
        if self.grip is not None or not closing:
            return
        for body in containers:
            if all(self._presses(body, finger) for finger in self._fingers):
                self.grip = self._hold(body)
                return

    def _presses(self, body: int, finger: int) -> bool:
        points = self._engine.getContactPoints(self.body, body, finger)
        return any(point[9] > 0.2 for point in points)

    def _hold(self, body: int) -> Grip:
        """Tie the container to the hand as it is: friction would let it creep."""
        hand = self._engine.getLinkState(self.body, self._hand, computeForwardKinematics=True)
        thing = self._engine.getBasePositionAndOrientation(body)
        inverse = self._engine.invertTransform(hand[0], hand[1])
        place, turned = self._engine.multiplyTransforms(*inverse, *thing)
        tie = self._engine.createConstraint(
            self.body,
            self._hand,
            body,
            -1,
            self._engine.JOINT_FIXED,
            (0, 0, 0),
            place,
            (0, 0, 0),
            turned,
            (0, 0, 0, 1),
        )
        self._engine.changeConstraint(tie, maxForce=_HOLD_N)
        return Grip(body, tie, self.state().width)

    def release(self) -> None:
        """Let go of what is held."""
        if self.grip is not None:
            self._engine.removeConstraint(self.grip.constraint)
            self.grip = None

    # -- lidar ----------------------------------------------------------------------------------

    def scan(self, rays: int) -> npt.NDArray[np.float64]:
        """Return ranges float64[rays] from the robot's centre, counter-clockwise from ahead.

        Metres; inf where nothing is met.
        """
        x, y, yaw = self.pose()
        angles = yaw + np.arange(rays) * (2 * math.pi / rays)
        way = np.stack([np.cos(angles), np.sin(angles), np.zeros(rays)], axis=1)
        origin = np.array([x, y, self.arm.base.lidar_height])
        hits = self._engine.rayTestBatch(
            (origin + _RAY_FROM_M * way).tolist(), (origin + _RAY_TO_M * way).tolist()
        )
        share = np.array([hit[2] if hit[0] != self.body else 1.0 for hit in hits])
        ranges = _RAY_FROM_M + share * (_RAY_TO_M - _RAY_FROM_M)
        return np.where(share < 1.0, ranges, np.inf)


def _load(engine: Engine, arm: ArmModel) -> int:
    with tempfile.TemporaryDirectory(prefix="adm-robot-") as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(planar_urdf(arm), "utf-8")
        return int(engine.loadURDF(str(path), useFixedBase=True))


def planar_urdf(arm: ArmModel) -> str:
    """Return the robot's URDF on two sliding joints and one turning one."""
    head = f'<robot name="{arm.name}">\n'
    links = "".join(_stub(name) for name in ("ground", "carriage", "turntable"))
    limit = '<limit lower="-100" upper="100" effort="1000" velocity="5"/>'
    joints = "".join(
        f'  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/>{limit}</joint>\n'
        for name, kind, parent, child, axis in (
            ("slide_x", "prismatic", "ground", "carriage", "1 0 0"),
            ("slide_y", "prismatic", "carriage", "turntable", "0 1 0"),
            ("spin", "continuous", "turntable", "base", "0 0 1"),
        )
    )
    return robot_urdf(arm).replace(head, head + links + joints)


def _stub(name: str) -> str:
    inertia = '<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/>'
    return f'  <link name="{name}"><inertial><mass value="0.05"/>{inertia}</inertial></link>\n'
