"""What robots and cameras report: sightings, reports over a bridge, a drone's state."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from adm_core.aerial.estimate import Whereabouts
from adm_core.aerial.flight import FlightStatus
from adm_core.aerial.sightings import Sighting
from adm_core.manipulation.perception import Target
from adm_core.memory.records import EvidenceBatch
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseWithCovarianceStamped

import adm_interfaces.msg as msgs
from adm_nodes.common.conversions.memory import batch_from_msg, batch_to_msg


def sightings_to_msg(
    seen: Sequence[Sighting], stamp: Time, frame_id: str, source_id: str
) -> msgs.Sightings:
    """Return what a drone's picture shows."""
    items = []
    for item in seen:
        covariance = np.zeros((3, 3))
        covariance[:2, :2] = item.covariance
        x, y = item.place
        items.append(
            msgs.Sighting(
                label=item.label,
                x=x,
                y=y,
                covariance=covariance.ravel(),
                confidence=item.confidence,
                entity_id=item.entity_id,
            )
        )
    return _sightings(items, stamp, frame_id, source_id)


def targets_to_msg(
    targets: Sequence[Target], stamp: Time, frame_id: str, source_id: str, confidence: float
) -> msgs.Sightings:
    """Return what a depth camera's picture shows."""
    items = [
        msgs.Sighting(
            label=item.label,
            x=float(item.position[0]),
            y=float(item.position[1]),
            z=float(item.position[2]),
            covariance=np.asarray(item.covariance, np.float64).ravel(),
            confidence=confidence,
        )
        for item in targets
    ]
    return _sightings(items, stamp, frame_id, source_id)


def _sightings(
    items: list[msgs.Sighting], stamp: Time, frame_id: str, source_id: str
) -> msgs.Sightings:
    message = msgs.Sightings(source_id=source_id, sightings=items)
    message.header.stamp, message.header.frame_id = stamp, frame_id
    return message


def robot_report_to_msg(
    batch: EvidenceBatch, number: int, stamp: Time, sigma_m: float
) -> msgs.RobotReport:
    """Return evidence that has no place in a mission's order yet, as robots send it."""
    inner = batch_to_msg(batch)
    message = msgs.RobotReport(
        number=number,
        source=inner.source,
        source_id=inner.source_id,
        map_id=inner.map_id,
        position_sigma_m=sigma_m,
        detections=inner.detections,
        footprint=inner.footprint,
    )
    message.header.stamp, message.header.frame_id = stamp, inner.frame_id
    return message


def robot_report_from_msg(message: msgs.RobotReport, stamp: float, seq: int = 0) -> EvidenceBatch:
    """Return the evidence of a report, measured at `stamp` of mission time.

    ValueError if its source or its footprint are malformed.
    """
    if len(message.footprint) > 1:
        raise ValueError(f"footprint must be none or one, got {len(message.footprint)}")
    return batch_from_msg(
        msgs.EvidenceBatch(
            seq=seq,
            source=message.source,
            source_id=message.source_id,
            stamp=stamp,
            detections=message.detections,
            frame_id=message.header.frame_id,
            map_id=message.map_id,
            footprint=message.footprint,
        )
    )


def drone_status_to_msg(status: FlightStatus, source_id: str) -> msgs.DroneStatus:
    """Return one moment of a drone; the header is the caller's."""
    pose, told = status.known.pose, status.told
    return msgs.DroneStatus(
        source_id=source_id,
        phase=status.phase.value,
        reason=status.reason.value,
        text=status.text,
        visited=status.visited,
        planned=status.planned,
        battery=-1 if told is None else told.battery,
        height_m=math.nan if told is None else told.height_m,
        pose=msgs.PlanarPose(x=pose.x, y=pose.y, yaw=pose.yaw),
        covariance=status.known.covariance.ravel(),
    )


def drone_pose_to_ros(known: Whereabouts) -> PoseWithCovarianceStamped:
    """Return where a drone believes to be, for standard tools; the header is the caller's."""
    message = PoseWithCovarianceStamped()
    pose = message.pose.pose
    pose.position.x, pose.position.y, pose.position.z = known.pose[:3]
    pose.orientation.z = math.sin(known.pose.yaw / 2)
    pose.orientation.w = math.cos(known.pose.yaw / 2)
    covariance = np.zeros((6, 6))
    covariance[np.ix_((0, 1, 5), (0, 1, 5))] = known.covariance
    message.pose.covariance = covariance.ravel()
    return message
