"""Cells of a grid as places, without ROS."""

from __future__ import annotations

from adm_core.grid.frames import GridFrame
from adm_core.types import Cell, Pose2D


def pose_of(frame: GridFrame, cell: Cell, heading_rad: float = 0.0) -> Pose2D:
    """Return the middle of a cell; the heading is one from the column axis to the row axis."""
    x, y = frame.to_world(cell[0] + 0.5, cell[1] + 0.5)
    return Pose2D(float(x), float(y), heading_rad + frame.origin.yaw)
