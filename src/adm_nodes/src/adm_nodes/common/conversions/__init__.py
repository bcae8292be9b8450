"""Core types to messages and back; functions only, and the only place where both meet.

Names say the direction: ``thing_to_msg`` and ``thing_from_msg``; ``_ros`` are types that standard
tools read. A message that cannot be the core's type raises ValueError.
"""

from adm_nodes.common.conversions.memory import (
    batch_from_msg,
    batch_to_msg,
    change_from_msg,
    change_to_msg,
    exposed_from_msg,
    exposed_to_msg,
    exposure_from_msg,
    exposure_to_msg,
    record_from_msg,
    record_to_msg,
)
from adm_nodes.common.conversions.places import (
    grid_from_msg,
    grid_to_msg,
    mission_from_msg,
    mission_map_from_msgs,
    mission_to_msg,
    pose_from_msg,
    pose_from_ros,
    pose_to_msg,
    pose_to_ros,
)
from adm_nodes.common.conversions.plans import (
    focus_from_msg,
    focus_to_msg,
    outcome_from_msg,
    outcome_to_msg,
    reason_from_msg,
    reason_to_msg,
    report_from_msg,
    report_to_msg,
    result_to_msg,
    snapshot_from_msg,
    snapshot_to_msg,
    step_from_msg,
    step_to_msg,
)

__all__ = [
    "batch_from_msg",
    "batch_to_msg",
    "change_from_msg",
    "change_to_msg",
    "exposed_from_msg",
    "exposed_to_msg",
    "exposure_from_msg",
    "exposure_to_msg",
    "focus_from_msg",
    "focus_to_msg",
    "grid_from_msg",
    "grid_to_msg",
    "mission_from_msg",
    "mission_map_from_msgs",
    "mission_to_msg",
    "outcome_from_msg",
    "outcome_to_msg",
    "pose_from_msg",
    "pose_from_ros",
    "pose_to_msg",
    "pose_to_ros",
    "reason_from_msg",
    "reason_to_msg",
    "record_from_msg",
    "record_to_msg",
    "report_from_msg",
    "report_to_msg",
    "result_to_msg",
    "snapshot_from_msg",
    "snapshot_to_msg",
    "step_from_msg",
    "step_to_msg",
]
