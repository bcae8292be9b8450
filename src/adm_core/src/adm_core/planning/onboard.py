"""What the robot's own camera sees, as evidence in the map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adm_core.manipulation.camera import Floats, Intrinsics
from adm_core.manipulation.certainty import place_confidence
from adm_core.manipulation.perception import Target
from adm_core.memory.records import Detection, EvidenceBatch, Source
from adm_core.types import Pose2D

#: What is higher does not stand on the floor: it is in the gripper, or on a tray of the robot.
_STANDING_M = 0.16


@dataclass(frozen=True)
class RobotPlace:
    """Where the robot is, and how certain.

    Attributes
    ----------
    pose : Pose2D
        In the map frame.
    sigma_m, sigma_rad : float
        Standard deviations of place and heading.
    """

    pose: Pose2D
    sigma_m: float
    sigma_rad: float

    def in_map(self, target: Target) -> tuple[Pose2D, Floats]:
        """Return a target's place in the map, and its covariance float64[2, 2]."""
        x, y, yaw = self.pose
        cos, sin = math.cos(yaw), math.sin(yaw)
        turn = np.array([[cos, -sin], [sin, cos]])
        arm = turn @ target.position[:2]
        swing = np.array([-arm[1], arm[0]])
        covariance = (
            turn @ target.covariance[:2, :2] @ turn.T
            + self.sigma_m**2 * np.eye(2)
            + self.sigma_rad**2 * np.outer(swing, swing)
        )
        return Pose2D(x + float(arm[0]), y + float(arm[1])), covariance


@dataclass(frozen=True)
class OnboardSensor:
    """Which sightings of a wrist camera count, and for how much.

    Attributes
    ----------
    source_id : str
        Name in reports.
    confidence : float
        How sure a sighting is.
    place_tolerance_m : float
        A sighting counts for as much as its place is likely this near.
    sight_m : float
        How far sightings count.
    """

    source_id: str
    confidence: float = 0.95
    place_tolerance_m: float = 0.15
    sight_m: float = 0.8

    def report(
        self,
        targets: Sequence[Target],
        camera: Intrinsics,
        robot: RobotPlace,
        stamp: float,
        map_id: str = "",
        frame_id: str = "map",
    ) -> EvidenceBatch:
        """Return the evidence of one picture; it says nothing of what it does not show.

        What the picture cuts off at a side is left out, since its middle is not where it seems.
        """
        seen = []
        for target in targets:
            ahead, left, height = map(float, target.position)
            if math.hypot(ahead, left) > self.sight_m or height >= _STANDING_M:
                continue
            if _is_cut_sideways(target, camera):
                continue
            place, covariance = robot.in_map(target)
            sure = self.confidence * place_confidence(covariance, self.place_tolerance_m)
            seen.append(Detection(target.label, place, sure))
        return EvidenceBatch(
            0, Source.ONBOARD, self.source_id, stamp, tuple(seen), frame_id, map_id
        )


def _is_cut_sideways(target: Target, camera: Intrinsics) -> bool:
    left, _, width, _ = target.blob.box
    return left == 0 or left + width == camera.width
