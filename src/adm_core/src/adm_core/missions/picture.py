"""Picture of a run: map, stations, the robot's way, deliveries, vain visits and ghosts."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from adm_core.grid.terrain import Terrain
from adm_core.missions.live_view import told
from adm_core.missions.setup import MissionSetup
from adm_core.missions.summary import Summary
from adm_core.simulation.recycling import WorldFacts
from adm_core.types import Pose2D

Image = npt.NDArray[np.uint8]

_SIDE = 1000  # pixels of the longer side of the map
_MARGIN, _HEAD, _FOOT = 24, 64, 84
_FONT = cv2.FONT_HERSHEY_SIMPLEX

# Blue, green, red.
_PAPER, _INK = (255, 255, 255), (60, 50, 40)
_WALL, _UNKNOWN, _FREE, _STAND = (70, 60, 55), (214, 208, 202), (244, 242, 240), (255, 255, 255)
_EMPTY_WAY, _LOADED_WAY = (200, 150, 60), (60, 140, 235)
_OTHER_WAYS = ((190, 190, 90), (150, 200, 150), (200, 160, 190), (150, 190, 220))
_PICKED, _GHOST, _VAIN = (90, 160, 60), (190, 110, 190), (50, 50, 220)


@dataclass(frozen=True)
class Track:
    """What the audit log says about the robot's way."""

    poses: list[tuple[Pose2D, bool]]  # pose, whether something is held
    picked: list[Pose2D]
    placed: list[Pose2D]


def read_track(audit: Path) -> Track:
    """Read the robot's way from an audit log; works while it is still being written."""
    db = sqlite3.connect(f"file:{audit}?mode=ro", uri=True)
    try:
        rows = db.execute("SELECT step, x, y, yaw, held FROM pose ORDER BY id").fetchall()
        done = db.execute(
            "SELECT skill, step FROM skill WHERE event = 'done' AND skill IN ('grasp', 'deliver')"
        ).fetchall()
    finally:
        db.close()
    at = {row[0]: Pose2D(*row[1:4]) for row in rows}
    return Track(
        poses=[(Pose2D(*row[1:4]), bool(row[4])) for row in rows],
        picked=[at[step] for skill, step in done if skill == "grasp" and step in at],
        placed=[at[step] for skill, step in done if skill == "deliver" and step in at],
    )


def draw_mission(setup: MissionSetup, audit: Path, facts: WorldFacts, summary: Summary) -> Image:
    """Return the picture of a run (uint8[rows, cols, 3], blue-green-red)."""
    canvas = _Canvas(setup.terrain)
    track = read_track(audit)
    for ghost in facts.ghosts:
        canvas.ring(ghost.pose, _GHOST)
    for index, way in enumerate(facts.others):
        canvas.thin_way(way, _OTHER_WAYS[index % len(_OTHER_WAYS)])
    canvas.way(track.poses)
    for pose in track.picked:
        canvas.dot(pose, _PICKED)
    for visit in facts.visits:
        canvas.cross(visit.pose, _VAIN)
    for station in setup.mission.stations:
        cell = setup.terrain.cell(station.pose)
        done = sum(setup.terrain.cell(pose) == cell for pose in track.placed)
        accepted = ", ".join(station.accepts)
        name = station.id.removeprefix("station_")
        canvas.station(station.pose, f"{name}: {accepted} ({done} delivered)")
    return canvas.framed(_title(summary), _subtitle(summary), bool(facts.others))


def _title(summary: Summary) -> str:
    return (
        f"{summary.scenario}, method {summary.method}, seed {summary.seed}: "
        f"{summary.delivered} of {summary.containers} delivered"
    )


def _subtitle(summary: Summary) -> str:
    return (
        f"{summary.steps} steps, {told(summary.path_m, '.0f')} m, "
        f"{summary.planner_calls} planning calls, "
        f"{told(summary.stale_visits)} stale and {told(summary.ghost_visits)} ghost visits"
    )


class _Canvas:
    """The map scaled to the picture, y up, with drawing in map coordinates."""

    def __init__(self, terrain: Terrain) -> None:
        self._grid = terrain.grid_map
        rows, cols = self._window(terrain)
        self._row0, self._col0 = rows.start, cols.start
        height, width = rows.stop - rows.start, cols.stop - cols.start
        self._scale = _SIDE / max(height, width)
        size = (max(1, round(width * self._scale)), max(1, round(height * self._scale)))
        colours = _map_colours(terrain)[rows, cols]
        way = cv2.INTER_NEAREST if self._scale >= 1 else cv2.INTER_AREA
        self.image: Image = cv2.resize(colours, size, interpolation=way)[::-1].copy()
        if height <= 40:
            self._draw_cell_lines(height, width)

    def _window(self, terrain: Terrain) -> tuple[slice, slice]:
        """Return the part of the map around the region, with a few cells of margin."""
        where = np.argwhere(terrain.standable)
        pad = 0 if terrain.standable.all() else 12
        low = np.maximum(where.min(0) - pad, 0)
        high = np.minimum(where.max(0) + 1 + pad, terrain.standable.shape)
        return slice(int(low[0]), int(high[0])), slice(int(low[1]), int(high[1]))

    def _draw_cell_lines(self, height: int, width: int) -> None:
        for line in range(1, height):
            y = round(line * self._scale)
            cv2.line(self.image, (0, y), (self.image.shape[1], y), _UNKNOWN, 1)
        for line in range(1, width):
            x = round(line * self._scale)
            cv2.line(self.image, (x, 0), (x, self.image.shape[0]), _UNKNOWN, 1)

    def pixel(self, pose: Pose2D) -> tuple[int, int]:
        """Return the pixel (x, y) of a pose."""
        cell = self._grid.world_to_cell(pose.x, pose.y)
        x = (cell.col + 0.5 - self._col0) * self._scale
        y = self.image.shape[0] - (cell.row + 0.5 - self._row0) * self._scale
        return round(x), round(y)

    def way(self, poses: list[tuple[Pose2D, bool]]) -> None:
        """Draw the robot's way, empty-handed and loaded in two colours."""
        for (start, _), (end, held) in pairwise(poses):
            colour = _LOADED_WAY if held else _EMPTY_WAY
            offset = 2 if held else -2  # both directions stay visible
            a, b = self.pixel(start), self.pixel(end)
            a, b = (a[0] + offset, a[1] + offset), (b[0] + offset, b[1] + offset)
            cv2.line(self.image, a, b, colour, 2, cv2.LINE_AA)

    def thin_way(self, poses: Sequence[Pose2D], colour: tuple[int, int, int]) -> None:
        """Draw the way of another robot."""
        points = np.array([self.pixel(pose) for pose in poses], np.int32)
        cv2.polylines(self.image, [points], False, colour, 1, cv2.LINE_AA)

    def dot(self, pose: Pose2D, colour: tuple[int, int, int]) -> None:
        """Draw a filled dot."""
        cv2.circle(self.image, self.pixel(pose), 7, colour, -1, cv2.LINE_AA)
        cv2.circle(self.image, self.pixel(pose), 7, _PAPER, 1, cv2.LINE_AA)

    def ring(self, pose: Pose2D, colour: tuple[int, int, int]) -> None:
        """Draw a small ring."""
        cv2.circle(self.image, self.pixel(pose), 6, colour, 1, cv2.LINE_AA)

    def cross(self, pose: Pose2D, colour: tuple[int, int, int]) -> None:
        """Draw a cross."""
        x, y = self.pixel(pose)
        for dx in (-9, 9):
            cv2.line(self.image, (x - dx, y - 9), (x + dx, y + 9), colour, 3, cv2.LINE_AA)

    def station(self, pose: Pose2D, text: str) -> None:
        """Draw a station with its label inside the picture."""
        x, y = self.pixel(pose)
        cv2.rectangle(self.image, (x - 12, y - 12), (x + 12, y + 12), _INK, -1)
        cv2.rectangle(self.image, (x - 12, y - 12), (x + 12, y + 12), _PAPER, 2)
        (width, height), _ = cv2.getTextSize(text, _FONT, 0.6, 2)
        left = min(max(x - width // 2, 6), max(self.image.shape[1] - width - 6, 6))
        above = y - 20 > height + 6
        base = y - 20 if above else y + 20 + height
        box = (left - 4, base - height - 5), (left + width + 4, base + 6)
        cv2.rectangle(self.image, *box, _PAPER, -1)
        cv2.putText(self.image, text, (left, base), _FONT, 0.6, _INK, 2, cv2.LINE_AA)

    def framed(self, title: str, subtitle: str, others: bool = False) -> Image:
        """Return the picture with title, margin and legend; with other robots' ways if any."""
        height, width = self.image.shape[:2]
        full = np.full((height + _HEAD + _FOOT, max(width, 640) + 2 * _MARGIN, 3), 255, np.uint8)
        full[_HEAD : _HEAD + height, _MARGIN : _MARGIN + width] = self.image
        cv2.rectangle(
            full, (_MARGIN - 1, _HEAD - 1), (_MARGIN + width, _HEAD + height), _UNKNOWN, 1
        )
        cv2.putText(full, title, (_MARGIN, 28), _FONT, 0.7, _INK, 2, cv2.LINE_AA)
        cv2.putText(full, subtitle, (_MARGIN, 52), _FONT, 0.5, _INK, 1, cv2.LINE_AA)
        _draw_legend(full, _HEAD + height + 26, others)
        return full


def _map_colours(terrain: Terrain) -> Image:
    data = terrain.grid_map.data
    colours = np.full((*data.shape, 3), _WALL, np.uint8)
    colours[data < 0] = _UNKNOWN
    colours[data == 0] = _FREE
    colours[terrain.standable] = _STAND
    return colours


def _draw_legend(image: Image, top: int, others: bool) -> None:
    items = [
        ("way, empty", _EMPTY_WAY, "line"),
        ("way, loaded", _LOADED_WAY, "line"),
        ("picked up", _PICKED, "dot"),
        ("nothing there", _VAIN, "cross"),
        ("ghost report", _GHOST, "ring"),
    ]
    if others:
        items.append(("searchers", _OTHER_WAYS[0], "line"))
    for index, (text, colour, shape) in enumerate(items):
        x, y = _MARGIN + 8 + 200 * (index % 3), top + 28 * (index // 3)
        if shape == "line":
            cv2.line(image, (x - 8, y), (x + 8, y), colour, 3, cv2.LINE_AA)
        elif shape == "cross":
            cv2.line(image, (x - 6, y - 6), (x + 6, y + 6), colour, 3, cv2.LINE_AA)
            cv2.line(image, (x + 6, y - 6), (x - 6, y + 6), colour, 3, cv2.LINE_AA)
        else:
            cv2.circle(image, (x, y), 6, colour, -1 if shape == "dot" else 2, cv2.LINE_AA)
        cv2.putText(image, text, (x + 16, y + 5), _FONT, 0.5, _INK, 1, cv2.LINE_AA)
