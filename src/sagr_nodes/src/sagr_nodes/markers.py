"""Rooms, frontiers, robots and who goes where, as markers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adm_core.types import Pose2D
from adm_nodes.common.conversions import pose_from_msg
from adm_nodes.common.markers import shapes
from adm_nodes.common.markers.shapes import BLACK, GREY, PALETTE, RED, Colour
from visualization_msgs.msg import Marker

import adm_interfaces.msg as msgs


def graph_markers(graph: msgs.AreaGraph, size_m: float) -> list[Marker]:
    """Return the area graph: rooms as boxes with their types, edges, frontiers.

    A frontier cluster is a dot at its representative, wider the more cells it has, in the colour
    of its room.

    Parameters
    ----------
    graph : AreaGraph
        All rooms and frontier clusters.
    size_m : float
        Diameter of a robot in metres.
    """
    colours = {room.room_id: colour_of(room.room_id) for room in graph.rooms}
    centres = {room.room_id: pose_from_msg(room.centre) for room in graph.rooms}
    markers = []
    for room in graph.rooms:
        colour = colours[room.room_id]
        words = f"{room.type} {room.room_id}"
        markers += [
            shapes.line("room", _outline(room), 0.2 * size_m, colour.faded(0.7)),
            shapes.text("room name", centres[room.room_id], words, size_m, 0.1, colour),
        ]
    edges = [
        (centres[room.room_id], centres[other])
        for room in graph.rooms
        for other in room.neighbours
        if room.room_id < other and other in centres
    ]
    markers.append(shapes.segments("edge", edges, 0.1 * size_m, GREY))
    for cluster in graph.clusters:
        width = size_m * min(4.0, 0.5 + cluster.cells / 20.0)
        colour = colours.get(cluster.room_id, GREY).faded(0.6)
        at = pose_from_msg(cluster.place)
        markers.append(shapes.ellipse("frontier", at, width, width, 0.0, colour))
    return markers


def team_markers(
    reports: Mapping[int, msgs.SearcherReport],
    graph: msgs.AreaGraph,
    assignments: msgs.RoomAssignments,
    size_m: float,
) -> list[Marker]:
    """Return the robots with their goals, the rooms they were given, and what was found.

    The line to the goal is solid, the one to the middle of the robot's room faint. A robot that
    does not take part is grey.
    """
    centres = {room.room_id: pose_from_msg(room.centre) for room in graph.rooms}
    given = dict(zip(assignments.robots, assignments.rooms, strict=False))
    markers = []
    for robot, report in sorted(reports.items()):
        colour = PALETTE[robot % len(PALETTE)] if report.active else GREY
        at = pose_from_msg(report.pose)
        markers += [
            shapes.arrow("robot", at, 2.0 * size_m, colour),
            shapes.text("robot name", at, _words(report), 0.8 * size_m, 2.0 * size_m, BLACK),
        ]
        if report.has_goal:
            ends = [(at, pose_from_msg(report.goal))]
            markers.append(shapes.segments("goal", ends, 0.2 * size_m, colour))
        if given.get(robot) in centres:
            ends = [(at, centres[given[robot]])]
            markers.append(shapes.segments("assignment", ends, 0.15 * size_m, colour.faded(0.3)))
        if report.found:
            target = pose_from_msg(report.target)
            markers += [
                shapes.cylinder("target", target, size_m, 2.0 * size_m, RED),
                shapes.text("target name", target, "found", size_m, 3.0 * size_m, RED),
            ]
        for place in report.unreachable:
            lost = pose_from_msg(place)
            markers.append(shapes.ellipse("unreachable", lost, size_m, size_m, 0.0, BLACK))
    return markers


def track_markers(tracks: Mapping[int, Sequence[Pose2D]], size_m: float) -> list[Marker]:
    """Return the robots' ways so far."""
    return [
        shapes.line("track", track, 0.1 * size_m, PALETTE[robot % len(PALETTE)].faded(0.8))
        for robot, track in sorted(tracks.items())
    ]


def colour_of(room_id: int) -> Colour:
    """Return the colour of a room: the same as long as the room is the same."""
    return PALETTE[room_id % len(PALETTE)]


def _outline(room: msgs.AreaRoom) -> list[Pose2D]:
    low, high = (pose_from_msg(corner) for corner in room.box)
    return [
        Pose2D(low.x, low.y),
        Pose2D(high.x, low.y),
        Pose2D(high.x, high.y),
        Pose2D(low.x, high.y),
        Pose2D(low.x, low.y),
    ]


def _words(report: msgs.SearcherReport) -> str:
    state = "" if report.state == "running" else f" {report.state.replace('_', ' ')}"
    return f"robot {report.robot}{state}"
