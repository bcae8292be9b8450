"""Pictures and films of a mission in the arena, seen from above and a little from the side."""

from __future__ import annotations

import math
from pathlib import Path
from types import TracebackType

import cv2
import numpy as np

from adm_core.errors import MissionError
from adm_core.manipulation.camera import Intrinsics, Mount
from adm_core.manipulation.colour import Picture
from adm_core.manipulation.planar import Point
from adm_core.simulation.rigid_body.arena import Arena
from adm_core.simulation.rigid_body.cameras import Renderer
from adm_core.simulation.rigid_body.config import CONTROL_HZ

_SIZE = (640, 480)
_FILM_HZ = 5
_SPEED_UP = 4
_WAY = (60, 140, 235)  # blue, green, red
_INK = (60, 50, 40)


class ArenaView:
    """Watches an arena: draws one picture at the end, and a film if asked.

    Parameters
    ----------
    arena : Arena
        The world; pass :meth:`watch` to it as what to call after each tick.
    png, mp4 : path-like or None
        Files to write; an existing one is replaced.

    Raises
    ------
    MissionError
        If a film cannot be opened.
    """

    def __init__(self, arena: Arena, png: str | Path | None, mp4: str | Path | None) -> None:
        self._arena = arena
        self._png = None if png is None else Path(png)
        self._camera = Intrinsics.from_view(*_SIZE, math.radians(52.0))
        self._renderer = Renderer(arena.engine, self._camera)
        self._mount = _corner_mount(arena.config.size_m)
        self._way: list[Point] = []
        self._film = None if mp4 is None else _open_film(Path(mp4))

    def watch(self, arena: Arena) -> None:
        """Note where the robot is, and film it at the film's rate."""
        if arena.ticks % (CONTROL_HZ // _FILM_HZ) == 0:
            x, y, _ = arena.robot.pose()
            self._way.append((x, y))
            if self._film is not None:
                self._film.write(self.picture())

    def picture(self) -> Picture:
        """Return the present picture with the way so far, uint8[480, 640, 3] blue-green-red."""
        picture, _ = self._renderer.render(self._mount)
        if len(self._way) > 1:
            points = np.array([(x, y, 0.002) for x, y in self._way])
            pixels = self._camera.project(self._mount.to_optical(points))
            cv2.polylines(picture, [np.round(pixels).astype(np.int32)], False, _WAY, 1, cv2.LINE_AA)
        done = sum(map(self._arena.is_delivered, self._arena.things))
        text = f"{self._arena.now:.0f} s, {done} of {len(self._arena.things)} delivered"
        cv2.putText(picture, text, (12, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.6, _INK, 2, cv2.LINE_AA)
        return picture

    def __enter__(self) -> ArenaView:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._film is not None:
            self._film.release()
        if self._png is not None:
            coded = cv2.imencode(".png", self.picture())[1]
            try:
                self._png.write_bytes(coded.tobytes())
            except OSError as err:
                raise MissionError(f"{self._png} cannot be written: {err.strerror}") from err


def _corner_mount(size_m: float) -> Mount:
    """Return a camera south of the arena, high up, looking at its middle."""
    centre = np.array([0.0, -0.95 * size_m, 0.98 * size_m])
    ahead = -centre / np.linalg.norm(centre)
    right = np.array([1.0, 0.0, 0.0])
    return Mount(np.stack([right, np.cross(ahead, right), ahead], axis=1), centre)


def _open_film(path: Path) -> cv2.VideoWriter:
    code = cv2.VideoWriter.fourcc(*"mp4v")
    film = cv2.VideoWriter(str(path), code, float(_FILM_HZ * _SPEED_UP), _SIZE)
    if not film.isOpened():
        raise MissionError(f"film {path} cannot be written: is its folder there?")
    return film
