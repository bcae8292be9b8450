"""Grasp and place: pre-grasp, descent, closure, lift; and back into a station."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.manipulation.arm import ArmModel, Joints
from adm_core.manipulation.camera import Intrinsics, Mount
from adm_core.manipulation.colour import Picture, SegmentationConfig, segment
from adm_core.manipulation.kinematics import Reach, ToolPose, pitches
from adm_core.manipulation.motion import straight_line
from adm_core.manipulation.perception import ContainerKind
from adm_core.manipulation.sequence import (
    ArmEnd,
    ArmSequence,
    ArmState,
    Glance,
    Phase,
    SequenceConfig,
)


@dataclass(frozen=True)
class GraspConfig(Config):
    """Parameters of grasping and placing."""

    grip_height: float = param(0.60, "where to grip, as a share of the body's height", min=0.0)
    pitch_deg: float = param(25.0, "preferred slope of the hand", unit="deg", min=-90, max=90)
    lowest_pitch_deg: float = param(5.0, "flattest slope", unit="deg", min=-90, max=90)
    highest_pitch_deg: float = param(60.0, "steepest slope", unit="deg", min=-90, max=90)
    reach_past_m: float = param(0.004, "fingertips beyond the axis", unit="m", min=-0.02, max=0.05)
    back_off_m: float = param(0.075, "pre-grasp before the grasp", unit="m", min=0.0, max=0.3)
    lift_m: float = param(0.06, "straight lift after closing", unit="m", min=0.0, max=0.3)
    squeeze_m: float = param(0.024, "commanded below the diameter", unit="m", min=0.0, max=0.05)
    slack_m: float = param(0.010, "measured width against the diameter", unit="m", min=0.001)
    drop_height_m: float = param(0.02, "lowest point over the station", unit="m", min=0.0)
    in_hand_share: float = param(0.25, "share of the hand's place in its colour", min=0.0, max=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.slack_m < self.squeeze_m:
            raise ConfigError(
                f"slack_m must be < squeeze_m, or an empty hand looks full: got {self.slack_m} "
                f"and {self.squeeze_m}"
            )


#: Where the arm is too short for the whole back-off and lift, less of both will do.
_BACK_OFF_SHARES = (1.0, 0.7, 0.5)


@dataclass(frozen=True)
class _Way:
    """Joints along the hand's own axis to a place, and from there straight up."""

    towards: list[Joints]
    upwards: list[Joints]


@dataclass(frozen=True)
class Grasping:
    """Everything that grasps and places are made from."""

    arm: ArmModel
    config: GraspConfig = field(default_factory=GraspConfig)
    sequence: SequenceConfig = field(default_factory=SequenceConfig)

    def grasp(self, axis: Sequence[float], kind: ContainerKind, state: ArmState) -> ArmSequence:
        """Return the sequence that fetches an upright container.

        Parameters
        ----------
        axis : sequence of two or more float
            Its axis (x, y) in the robot's frame, metres.
        kind : ContainerKind
            Its size.
        state : ArmState
            Present posture.

        Returns
        -------
        ArmSequence
            It ends at once with ``UNREACHABLE`` where no posture or straight way leads there.
        """
        way = self._way(axis, self.config.grip_height * kind.height_m, state)
        if way is None:
            return self._refusal()
        line, up = way.towards, way.upwards
        wide = self.arm.gripper.open_width
        shut = max(0.0, 2 * kind.radius_m - self.config.squeeze_m)
        holds = _Holds(2 * kind.radius_m, self.config.slack_m)
        return ArmSequence(
            self.arm,
            self.sequence,
            [
                Phase("pre_grasp", (line[0],), wide),
                Phase("descent", tuple(line[1:]), wide, slow=True),
                Phase("closure", (), shut, slow=True, grips=True, check=holds.after_closing),
                Phase("lift", tuple(up[1:]), shut, slow=True, check=holds.after_lifting),
                Phase("carry", (self.arm.carry,), shut, check=holds.after_lifting),
                Phase("look", (), shut, looks=True, check=_seen_in_hand),
            ],
        )

    def place(self, spot: Sequence[float], kind: ContainerKind, state: ArmState) -> ArmSequence:
        """Return the sequence that sets the held container down.

        Parameters
        ----------
        spot : sequence of three float
            Where its foot shall stand: x, y, and the height of the station's floor, metres.
        kind : ContainerKind
            Its size.
        state : ArmState
            Present posture; the gap tells whether anything is held.

        Returns
        -------
        ArmSequence
            It ends at once with ``EMPTY`` where nothing is held, or ``UNREACHABLE``.
        """
        holds = _Holds(2 * kind.radius_m, self.config.slack_m)
        if holds.after_lifting(state, None) is not ArmEnd.NONE:
            return self._refusal(ArmEnd.EMPTY)
        height = spot[2] + self.config.grip_height * kind.height_m + self.config.drop_height_m
        way = self._way(spot, height, state)
        if way is None:
            return self._refusal()
        down, back = way.upwards[::-1], way.towards[::-1]
        shut = max(0.0, 2 * kind.radius_m - self.config.squeeze_m)
        wide = self.arm.gripper.open_width
        opened = _Opened(wide, self.config.slack_m)
        return ArmSequence(
            self.arm,
            self.sequence,
            [
                Phase("reach_over", (down[0],), shut, check=holds.after_lifting),
                Phase("lower", tuple(down[1:]), shut, slow=True, check=holds.after_lifting),
                Phase("release", (), wide, grips=True, check=opened.check),
                Phase("retreat", tuple(back[1:]), wide, slow=True),
                Phase("home", (self.arm.home,), wide),
                Phase("look", (), wide, looks=True, check=_hand_is_empty),
            ],
        )

    def _way(self, axis: Sequence[float], height: float, state: ArmState) -> _Way | None:
        """Return the way to a place at the best pitch from which the whole of it is possible."""
        config = self.config
        bearing = math.atan2(axis[1], axis[0])
        far = math.hypot(axis[0], axis[1]) + config.reach_past_m
        x, y = far * math.cos(bearing), far * math.sin(bearing)
        for share in _BACK_OFF_SHARES:
            for pitch in pitches(
                math.radians(config.pitch_deg),
                math.radians(config.lowest_pitch_deg),
                math.radians(config.highest_pitch_deg),
                math.radians(5.0),
            ):
                way = self._way_at(ToolPose(x, y, height, pitch), share, state)
                if way is not None:
                    return way
        return None

    def _way_at(self, hand: ToolPose, share: float, state: ArmState) -> _Way | None:
        towards = straight_line(
            self.arm, _moved(hand, -share * self.config.back_off_m), hand, state.joints
        )
        if isinstance(towards, Reach):
            return None
        upwards = straight_line(
            self.arm, hand, _raised(hand, share * self.config.lift_m), towards[-1]
        )
        return None if isinstance(upwards, Reach) else _Way(towards, upwards)

    def _refusal(self, end: ArmEnd = ArmEnd.UNREACHABLE) -> ArmSequence:
        return ArmSequence(self.arm, self.sequence, [], end)


@dataclass(frozen=True)
class _Holds:
    """Gripper position as a witness: the fingers stop at the object's diameter."""

    diameter: float
    slack: float

    def after_closing(self, state: ArmState, glance: Glance | None) -> ArmEnd:
        if state.width < self.diameter - self.slack:
            return ArmEnd.MISSED
        return ArmEnd.JAMMED if state.width > self.diameter + self.slack else ArmEnd.NONE

    def after_lifting(self, state: ArmState, glance: Glance | None) -> ArmEnd:
        return ArmEnd.DROPPED if state.width < self.diameter - self.slack else ArmEnd.NONE


@dataclass(frozen=True)
class _Opened:
    width: float
    slack: float

    def check(self, state: ArmState, glance: Glance | None) -> ArmEnd:
        return ArmEnd.NONE if state.width > self.width - self.slack else ArmEnd.NOT_RELEASED


def _seen_in_hand(state: ArmState, glance: Glance | None) -> ArmEnd:
    return ArmEnd.NONE if glance and glance.in_hand else ArmEnd.NOT_SEEN


def _hand_is_empty(state: ArmState, glance: Glance | None) -> ArmEnd:
    return ArmEnd.NOT_RELEASED if glance and glance.in_hand else ArmEnd.NONE


def _moved(hand: ToolPose, along_m: float) -> ToolPose:
    """Return the pose shifted along the hand's own axis."""
    bearing = math.atan2(hand.y, hand.x)
    out = along_m * math.cos(hand.pitch)
    return hand._replace(
        x=hand.x + out * math.cos(bearing),
        y=hand.y + out * math.sin(bearing),
        z=hand.z - along_m * math.sin(hand.pitch),
    )


def _raised(hand: ToolPose, by_m: float) -> ToolPose:
    return hand._replace(z=hand.z + by_m)


def is_in_hand(
    picture: Picture,
    camera: Intrinsics,
    mount: Mount,
    tip: Sequence[float],
    kind: ContainerKind,
    config: GraspConfig,
) -> bool:
    """Tell from a picture whether a container of a class is between the fingers.

    Only colours are asked: what is held is often nearer than the camera can measure.

    Parameters
    ----------
    picture : uint8[rows, cols, 3]
        Blue, green, red.
    camera, mount : Intrinsics, Mount
        The camera in the robot's frame when the picture was taken.
    tip : sequence of three float
        Fingertips in the robot's frame at that time, metres.
    kind : ContainerKind
        What should be there.
    config : GraspConfig
        Least share of the hand's surroundings in its colour.
    """
    ahead = mount.to_optical(np.asarray(tip, np.float64))
    if ahead[2] <= 0:
        return False
    column, row = camera.project(ahead)
    radius = camera.fx * kind.radius_m / ahead[2]
    rows, cols = np.ogrid[: camera.height, : camera.width]
    place = (rows - row) ** 2 + (cols - column) ** 2 <= radius**2
    if not place.any():
        return False
    blobs = segment(picture, kind.label, kind.ranges, SegmentationConfig())
    share = max((np.count_nonzero(blob.mask & place) for blob in blobs), default=0)
    return bool(share >= config.in_hand_share * np.count_nonzero(place))
