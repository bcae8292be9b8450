"""Picture of a twin mission: walls, stations, what went where, the ways of robot and drone."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from adm_core.missions.twin import Twin
from adm_core.simulation.rigid_body.layout import OBSTACLE_M

Colour = tuple[int, int, int]

_SCALE, _RIM = 180, 30  # pixels a metre, and around
_PAPER, _WALL, _BOX = (255, 255, 255), (70, 70, 70), (140, 140, 140)
_ROBOT, _DRONE = (60, 60, 60), (200, 170, 120)
_CLASS: dict[str, Colour] = {"can": (40, 40, 205), "bottle": (215, 90, 30)}


class _Sheet:
    """A sheet of the arena: metres in, pixels out."""

    def __init__(self, half_m: float) -> None:
        self._half = half_m
        side = round(2 * half_m * _SCALE) + 2 * _RIM
        self.image = np.full((side, side, 3), _PAPER, np.uint8)

    def at(self, x: float, y: float) -> tuple[int, int]:
        """Return the pixel of a point."""
        return (
            round((x + self._half) * _SCALE) + _RIM,
            round((self._half - y) * _SCALE) + _RIM,
        )

    def box(self, x: float, y: float, half: float, colour: Colour, width: int) -> None:
        """Draw a square; a negative width fills it."""
        corners = self.at(x - half, y - half), self.at(x + half, y + half)
        cv2.rectangle(self.image, *corners, colour, width, cv2.LINE_AA)

    def way(self, points: npt.ArrayLike, colour: Colour, width: int) -> None:
        """Draw a line through points float64[n, 2]."""
        pixels = [self.at(x, y) for x, y in np.asarray(points, np.float64).tolist()]
        if len(pixels) > 1:
            line = np.array(pixels, np.int32)[:, None]
            cv2.polylines(self.image, [line], False, colour, width, cv2.LINE_AA)

    def spot(self, x: float, y: float, colour: Colour, width: int) -> None:
        """Draw a container; width -1 fills it."""
        cv2.circle(self.image, self.at(x, y), 8, colour, width, cv2.LINE_AA)

    def word(self, x: float, y: float, text: str) -> None:
        """Write a word."""
        column, row = self.at(x, y)
        cv2.putText(self.image, text, (column, row), 0, 0.45, _WALL, 1, cv2.LINE_AA)


def draw(twin: Twin, truth: Mapping[str, Any], audit: Path, track: Path, target: Path) -> None:
    """Write the picture of a mission that has ended.

    Parameters
    ----------
    twin : Twin
        Where everything was at the start (circles).
    truth : mapping
        The simulator's last word: where it is now (discs).
    audit, track : Path
        Ways of robot and drone; either may be missing.
    target : Path
        The file, PNG.
    """
    half = twin.arena.size_m / 2
    sheet = _Sheet(half)
    sheet.box(0.0, 0.0, half, _WALL, 3)
    for box in twin.places.obstacles:
        sheet.box(box.x, box.y, OBSTACLE_M / 2, _BOX, -1)
    for station, places in twin.field.places.items():
        for place in places:
            sheet.box(place.x, place.y, 0.075, _BOX, 1)
        sheet.word(places[0].x - 0.15, max(item.y for item in places) + 0.15, station)
    if track.exists():
        sheet.way(np.load(track)[:, 1:3], _DRONE, 1)
    sheet.way(_way(audit), _ROBOT, 2)
    for spot, label in zip(twin.places.placed, twin.places.labels, strict=True):
        start = twin.places.spots[spot]
        sheet.spot(start.x, start.y, _CLASS[label], 2)
    for label, x, y, _ in truth.get("containers", {}).values():
        sheet.spot(x, y, _CLASS[label], -1)
    cv2.imwrite(str(target), sheet.image)


def _way(audit: Path) -> Sequence[tuple[float, float]]:
    if not audit.exists():
        return []
    with sqlite3.connect(f"file:{audit}?mode=ro", uri=True) as log:
        return log.execute("select x, y from pose order by id").fetchall()
