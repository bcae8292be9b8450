"""Poses, maps and static memory."""

from __future__ import annotations

import array

import numpy as np
from adm_core.memory.static import Mission, Region, Station
from adm_core.types import GridMap, Pose2D
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from nav_msgs.msg import OccupancyGrid

import adm_interfaces.msg as msgs
from adm_nodes.common.geometry import quaternion_from_yaw, yaw_from_quaternion


def pose_to_msg(pose: Pose2D) -> msgs.PlanarPose:
    """Return a pose as the exact message of ours."""
    return msgs.PlanarPose(x=pose.x, y=pose.y, yaw=pose.yaw)


def pose_from_msg(msg: msgs.PlanarPose) -> Pose2D:
    """Return the pose of a PlanarPose."""
    return Pose2D(msg.x, msg.y, msg.yaw)


def pose_to_ros(pose: Pose2D) -> Pose:
    """Return a pose as standard tools read it: z is 0, yaw as a quaternion."""
    message = Pose()
    message.position.x, message.position.y = pose.x, pose.y
    turn = message.orientation
    turn.x, turn.y, turn.z, turn.w = quaternion_from_yaw(pose.yaw)
    return message


def pose_from_ros(msg: Pose) -> Pose2D:
    """Return the planar part of a standard pose."""
    return planar(msg.position, msg.orientation)


def planar(place: Point | Vector3, turn: Quaternion) -> Pose2D:
    """Return the planar part of a position, or translation, and a rotation."""
    return Pose2D(place.x, place.y, yaw_from_quaternion(turn.x, turn.y, turn.z, turn.w))


def grid_to_msg(grid: GridMap) -> OccupancyGrid:
    """Return a map as an OccupancyGrid; its resolution is rounded to float32."""
    message = OccupancyGrid()
    message.header.frame_id = grid.frame_id
    message.info.resolution = grid.resolution
    message.info.height, message.info.width = grid.shape
    message.info.origin = pose_to_ros(grid.origin)
    message.data = array.array("b", grid.data.tobytes())
    return message


def grid_from_msg(
    msg: OccupancyGrid, resolution: float | None = None, origin: Pose2D | None = None
) -> GridMap:
    """Return the map of an OccupancyGrid.

    Parameters
    ----------
    msg : OccupancyGrid
        The map.
    resolution, origin : float, Pose2D, optional
        The exact values where they are known; default: those of the message.
    """
    rows, cols = msg.info.height, msg.info.width
    if len(msg.data) != rows * cols:
        raise ValueError(f"map must have {rows} x {cols} cells, got {len(msg.data)}")
    data = np.frombuffer(msg.data, dtype=np.int8).reshape(rows, cols)
    return GridMap(
        data,
        msg.info.resolution if resolution is None else resolution,
        pose_from_ros(msg.info.origin) if origin is None else origin,
        msg.header.frame_id,
    )


def mission_to_msg(
    mission: Mission, grid: GridMap, run_id: str, replaces: str = "", floor_grows: bool = False
) -> msgs.Mission:
    """Return static memory with the exact place of its map, and the run that it follows."""
    return msgs.Mission(
        run_id=run_id,
        replaces=replaces,
        floor_grows=floor_grows,
        goal=mission.goal,
        map_id=mission.map_id,
        frame_id=mission.frame_id,
        map_resolution=grid.resolution,
        map_origin=pose_to_msg(grid.origin),
        robot_radius_m=mission.robot_radius_m,
        diagonal_motion=mission.diagonal,
        view_m=mission.view_m,
        stations=[
            msgs.Station(id=item.id, pose=pose_to_msg(item.pose), accepts=list(item.accepts))
            for item in mission.stations
        ],
        expected=mission.expected,
        budget_steps=mission.budget_steps,
        step_m=mission.step_m,
        rules=list(mission.rules),
        skills=list(mission.skills),
        regions=[_region_to_msg(item) for item in mission.regions],
        observe_below=mission.observe_below,
    )


def _region_to_msg(region: Region) -> msgs.Region:
    xs, ys = zip(*region.corners, strict=True)
    return msgs.Region(name=region.name, corners_x=list(xs), corners_y=list(ys))


def mission_from_msg(msg: msgs.Mission) -> Mission:
    """Return static memory."""
    return Mission(
        goal=msg.goal,
        map_id=msg.map_id,
        stations=tuple(
            Station(item.id, pose_from_msg(item.pose), tuple(item.accepts)) for item in msg.stations
        ),
        expected=msg.expected,
        budget_steps=msg.budget_steps,
        step_m=msg.step_m,
        robot_radius_m=msg.robot_radius_m,
        diagonal=msg.diagonal_motion,
        view_m=msg.view_m,
        frame_id=msg.frame_id,
        rules=tuple(msg.rules),
        skills=tuple(msg.skills),
        regions=tuple(
            Region(item.name, tuple(zip(item.corners_x, item.corners_y, strict=True)))
            for item in msg.regions
        ),
        observe_below=msg.observe_below,
    )


def mission_map_from_msgs(mission: msgs.Mission, grid: OccupancyGrid) -> GridMap:
    """Return the map of a mission, bit for bit; ValueError if `grid` is another one."""
    found = grid_from_msg(grid, mission.map_resolution, pose_from_msg(mission.map_origin))
    if found.map_id != mission.map_id:
        raise ValueError(f"map must be {mission.map_id}, got {found.map_id}")
    return found
