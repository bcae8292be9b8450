"""Bearings and frames in the plane: between the map and what is ahead and to the left."""

from __future__ import annotations

import math

from adm_core.types import Pose2D

Point = tuple[float, float]


def bearing_to(robot: Pose2D, point: Point) -> float:
    """Return the angle from the robot's heading to a point, radians in [-pi, pi]."""
    angle = math.atan2(point[1] - robot.y, point[0] - robot.x) - robot.yaw
    return math.remainder(angle, 2 * math.pi)


def in_robot_frame(robot: Pose2D, point: Point) -> Point:
    """Return a point of the map ahead and to the left of the robot, metres."""
    dx, dy = point[0] - robot.x, point[1] - robot.y
    cos, sin = math.cos(robot.yaw), math.sin(robot.yaw)
    return cos * dx + sin * dy, cos * dy - sin * dx


def in_map_frame(robot: Pose2D, ahead: float, left: float) -> Point:
    """Return the point of the map that lies ahead and to the left of the robot."""
    cos, sin = math.cos(robot.yaw), math.sin(robot.yaw)
    return robot.x + cos * ahead - sin * left, robot.y + sin * ahead + cos * left
