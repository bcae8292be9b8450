"""Model of a robot with a five-joint arm: lengths, limits and servo pulses, from one file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from adm_core.errors import ConfigError
from adm_core.files import parse_yaml

#: Angles of the five joints in radians.
Joints = tuple[float, float, float, float, float]

_PULSES = 1000.0


@dataclass(frozen=True)
class Joint:
    """One revolute joint and its servo.

    Attributes
    ----------
    name : str
        As in ``joint_states``.
    servo : int
        Id on the bus.
    min_rad, max_rad : float
        Limits.
    zero_rad, rad_per_pulse : float
        Angle at pulse 0, and its change per pulse (negative: the servo is mounted reversed).
    """

    name: str
    servo: int
    min_rad: float
    max_rad: float
    zero_rad: float
    rad_per_pulse: float

    def contains(self, angle_rad: float) -> bool:
        """Tell whether an angle is within the limits (a billionth of rounding is forgiven)."""
        return self.min_rad - 1e-9 <= angle_rad <= self.max_rad + 1e-9

    def pulse(self, angle_rad: float) -> int:
        """Return the servo pulse nearest to an angle; raise ValueError if out of limits."""
        if not self.contains(angle_rad):
            raise ValueError(
                f"{self.name} must be in [{self.min_rad:.4f}, {self.max_rad:.4f}] rad, "
                f"got {angle_rad:.4f}"
            )
        pulse = round((angle_rad - self.zero_rad) / self.rad_per_pulse)
        return int(min(max(pulse, 0), _PULSES))

    def angle(self, pulse: float) -> float:
        """Return the angle in radians of a servo pulse; raise ValueError outside 0..1000."""
        if not 0 <= pulse <= _PULSES:
            raise ValueError(f"pulse of {self.name} must be in [0, 1000], got {pulse}")
        return self.zero_rad + self.rad_per_pulse * pulse


@dataclass(frozen=True)
class Gripper:
    """Parallel gripper; width over pulse is linear. Lengths in metres, force in newton."""

    servo: int
    open_pulse: int
    closed_pulse: int
    open_width: float
    finger: tuple[float, float, float]
    max_force: float

    def width(self, pulse: float) -> float:
        """Return the gap in metres between the pads at a servo pulse, never below 0."""
        share = (self.closed_pulse - pulse) / (self.closed_pulse - self.open_pulse)
        return max(0.0, share * self.open_width)

    def pulse(self, width: float) -> int:
        """Return the servo pulse of a gap in metres; raise ValueError if it cannot open so far."""
        if not 0 <= width <= self.open_width:
            raise ValueError(f"width must be in [0, {self.open_width}] m, got {width}")
        span = self.closed_pulse - self.open_pulse
        return round(self.closed_pulse - span * width / self.open_width)


@dataclass(frozen=True)
class Chassis:
    """Box of the base and height of the lidar's plane; metres and kilograms."""

    length: float
    width: float
    height: float
    clearance: float
    mass: float
    lidar_height: float


@dataclass(frozen=True)
class ArmModel:
    """Kinematics of the robot in its base frame (on the floor under joint 1, x ahead, z up).

    Attributes
    ----------
    shoulder_height, upper, fore, wrist, tool : float
        Lengths in metres: floor-shoulder, shoulder-elbow, elbow-wrist, wrist-fifth joint, and
        from there to the fingertips.
    joints : tuple of Joint
        The five joints from the base on.
    max_speed : float
        Joint speed in rad/s.
    home, carry : Joints
        Postures: looking ahead, and holding a container.
    camera_forward, camera_up : float
        Place of the camera's optical centre on the fourth link, in metres from the wrist along
        the tool axis and above it.
    gripper, base : Gripper, Chassis
        The rest of the robot.
    """

    name: str
    shoulder_height: float
    upper: float
    fore: float
    wrist: float
    tool: float
    joints: tuple[Joint, ...]
    max_speed: float
    home: Joints
    carry: Joints
    camera_forward: float
    camera_up: float
    gripper: Gripper
    base: Chassis

    @property
    def hand(self) -> float:
        """Length in metres from the wrist to the fingertips."""
        return self.wrist + self.tool

    def within_limits(self, joints: Sequence[float]) -> bool:
        """Tell whether all five angles are within their limits."""
        return all(joint.contains(angle) for joint, angle in zip(self.joints, joints, strict=True))

    def to_pulses(self, joints: Sequence[float]) -> tuple[int, ...]:
        """Return the servo pulses of five angles; raise ValueError if one is out of limits."""
        return tuple(j.pulse(angle) for j, angle in zip(self.joints, joints, strict=True))

    def from_pulses(self, pulses: Sequence[float]) -> Joints:
        """Return the angles of five servo pulses; raise ValueError outside 0..1000."""
        first, second, third, fourth, fifth = (
            joint.angle(pulse) for joint, pulse in zip(self.joints, pulses, strict=True)
        )
        return first, second, third, fourth, fifth


@cache
def load_arm(name: str = "jetrover") -> ArmModel:
    """Return a robot's model by its name, or from a YAML file like ``profiles/jetrover.yaml``.

    Raises
    ------
    ConfigError
        If there is no such robot, or the file lacks something or holds it wrong.
    """
    document = _read(name)
    try:
        return _model(document)
    except (AttributeError, LookupError, TypeError, ValueError) as err:
        raise ConfigError(f"robot {name}: {type(err).__name__}: {err}") from err


def _read(name: str) -> Mapping[str, Any]:
    try:
        if name == "jetrover":
            text = resources.files("adm_core").joinpath(f"profiles/{name}.yaml").read_text("utf-8")
        else:
            text = Path(name).read_text("utf-8")
        document = parse_yaml(text)
    except OSError as err:
        raise ConfigError(f"robot must be jetrover or a YAML file, got {name!r}") from err
    except ValueError as err:
        raise ConfigError(f"robot {name} is not YAML: {err}") from err
    if not isinstance(document, dict):
        raise ConfigError(f"robot {name} must be a mapping, got {type(document).__name__}")
    return document


def _model(document: Mapping[str, Any]) -> ArmModel:
    arm, camera = document["arm"], document["camera"]
    joints = tuple(_joint(item) for item in arm["joints"])
    if len(joints) != 5:
        raise ValueError(f"joints must be 5, got {len(joints)}")
    lengths = {name: _length(arm, name) for name in ("upper", "fore", "wrist", "tool")}
    gripper = dict(document["gripper"])
    gripper["finger"] = tuple(gripper["finger"])
    model = ArmModel(
        name=str(document["name"]),
        shoulder_height=_length(arm, "shoulder_height"),
        **lengths,
        joints=joints,
        max_speed=math.radians(arm["max_speed"]),
        home=_posture(joints, arm["home"]),
        carry=_posture(joints, arm["carry"]),
        camera_forward=float(camera["forward"]),
        camera_up=float(camera["up"]),
        gripper=Gripper(**gripper),
        base=Chassis(
            **{item.name: _length(document["base"], item.name) for item in fields(Chassis)}
        ),
    )
    for name in ("home", "carry"):
        if not model.within_limits(getattr(model, name)):
            raise ValueError(f"{name} must be within the joint limits")
    return model


def _joint(item: Mapping[str, Any]) -> Joint:
    angles = (math.radians(item[name]) for name in ("min", "max", "at_zero", "per_pulse"))
    joint = Joint(str(item["name"]), int(item["servo"]), *angles)
    if not joint.min_rad < joint.max_rad:
        raise ValueError(f"min of {joint.name} must be below its max")
    return joint


def _length(section: Mapping[str, Any], name: str) -> float:
    value = float(section[name])
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be finite and > 0, got {value}")
    return value


def _posture(joints: tuple[Joint, ...], pulses: Sequence[float]) -> Joints:
    first, second, third, fourth, fifth = (
        joint.angle(pulse) for joint, pulse in zip(joints, pulses, strict=True)
    )
    return first, second, third, fourth, fifth
