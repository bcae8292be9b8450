"""Furniture: what stands in which room, and where it may stand.

Pieces keep their distance from doors and from each other, and none is placed that would cut
the floor of a room in two for the robot.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from adm_core.grid.regions import shrink
from adm_core.simulation.building.plan import Rect

#: Gap between pieces, between a free-standing piece and the walls, and depth kept clear
#: inside a door, in metres.
GAP_M, WALL_GAP_M, DOOR_CLEAR_M = 0.6, 0.75, 1.0
#: A gap to a side wall that is narrower than this is closed.
SLIT_M = 0.4
TRIES = 12


class Kind(NamedTuple):
    """Kind of furniture: size along and off the wall in metres, and how many are wanted."""

    name: str
    along_m: float
    off_m: float
    at_wall: bool
    least: int
    most: int


CATALOGUE: dict[str, tuple[Kind, ...]] = {
    "corridor": (Kind("plant", 0.4, 0.4, True, 0, 3),),
    "office": (
        Kind("desk", 1.6, 0.8, True, 1, 3),
        Kind("cabinet", 1.2, 0.45, True, 1, 2),
        Kind("desk", 1.6, 0.8, False, 0, 1),
    ),
    "meeting": (
        Kind("conference table", 2.6, 1.2, False, 1, 1),
        Kind("conference table", 1.6, 0.9, False, 0, 1),
        Kind("sideboard", 1.6, 0.45, True, 1, 2),
    ),
    "lab": (
        Kind("bench", 2.4, 0.8, True, 2, 4),
        Kind("bench", 2.0, 0.9, False, 1, 2),
        Kind("cabinet", 1.0, 0.5, True, 1, 2),
    ),
    "kitchen": (
        Kind("counter", 2.4, 0.65, True, 1, 1),
        Kind("fridge", 0.7, 0.7, True, 1, 1),
        Kind("table", 1.4, 0.9, False, 1, 1),
        Kind("sideboard", 1.2, 0.45, True, 0, 1),
    ),
    "bathroom": (
        Kind("bath", 1.6, 0.75, True, 0, 1),
        Kind("basin", 0.6, 0.5, True, 1, 2),
        Kind("toilet", 0.45, 0.65, True, 1, 2),
    ),
    "living": (
        Kind("sofa", 2.1, 0.9, True, 1, 2),
        Kind("dining table", 1.8, 0.95, False, 1, 1),
        Kind("shelf", 1.8, 0.4, True, 1, 2),
        Kind("coffee table", 1.0, 0.6, False, 0, 1),
    ),
    "bedroom": (
        Kind("bed", 1.6, 2.0, True, 1, 1),
        Kind("wardrobe", 1.8, 0.6, True, 1, 1),
        Kind("desk", 1.2, 0.6, True, 0, 1),
    ),
    "storage": (Kind("rack", 1.6, 0.5, True, 2, 4),),
}


@dataclass(frozen=True)
class Piece:
    """A piece of furniture, the cells that it takes and the index of its room in the plan."""

    name: str
    rect: Rect
    room: int = -1


@dataclass
class Floor:
    """Floor of one room in cells, x and y counted from the map's origin.

    Attributes
    ----------
    rect : Rect
        Inside of the walls.
    clear : list of Rect
        Places that stay empty, in front of doors.
    resolution_m, radius_m : float
        Side of a cell, and radius of the robot that must get everywhere.
    """

    rect: Rect
    clear: list[Rect]
    resolution_m: float
    radius_m: float
    pieces: list[Piece] = field(default_factory=list)

    def furnish(self, kinds: tuple[Kind, ...], rng: np.random.Generator) -> None:
        """Place pieces; one that finds no place after a few tries is left out."""
        for kind in kinds:
            for _ in range(int(rng.integers(kind.least, kind.most + 1))):
                for _ in range(TRIES):
                    rect = self._propose(kind, rng)
                    if rect is not None and self._may_stand(rect):
                        self.pieces.append(Piece(kind.name, rect))
                        break

    def _cells(self, metres: float) -> int:
        return max(1, round(metres / self.resolution_m))

    def _propose(self, kind: Kind, rng: np.random.Generator) -> Rect | None:
        """Return a random place of the right size, None if the room is too small."""
        turned = bool(rng.integers(2))
        wide, deep = self._cells(kind.along_m), self._cells(kind.off_m)
        if turned:
            wide, deep = deep, wide
        inset = 0 if kind.at_wall else self._cells(WALL_GAP_M)
        spare_x = self.rect.width - 2 * inset - wide
        spare_y = self.rect.height - 2 * inset - deep
        if spare_x < 0 or spare_y < 0:
            return None
        x, y = int(rng.integers(spare_x + 1)), int(rng.integers(spare_y + 1))
        if kind.at_wall:  # the long or the short walls, this one or the one across
            across = bool(rng.integers(2))
            if turned:
                x, y = across * spare_x, self._snap(y, spare_y)
            else:
                x, y = self._snap(x, spare_x), across * spare_y
        x0, y0 = self.rect.x0 + inset + x, self.rect.y0 + inset + y
        return Rect(x0, y0, x0 + wide, y0 + deep)

    def _snap(self, position: int, spare: int) -> int:
        """Move a piece into the corner rather than leave a slit beside it."""
        slit = self._cells(SLIT_M)
        if position < slit:
            return 0
        return spare if spare - position < slit else position

    def _may_stand(self, rect: Rect) -> bool:
        gap = self._cells(GAP_M)
        roomy = Rect(rect.x0 - gap, rect.y0 - gap, rect.x1 + gap, rect.y1 + gap)
        if any(_overlap(roomy, piece.rect) for piece in self.pieces):
            return False
        if any(_overlap(rect, area) for area in self.clear):
            return False
        return self._stays_whole(rect)

    def _stays_whole(self, extra: Rect) -> bool:
        """Tell whether the robot still gets everywhere with one more piece on the floor."""
        free = np.ones((self.rect.height, self.rect.width), bool)
        for rect in (*(piece.rect for piece in self.pieces), extra):
            _window(free, rect, self.rect)[...] = False
        _, parts = ndimage.label(shrink(free, self.radius_m / self.resolution_m))
        _, plain_parts = ndimage.label(free)
        return parts == 1 and plain_parts == 1


def _window(array: npt.NDArray[np.bool_], rect: Rect, frame: Rect) -> npt.NDArray[np.bool_]:
    return array[rect.y0 - frame.y0 : rect.y1 - frame.y0, rect.x0 - frame.x0 : rect.x1 - frame.x0]


def _overlap(a: Rect, b: Rect) -> bool:
    return a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1
