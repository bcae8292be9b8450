"""A recording as a Rerun scene: markers, maps and the log, along the recorded time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from geometry_msgs.msg import Point
from nav_msgs.msg import OccupancyGrid
from rcl_interfaces.msg import Log
from rclpy.serialization import deserialize_message
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from adm_nodes.common.conversions import grid_from_msg
from adm_nodes.recording.mcap_file import RecordingError, read
from adm_nodes.recording.recorder import Selection

_OCCUPIED = 50
_LINES = (Marker.LINE_STRIP, Marker.LINE_LIST)
_LEVELS = {10: "DEBUG", 20: "INFO", 30: "WARN", 40: "ERROR", 50: "CRITICAL"}


def show(path: Path, selection: Selection, save_to: Path | None) -> int:
    """Send what a file holds to the Rerun viewer, or save it; return the number of messages.

    Parameters
    ----------
    path : path
        MCAP file.
    selection : Selection
        Which topics.
    save_to : path or None
        Rerun file to write; None opens the viewer.

    Raises
    ------
    RecordingError
        If Rerun is not installed, or the file cannot be read.
    """
    try:
        import rerun
    except ImportError as err:
        raise RecordingError("this view needs Rerun: pip install rerun-sdk") from err
    rerun.init("adm", spawn=save_to is None)
    if save_to is not None:
        rerun.save(str(save_to))
    painters: dict[str, tuple[Any, Callable[[Any, str, Any], None]]] = {
        "visualization_msgs/msg/MarkerArray": (MarkerArray, _paint_markers),
        "nav_msgs/msg/OccupancyGrid": (OccupancyGrid, _paint_map),
        "rcl_interfaces/msg/Log": (Log, _paint_log),
    }
    count = 0
    for item in read(path):
        if item.topic.type_name in painters and selection.takes(item.topic.name):
            message_type, paint = painters[item.topic.type_name]
            rerun.set_time("time", timestamp=item.stamp_ns / 1e9)
            paint(rerun, item.topic.name, deserialize_message(item.data, message_type))
            count += 1
    return count


def _paint_markers(rerun: Any, topic: str, message: MarkerArray) -> None:
    """Log one entity per kind of marker: each message holds all that is shown."""
    order = sorted(message.markers, key=lambda item: item.ns)
    for kind, group in groupby(order, key=lambda item: item.ns):
        place = f"{topic}/{kind.replace(' ', '_')}"
        shown = [item for item in group if item.action == Marker.ADD]
        if not shown:
            rerun.log(place, rerun.Clear(recursive=False))
        elif shown[0].type in _LINES:
            rerun.log(place, _lines(rerun, shown))
        else:
            rerun.log(place, _points(rerun, shown))


def _lines(rerun: Any, markers: Iterable[Marker]) -> Any:
    strips, colours, radii = [], [], []
    for marker in markers:
        corners = [_xyz(point) for point in marker.points]
        pieces = (
            [corners]
            if marker.type == Marker.LINE_STRIP
            else [corners[at : at + 2] for at in range(0, len(corners), 2)]
        )
        strips += pieces
        colours += [_rgba(marker.color)] * len(pieces)
        radii += [marker.scale.x / 2.0] * len(pieces)
    return rerun.LineStrips3D(strips, colors=colours, radii=radii)


def _points(rerun: Any, markers: Iterable[Marker]) -> Any:
    at, colours, radii, labels = [], [], [], []
    for marker in markers:
        places = marker.points or [marker.pose.position]
        at += [_xyz(point) for point in places]
        colours += [_rgba(marker.color)] * len(places)
        radii += [max(marker.scale.x, 0.02) / 2.0] * len(places)
        labels += [marker.text] * len(places)
    return rerun.Points3D(at, colors=colours, radii=radii, labels=labels if any(labels) else None)


def _paint_map(rerun: Any, topic: str, message: OccupancyGrid) -> None:
    grid = grid_from_msg(message)
    rows, cols = np.nonzero(grid.data >= _OCCUPIED)
    x = (cols + 0.5) * grid.resolution
    y = (rows + 0.5) * grid.resolution
    turn = np.array([np.cos(grid.origin.yaw), np.sin(grid.origin.yaw)])
    at = np.stack(
        [
            grid.origin.x + turn[0] * x - turn[1] * y,
            grid.origin.y + turn[1] * x + turn[0] * y,
            np.zeros(len(x)),
        ],
        axis=1,
    )
    rerun.log(topic, rerun.Points3D(at, radii=grid.resolution / 2.0, colors=[90, 90, 90, 255]))


def _paint_log(rerun: Any, topic: str, message: Log) -> None:
    level = _LEVELS.get(message.level, "INFO")
    rerun.log(f"{topic}/{message.name}", rerun.TextLog(message.msg, level=level))


def _xyz(point: Point) -> tuple[float, float, float]:
    return point.x, point.y, point.z


def _rgba(colour: ColorRGBA) -> list[int]:
    return [round(255 * part) for part in (colour.r, colour.g, colour.b, colour.a)]
