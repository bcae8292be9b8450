"""URDF of the robot in primitives, from the same file as its kinematics."""

from __future__ import annotations

import math

from adm_core.manipulation.arm import ArmModel, Joint

#: Names of the links that carry something.
CAMERA_LINK, TIP_LINK = "camera_link", "tip"
FINGERS = ("left_finger_joint", "right_finger_joint")

_ARM_MASS = 0.18  # a servo and its bracket
_HAND_THICKNESS = 0.03
_LINK_WIDTH = 0.036
_FINGER_MASS = 0.04
_STIFF = 20.0  # newton metres: the servo's stall torque is about 3.5, its gears hold more


def robot_urdf(arm: ArmModel) -> str:
    """Return the robot as URDF: chassis, five links, two fingers, camera frame and tip.

    The root link ``base`` lies on the floor under joint 1, so poses agree with
    :mod:`~adm_core.manipulation.kinematics`. Fingers are prismatic along y; each travels half of
    the gripper's width. The frame ``camera_link`` is the optical one, ``tip`` the fingertips.
    """
    parts = [
        _chassis(arm),
        _link("link1", _cylinder(0.03, 0.06, f"0 0 {-0.03}"), _ARM_MASS),
        _revolute(arm.joints[0], "base", "link1", f"0 0 {arm.shoulder_height}", "0 0 1"),
        _link("link2", _bar(arm.upper), _ARM_MASS),
        _revolute(arm.joints[1], "link1", "link2", "0 0 0", "0 1 0"),
        _link("link3", _bar(arm.fore), _ARM_MASS),
        _revolute(arm.joints[2], "link2", "link3", f"{arm.upper} 0 0", "0 1 0"),
        _link("link4", _bar(arm.wrist), _ARM_MASS),
        _revolute(
            arm.joints[3], "link3", "link4", f"{arm.fore} 0 0", "0 1 0", f"0 {math.pi / 2} 0"
        ),
        _hand(arm),
        _revolute(arm.joints[4], "link4", "hand", f"{arm.wrist} 0 0", "1 0 0"),
        *(_finger(arm, side) for side in (1, -1)),
        _frame("tip", "hand", f"{arm.tool} 0 0"),
        _frame(
            CAMERA_LINK,
            "link4",
            f"{arm.camera_forward} 0 {arm.camera_up}",
            f"{-math.pi / 2} 0 {-math.pi / 2}",
        ),
    ]
    return f'<?xml version="1.0"?>\n<robot name="{arm.name}">\n' + "".join(parts) + "</robot>\n"


def _chassis(arm: ArmModel) -> str:
    base = arm.base
    middle = base.clearance + base.height / 2
    mast = arm.shoulder_height - 0.06 - base.clearance - base.height
    shapes = _box(base.length, base.width, base.height, f"0 0 {middle}")
    shapes += _cylinder(0.035, mast, f"0 0 {base.clearance + base.height + mast / 2}")
    return _link("base", shapes, base.mass, f"0 0 {middle}", inertia=0.04)


def _hand(arm: ArmModel) -> str:
    """Return the palm: it ends where the finger pads begin."""
    palm = arm.tool - arm.gripper.finger[0]
    shapes = _box(palm, arm.gripper.open_width * 0.9, _HAND_THICKNESS, f"{palm / 2} 0 0")
    return _link("hand", shapes, _ARM_MASS)


def _finger(arm: ArmModel, side: int) -> str:
    name = FINGERS[0] if side > 0 else FINGERS[1]
    travel = arm.gripper.open_width / 2
    link = name.removesuffix("_joint")
    length, thickness, height = arm.gripper.finger
    shapes = _box(length, thickness, height, f"0 {side * thickness / 2} 0")
    joint = f"""  <joint name="{name}" type="prismatic">
    <parent link="hand"/><child link="{link}"/>
    <origin xyz="{arm.tool - length / 2} 0 0"/><axis xyz="0 {side} 0"/>
    <limit lower="0" upper="{travel}" effort="{arm.gripper.max_force}" velocity="0.2"/>
  </joint>
"""
    return _link(link, shapes, _FINGER_MASS) + joint


def _link(name: str, shapes: str, mass: float, at: str = "0 0 0", inertia: float = 4e-4) -> str:
    return f"""  <link name="{name}">
    <inertial><origin xyz="{at}"/><mass value="{mass}"/>
      <inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial>
{shapes}  </link>
"""


def _revolute(
    joint: Joint, parent: str, child: str, at: str, axis: str, turned: str = "0 0 0"
) -> str:
    return f"""  <joint name="{joint.name}" type="revolute">
    <parent link="{parent}"/><child link="{child}"/>
    <origin xyz="{at}" rpy="{turned}"/><axis xyz="{axis}"/>
    <limit lower="{joint.min_rad}" upper="{joint.max_rad}" effort="{_STIFF}" velocity="6"/>
  </joint>
"""


def _frame(name: str, parent: str, at: str, turned: str = "0 0 0") -> str:
    """Return a massless frame; a tiny inertia keeps engines from inventing one."""
    return (
        _link(name, "", 1e-4, inertia=1e-7)
        + f"""  <joint name="{name}_mount" type="fixed">
    <parent link="{parent}"/><child link="{name}"/><origin xyz="{at}" rpy="{turned}"/>
  </joint>
"""
    )


def _bar(length: float) -> str:
    """Return a bar along x that leaves room for its neighbours at both ends."""
    return _box(max(length - 0.03, 0.02), _LINK_WIDTH, _LINK_WIDTH, f"{length / 2} 0 0")


def _box(x: float, y: float, z: float, at: str) -> str:
    return _shape(f'<box size="{x} {y} {z}"/>', at)


def _cylinder(radius: float, length: float, at: str) -> str:
    return _shape(f'<cylinder radius="{radius}" length="{length}"/>', at)


def _shape(geometry: str, at: str) -> str:
    return "".join(
        f'    <{kind}><origin xyz="{at}"/><geometry>{geometry}</geometry></{kind}>\n'
        for kind in ("visual", "collision")
    )
