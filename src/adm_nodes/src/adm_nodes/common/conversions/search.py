"""Search: maps that change, robots and what they say, assignments, the area graph."""

from __future__ import annotations

import array
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from adm_core.grid.frames import GridFrame
from adm_core.grid.windows import GridWindow, MapContent
from adm_core.rooms.area_graph import UNKNOWN, AreaGraph
from adm_core.search.coordinators import Assignment
from adm_core.search.explorer import Move, Report
from adm_core.search.task import SearchTask
from adm_core.types import Cell, Pose2D
from nav_msgs.msg import OccupancyGrid

import adm_interfaces.msg as msgs
from adm_nodes.common.cells import pose_of
from adm_nodes.common.conversions.places import (
    pose_from_msg,
    pose_from_ros,
    pose_to_msg,
    pose_to_ros,
)

NOWHERE = Pose2D(math.nan, math.nan, math.nan)


class Placing(NamedTuple):
    """Where a robot's map frame lies in the common one.

    Attributes
    ----------
    pose : Pose2D
        Of the robot's frame.
    """

    pose: Pose2D = Pose2D(0.0, 0.0)

    def to_common(self, pose: Pose2D) -> Pose2D:
        """Return a pose of the robot's frame in the common frame."""
        cos, sin = math.cos(self.pose.yaw), math.sin(self.pose.yaw)
        return Pose2D(
            self.pose.x + cos * pose.x - sin * pose.y,
            self.pose.y + sin * pose.x + cos * pose.y,
            pose.yaw + self.pose.yaw,
        )

    def to_own(self, pose: Pose2D) -> Pose2D:
        """Return a pose of the common frame in the robot's frame."""
        cos, sin = math.cos(self.pose.yaw), math.sin(self.pose.yaw)
        dx, dy = pose.x - self.pose.x, pose.y - self.pose.y
        return Pose2D(cos * dx + sin * dy, cos * dy - sin * dx, pose.yaw - self.pose.yaw)


def checked_pose(msg: msgs.PlanarPose, what: str) -> Pose2D:
    """Return a pose; ValueError names `what` if a number of it is not finite."""
    pose = pose_from_msg(msg)
    if not all(map(math.isfinite, pose)):
        raise ValueError(f"{what} must be finite, got x {pose.x}, y {pose.y}, yaw {pose.yaw}")
    return pose


# --- maps --------------------------------------------------------------------------------------


def window_to_msg(window: GridWindow) -> msgs.GridWindow:
    """Return a window."""
    rows, cols = window.occupancy.shape
    message = msgs.GridWindow(row=window.row, col=window.col, rows=rows, cols=cols)
    message.occupancy = array.array("b", window.occupancy.tobytes())
    if window.labels is not None:
        message.room_type = array.array("H", window.labels.tobytes())
    return message


def window_from_msg(msg: msgs.GridWindow) -> GridWindow:
    """Return a window; ValueError if it has not as many cells as it says."""
    shape = (msg.rows, msg.cols)
    occupancy = _image(msg.occupancy, np.int8, shape, "window")
    labels = _image(msg.room_type, np.uint16, shape, "room types") if len(msg.room_type) else None
    return GridWindow(msg.row, msg.col, occupancy, labels)


def content_to_msg(content: MapContent) -> msgs.LabelledMap:
    """Return a labelled map without its numbers and time."""
    rows, cols = content.frame.shape
    message = msgs.LabelledMap(
        resolution=content.frame.resolution,
        origin=pose_to_msg(content.frame.origin),
        rows=rows,
        cols=cols,
        type_ids=list(content.names),
        type_names=list(content.names.values()),
    )
    message.header.frame_id = content.frame_id
    message.occupancy = array.array("b", content.occupancy.tobytes())
    if content.labels is not None and content.labels.any():
        message.room_type = array.array("H", content.labels.tobytes())
    return message


def content_from_msg(msg: msgs.LabelledMap) -> MapContent:
    """Return a labelled map; ValueError if its parts do not fit, or its place is no number."""
    shape = (msg.rows, msg.cols)
    if not (math.isfinite(msg.resolution) and msg.resolution > 0):
        raise ValueError(f"resolution must be finite and > 0 m, got {msg.resolution}")
    if len(msg.type_ids) != len(msg.type_names):
        raise ValueError(
            f"type_names must be {len(msg.type_ids)} like type_ids, got {len(msg.type_names)}"
        )
    frame = GridFrame(shape, msg.resolution, checked_pose(msg.origin, "origin"))
    occupancy = _image(msg.occupancy, np.int8, shape, "map")
    labels = _image(msg.room_type, np.uint16, shape, "room types") if len(msg.room_type) else None
    names = dict(zip((int(kind) for kind in msg.type_ids), msg.type_names, strict=True))
    return MapContent(frame, occupancy, labels, names, msg.header.frame_id)


def _image(data: Any, dtype: Any, shape: tuple[int, int], what: str) -> npt.NDArray[Any]:
    image = np.frombuffer(data, dtype=dtype)
    if image.size != shape[0] * shape[1]:
        raise ValueError(f"{what} must have {shape[0]} x {shape[1]} cells, got {image.size}")
    return image.reshape(shape)


def whole_window(content: MapContent) -> GridWindow:
    """Return a whole map as a window."""
    return GridWindow(0, 0, content.occupancy, content.labels)


def content_to_occupancy_grid(content: MapContent) -> OccupancyGrid:
    """Return a map as standard tools read it, without room types."""
    message = OccupancyGrid()
    message.header.frame_id = content.frame_id
    message.info.resolution = content.frame.resolution
    message.info.height, message.info.width = content.frame.shape
    message.info.origin = pose_to_ros(content.frame.origin)
    message.data = array.array("b", content.occupancy.tobytes())
    return message


def occupancy_grid_parts(msg: OccupancyGrid) -> tuple[GridFrame, npt.NDArray[np.int8]]:
    """Return place and cells of a standard map; ValueError if it has none."""
    shape = (msg.info.height, msg.info.width)
    origin = pose_from_ros(msg.info.origin)
    if not (math.isfinite(msg.info.resolution) and msg.info.resolution > 0):
        raise ValueError(f"resolution must be finite and > 0 m, got {msg.info.resolution}")
    if not all(map(math.isfinite, origin)):
        raise ValueError(f"origin must be finite, got {tuple(origin)}")
    return GridFrame(shape, msg.info.resolution, origin), _image(msg.data, np.int8, shape, "map")


# --- robots ------------------------------------------------------------------------------------


def cell_of(frame: GridFrame, pose: Pose2D) -> Cell:
    """Return the cell in which a pose lies; it may be off the map."""
    row, col = frame.to_local(pose.x, pose.y)
    return Cell(math.floor(row), math.floor(col))


def report_of(frame: GridFrame, pose: Pose2D) -> Report:
    """Return where a robot is as the core takes it."""
    return Report(cell_of(frame, pose), pose.yaw - frame.origin.yaw)


def move_to_msg(move: Move, frame: GridFrame, placing: Placing, step: int) -> msgs.SearcherMove:
    """Return a move, in the robot's own frame; its name is for the caller to fill in."""
    goal = placing.to_own(pose_of(frame, move.cell, move.heading_rad))
    return msgs.SearcherMove(step=step, goal=pose_to_msg(goal))


def frames_to_msg(frames: Mapping[str, Placing], frame_id: str) -> msgs.RobotFrames:
    """Return where the robots' frames lie."""
    robots = [
        msgs.RobotFrame(robot=name, pose=pose_to_msg(item.pose)) for name, item in frames.items()
    ]
    return msgs.RobotFrames(frame_id=frame_id, robots=robots)


def frames_from_msg(msg: msgs.RobotFrames) -> dict[str, Placing]:
    """Return where the robots' frames lie; ValueError if a pose is not finite."""
    return {
        item.robot: Placing(checked_pose(item.pose, f"frame of {item.robot}"))
        for item in msg.robots
    }


# --- task and assignment -------------------------------------------------------------------------


def task_from_msg(msg: msgs.SearchOrder) -> SearchTask:
    """Return the task of an order."""
    return SearchTask(msg.text, msg.object, msg.room_type)


def assignment_to_msg(assignment: Assignment, step: int, run_id: str) -> msgs.RoomAssignments:
    """Return an assignment; rooms whose ids do not last (negative ones) are left out."""
    rooms = {robot: room for robot, room in assignment.rooms.items() if room >= 0}
    return msgs.RoomAssignments(
        run_id=run_id,
        step=step,
        robots=list(rooms),
        rooms=list(rooms.values()),
        summary=assignment.summary,
        made_by=assignment.made_by,
        refusals=list(assignment.refusals),
        latency_ms=assignment.latency_ms,
    )


def assignment_from_msg(msg: msgs.RoomAssignments) -> Assignment:
    """Return an assignment; ValueError unless there is one room for each robot."""
    if len(msg.robots) != len(msg.rooms):
        raise ValueError(f"rooms must be {len(msg.robots)} like robots, got {len(msg.rooms)}")
    rooms = {int(a): int(b) for a, b in zip(msg.robots, msg.rooms, strict=True)}
    return Assignment(rooms, msg.summary, msg.made_by, tuple(msg.refusals), msg.latency_ms)


# --- area graph ----------------------------------------------------------------------------------


def graph_to_msg(graph: AreaGraph, frame: GridFrame) -> msgs.AreaGraph:
    """Return the area graph without its numbers and time."""
    robots: dict[int, list[int]] = {}
    for robot, label in enumerate(graph.robot_room.tolist()):
        robots.setdefault(label, []).append(robot)
    ids = [0, *graph.room_ids.tolist()]
    message = msgs.AreaGraph()
    message.rooms = [
        _room_to_msg(graph, frame, label, ids, robots.get(label, []))
        for label in range(1, len(graph.rooms) + 1)
    ]
    cols = graph.rooms.shape[1]
    message.clusters = [
        msgs.FrontierCluster(
            room_id=ids[label],
            cells=size,
            place=pose_to_msg(pose_of(frame, Cell(*divmod(cell, cols)))),
        )
        for label, size, cell in zip(
            graph.cluster_room.tolist(),
            graph.clusters.sizes.tolist(),
            graph.clusters.representatives.tolist(),
            strict=True,
        )
    ]
    return message


def _room_to_msg(
    graph: AreaGraph, frame: GridFrame, label: int, ids: Sequence[int], robots: Sequence[int]
) -> msgs.AreaRoom:
    rooms = graph.rooms
    row, col, row_end, col_end = rooms.boxes[label - 1].tolist()
    kind = int(rooms.types[label - 1])
    first = divmod(int(rooms.first_cells[label - 1]), rooms.shape[1])
    corners = [frame.to_world(row, col), frame.to_world(row_end, col_end)]
    x, y = frame.to_world((row + row_end) / 2, (col + col_end) / 2)
    return msgs.AreaRoom(
        room_id=ids[label],
        type=graph.names.get(kind, UNKNOWN if kind == 0 else f"type {kind}"),
        cells=int(rooms.areas[label - 1]),
        first_row=first[0],
        first_col=first[1],
        centre=msgs.PlanarPose(x=float(x), y=float(y)),
        box=[msgs.PlanarPose(x=float(a), y=float(b)) for a, b in corners],
        neighbours=[ids[other] for other in graph.adjacency[label]],
        robots=list(robots),
    )
