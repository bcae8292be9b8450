"""Floors of UT Austin's GDC building: a map_server map with files of rooms, doors, objects.

``locations.yaml`` lists the rooms, their polygons in pixels (top row first) and the name of an
image whose pixels are places in the list, 255 for none. Both say where rooms are, and they do
not always agree (on floor 3 the image follows another order of the list). The doors decide:
whichever of the two has more approach points of ``doors.yaml`` in the rooms that these points
are said to be in; the polygons if equal, or if there are no doors.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core.errors import MapError
from adm_core.grid.floorplans import documents as doc
from adm_core.grid.floorplans.gdc_objects import place_objects, read_objects
from adm_core.grid.floorplans.gdc_types import room_type
from adm_core.grid.floorplans.plan import LabelledMap, plan_of_rooms
from adm_core.grid.floorplans.polygons import fill_polygon
from adm_core.grid.map_image import read_image
from adm_core.grid.map_io import load_map
from adm_core.types import GridMap

LOCATIONS = "locations.yaml"
#: Corners may lie so many pixels outside the map.
SLACK_PX = 40
#: A floor's polygons are drawn by hand: agreement below this share of doors earns a note.
_GOOD_SHARE = 0.8
_NONE = 255

#: Room image: place in the list + 1, 0 for none; row 0 at the bottom.
RoomImage = npt.NDArray[np.uint16]
#: Cells (row, col) from which doors are approached, and the name of the room they are in.
Approaches = list[tuple[int, int, str]]


def load_gdc(path: Path) -> LabelledMap:
    """Load a floor by the path of its map's YAML file.

    Raises
    ------
    MapError
        A file is missing, cut off or lacks a key; the room image has another size than the
        map; a polygon lies outside the map.
    """
    grid_map = load_map(path)
    folder = path.parent
    listed = _locations(folder / LOCATIONS, grid_map.shape)
    names = listed.names
    approaches, neighbours = _doors(folder / "doors.yaml", grid_map)
    _add_connectivity(folder / "connectivity.yaml", neighbours)
    rooms, note = _choose(listed, approaches)
    notes = (*listed.notes, *note)
    numbered = dict(enumerate(names, 1))
    types = {number: room_type(name, neighbours) for number, name in numbered.items()}
    plan = plan_of_rooms(grid_map, rooms, numbered, types, source=path.stem, notes=notes)
    by_name = {name: types[number] for number, name in numbered.items()}
    objects = place_objects(plan, by_name, read_objects(folder / "objects.yaml"))
    return LabelledMap(grid_map, plan.types, plan.rooms, objects, path.stem, notes)


class _Rooms(NamedTuple):
    """Names of the rooms and what polygons and image say of them, None if absent."""

    names: list[str]
    polygons: RoomImage | None
    image: RoomImage | None
    notes: tuple[str, ...]


def _locations(path: Path, shape: tuple[int, int]) -> _Rooms:
    document = doc.as_mapping(doc.read_yaml(path), path)
    listed = doc.as_list(doc.require(document, "locations", path), path, "locations")
    names = [str(name) for name in listed]
    polygons = image = None
    notes = []
    image_path = _image_path(path, document.get("data"))
    if "polygons" in document:
        rings = doc.as_list(document["polygons"], path, "polygons")
        if len(rings) == len(names):
            polygons = _fill(names, rings, shape, path)
        elif image_path is None:
            raise MapError(
                f"{path}: polygons must be as many as locations ({len(names)}), got {len(rings)}"
            )
        else:
            notes.append(f"polygons left out: {len(rings)} for {len(names)} locations")
    if image_path is not None:
        image = _read_room_image(image_path, len(names), shape, strict=polygons is None)
    if polygons is None and image is None:
        raise MapError(f"{path}: neither polygons nor the image {document.get('data')!r} are there")
    return _Rooms(names, polygons, image, tuple(notes))


def _image_path(path: Path, data: Any) -> Path | None:
    """Return the room image's path, also if it was saved in another format; None if absent."""
    if not isinstance(data, str):
        return None
    candidates = [path.parent / data, (path.parent / data).with_suffix(".png")]
    return next((image for image in candidates if image.is_file()), None)


def _fill(names: list[str], rings: list[Any], shape: tuple[int, int], path: Path) -> RoomImage:
    """Paint the polygons, the smallest last: where two overlap it is the room."""
    rows, cols = shape
    masks = []
    for name, flat in zip(names, rings, strict=True):
        numbers = doc.as_numbers(flat, path, f"polygon of {name}", 6)
        if len(numbers) % 2:
            raise MapError(f"{path}: polygon of {name} must hold pairs x, y")
        ring = np.array(numbers).reshape(-1, 2)
        low, high = ring.min(axis=0), ring.max(axis=0)
        if (low < -SLACK_PX).any() or high[0] > cols + SLACK_PX or high[1] > rows + SLACK_PX:
            raise MapError(f"{path}: polygon of {name} lies outside the map of {cols} x {rows}")
        # Pixels are named by their upper left corner; centres are half a pixel on.
        masks.append(fill_polygon(ring + 0.5, shape)[::-1])
    image = np.zeros(shape, np.uint16)
    for k in sorted(range(len(masks)), key=lambda k: (-int(masks[k].sum()), k)):
        image[masks[k]] = k + 1
    return image


def _read_room_image(path: Path, rooms: int, shape: tuple[int, int], strict: bool) -> RoomImage:
    """Return the room image; a number without a room is refused, or no room if not `strict`."""
    pixels = read_image(path).pixels
    if pixels.ndim == 3:
        pixels = pixels[..., -1]  # OpenCV has red, the first channel, last
    if pixels.shape != shape:
        raise MapError(
            f"{path}: must be {shape[1]} x {shape[0]} pixels like the map, "
            f"got {pixels.shape[1]} x {pixels.shape[0]}"
        )
    upright = pixels[::-1].astype(np.int64)
    stray = np.unique(upright[(upright >= rooms) & (upright != _NONE)])
    if stray.size and strict:
        raise MapError(f"{path}: pixels must be 0..{rooms - 1} or 255, got {int(stray[0])}")
    return np.where(upright >= rooms, 0, upright + 1).astype(np.uint16)


def _doors(path: Path, grid_map: GridMap) -> tuple[Approaches, dict[str, set[str]]]:
    """Return the approach points of all doors, and which rooms doors join."""
    approaches: Approaches = []
    neighbours: dict[str, set[str]] = {}
    entries = doc.as_list(doc.read_yaml(path) or [], path, "the file") if path.is_file() else []
    for entry in entries:
        door = doc.as_mapping(entry, path, "each door")
        sides = []
        for side in doc.as_list(doc.require(door, "approach", path), path, "approach"):
            item = doc.as_mapping(side, path, "each approach")
            room = str(doc.require(item, "from", path))
            point = doc.as_numbers(doc.require(item, "point", path), path, "point", 2)
            row, col = grid_map.world_to_cell(point[0], point[1])
            approaches.append((row, col, room))
            sides.append(room)
        for one in sides:
            neighbours.setdefault(one, set()).update(other for other in sides if other != one)
    return approaches, neighbours


def _add_connectivity(path: Path, neighbours: dict[str, set[str]]) -> None:
    if not path.is_file():
        return
    for room, others in doc.as_mapping(doc.read_yaml(path), path).items():
        joined = doc.as_list(others, path, f"rooms beside {room}")
        neighbours.setdefault(room, set()).update(map(str, joined))


def _choose(rooms: _Rooms, approaches: Approaches) -> tuple[RoomImage, tuple[str, ...]]:
    """Return the room image that the doors agree with, and a note if the two differ."""
    names, polygons, image, _ = rooms
    if polygons is None or image is None:
        chosen = polygons if image is None else image
        assert chosen is not None  # one of them is there
        return chosen, ()
    by_polygon, by_image = (_hits(it, names, approaches) for it in (polygons, image))
    chosen, other, word = polygons, by_image, "polygons"
    if by_image > by_polygon:
        chosen, other, word = image, by_polygon, "image"
    if other >= _GOOD_SHARE * max(by_polygon, by_image):
        return chosen, ()
    best = max(by_polygon, by_image)
    total = len(approaches)
    return chosen, (
        f"polygons and image of the rooms disagree: took the {word}, which has {best} of "
        f"{total} door approaches in their rooms, not {other}",
    )


def _hits(rooms: RoomImage, names: Sequence[str], approaches: Approaches) -> int:
    """Count the approach points that lie in the room that they are said to be in."""
    number = {name: k for k, name in enumerate(names, 1)}
    rows, cols = rooms.shape
    return sum(
        0 <= row < rows and 0 <= col < cols and int(rooms[row, col]) == number.get(room, -1)
        for row, col, room in approaches
    )
