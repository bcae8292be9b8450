"""Houses of HouseExpo: a JSON file with an outline and boxes around rooms.

The outline is one ring that runs around every room and through every door gap; its inside is
the floor. Room types are given by boxes that are a little larger than their room, may overlap,
may be wrong by a lot, and one room may be listed under several types. The rule here:

1. ``toilet`` is a bathroom and ``guest_room`` a bedroom.
2. A box that reaches more than 1.5 m beyond the outline is wrong and left out, with a note.
   Where it belongs cannot be told.
3. Boxes that cover the same room (they share 90 % of their union) become one box that has
   all their types, as in ``kitchen/office``.
4. Each side of a box moves to the wall that it means: to the line, at most 1 m inside or
   0.3 m outside, where most of the side runs through walls, if at least half of it does; the
   nearest such line among equals.
5. A cell that is in several boxes goes to the smallest; among equals to the type that comes
   first in the alphabet. What no box covers has no label.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from adm_core.errors import MapError
from adm_core.grid.floorplans import documents as doc
from adm_core.grid.floorplans.plan import LabelledMap, plan_of_rooms
from adm_core.grid.floorplans.polygons import fill_polygon
from adm_core.grid.floorplans.words import type_name
from adm_core.grid.map_modes import FREE, OCCUPIED, UNKNOWN
from adm_core.types import GridMap, Pose2D

RESOLUTION_M = 0.05
#: Thickness of the outer walls, and unknown ground around them.
WALL_M, MARGIN_M = 0.25, 0.5
#: How far a box may reach beyond the outline.
ASTRAY_M = 1.5
#: How far sides of boxes look for their wall, inwards and outwards.
INWARDS_M, OUTWARDS_M = 1.0, 0.3
SAME_ROOM = 0.9
MAX_SIDE_M = 500.0


class Box(NamedTuple):
    """Rectangle in metres, or in cells, and the types of its room."""

    x0: float
    y0: float
    x1: float
    y1: float
    types: tuple[str, ...]

    @property
    def area(self) -> float:
        """Width times height."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)


def load_houseexpo(path: Path) -> LabelledMap:
    """Load a house.

    Raises
    ------
    MapError
        The file is cut off, lacks ``verts`` or ``room_category``, or holds no outline of a
        house of at most 500 m.

    Notes
    -----
    Cells of 0.05 m; walls are 0.25 m thick outside, unknown beyond.
    """
    document = doc.as_mapping(doc.read_json(path), path)
    ring = _ring(document, path)
    boxes, notes = _boxes(document, ring, path)
    low = ring.min(axis=0) - MARGIN_M
    shape = np.ceil((ring.max(axis=0) + MARGIN_M - low) / RESOLUTION_M).astype(int)
    floor = fill_polygon((ring - low) / RESOLUTION_M, (int(shape[1]), int(shape[0])))
    if not floor.any():
        raise MapError(f"{path}: verts must be the outline of a floor, got one without inside")
    grid_map = GridMap(_walls(floor), RESOLUTION_M, Pose2D(float(low[0]), float(low[1]), 0.0))
    cells = [_in_cells(box, low) for box in boxes]
    rooms, kinds = _paint(floor, [_snap(box, floor) for box in cells])
    names = _numbered(kinds)
    return plan_of_rooms(grid_map, rooms, names, kinds, source=path.stem, notes=tuple(notes))


def _ring(document: dict[str, Any], path: Path) -> npt.NDArray[np.float64]:
    points = doc.as_list(doc.require(document, "verts", path), path, "verts")
    ring = np.array([doc.as_numbers(point, path, "each of verts", 2)[:2] for point in points])
    if len(ring) < 3:
        raise MapError(f"{path}: verts must have 3 corners or more, got {len(ring)}")
    if np.ptp(ring, axis=0).max() > MAX_SIDE_M or np.abs(ring).max() > 1e6:
        raise MapError(f"{path}: verts must outline a house of at most {MAX_SIDE_M:g} m a side")
    return ring


def _boxes(
    document: dict[str, Any], ring: npt.NDArray[np.float64], path: Path
) -> tuple[list[Box], list[str]]:
    """Return the boxes that may be right, one a room, and a note on each other one."""
    low, high = ring.min(axis=0) - ASTRAY_M, ring.max(axis=0) + ASTRAY_M
    kept: list[Box] = []
    notes = []
    categories = doc.as_mapping(doc.require(document, "room_category", path), path, "room_category")
    for word, rectangles in sorted(categories.items()):
        for rectangle in doc.as_list(rectangles, path, f"room_category {word}"):
            xa, ya, xb, yb = doc.as_numbers(rectangle, path, f"box of {word}", 4)[:4]
            box = Box(min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb), (type_name(word),))
            if (box[:2] < low).any() or (box[2:4] > high).any():
                notes.append(f"left out a box of {word} that reaches far out of the house")
            else:
                kept.append(box)
    return _merged(kept), notes


def _merged(boxes: list[Box]) -> list[Box]:
    """Return the boxes with those of the same room made one."""
    found: list[Box] = []
    for box in boxes:
        twin = next(
            (k for k, other in enumerate(found) if _likeness(box, other) >= SAME_ROOM), None
        )
        if twin is None:
            found.append(box)
        else:
            types = tuple(sorted({*found[twin].types, *box.types}))
            found[twin] = found[twin]._replace(types=types)
    return found


def _likeness(a: Box, b: Box) -> float:
    """Return the shared part of two boxes' union."""
    wide = min(a.x1, b.x1) - max(a.x0, b.x0)
    high = min(a.y1, b.y1) - max(a.y0, b.y0)
    shared = max(0.0, wide) * max(0.0, high)
    union = a.area + b.area - shared
    return shared / union if union > 0 else 0.0


def _walls(floor: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
    """Return the occupancy: walls around the floor, unknown beyond."""
    away = ndimage.distance_transform_edt(~floor)
    data = np.where(away <= WALL_M / RESOLUTION_M, OCCUPIED, UNKNOWN)
    return np.where(floor, FREE, data).astype(np.int8)


def _in_cells(box: Box, low: npt.NDArray[np.float64]) -> Box:
    corners = (np.array(box[:4]).reshape(2, 2) - low) / RESOLUTION_M
    x0, y0, x1, y1 = np.rint(corners).ravel().tolist()
    return Box(x0, y0, x1, y1, box.types)


def _snap(box: Box, floor: npt.NDArray[np.bool_]) -> Box:
    """Return a box in cells with its sides at the walls that they mean."""
    rows, cols = floor.shape
    x0, x1 = (int(min(max(value, 0), cols)) for value in (box.x0, box.x1))
    y0, y1 = (int(min(max(value, 0), rows)) for value in (box.y0, box.y1))
    if x0 >= x1 or y0 >= y1:  # no extent, or beside the house
        return Box(x0, y0, x0, y0, box.types)
    across, along = floor[y0:y1], floor[:, x0:x1]
    x0, x1 = _to_wall(across.mean(axis=0), x0, 1), _to_wall(across.mean(axis=0), x1, -1)
    y0, y1 = _to_wall(along.mean(axis=1), y0, 1), _to_wall(along.mean(axis=1), y1, -1)
    return Box(x0, y0, max(x0, x1), max(y0, y1), box.types)


def _to_wall(free_share: npt.NDArray[np.float64], side: int, inwards: int) -> int:
    """Return the line near `side` that runs through walls most, `side` if none does.

    `free_share` is the share of floor on each line of cells.
    """
    reach_in, reach_out = round(INWARDS_M / RESOLUTION_M), round(OUTWARDS_M / RESOLUTION_M)
    best, found = 0.5, side
    for step in sorted(range(-reach_out, reach_in + 1), key=abs):
        line = side + inwards * step
        if 0 <= line < len(free_share) and 1 - free_share[line] > best + 0.02:
            best, found = 1 - free_share[line], line
    return found


def _paint(
    floor: npt.NDArray[np.bool_], boxes: list[Box]
) -> tuple[npt.NDArray[np.uint16], dict[int, str]]:
    """Return the room image, and the type of each room."""
    rooms = np.zeros(floor.shape, np.uint16)
    kinds = {number: "/".join(box.types) for number, box in enumerate(boxes, 1)}
    order = sorted(kinds, key=lambda number: (boxes[number - 1].area, kinds[number]), reverse=True)
    for number in order:  # the smallest comes last and stays
        x0, y0, x1, y1 = (int(value) for value in boxes[number - 1][:4])
        rooms[y0:y1, x0:x1] = number
    return rooms, kinds


def _numbered(kinds: dict[int, str]) -> dict[int, str]:
    """Return a name for each room: its type, with a number where there are several."""
    names = {}
    for number, kind in kinds.items():
        alike = [other for other in kinds if kinds[other] == kind]
        names[number] = kind if len(alike) == 1 else f"{kind} {alike.index(number) + 1}"
    return names
