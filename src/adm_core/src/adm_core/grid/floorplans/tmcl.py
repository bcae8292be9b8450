"""Floors with a room segmentation: a map, ``<map>RoomSeg.png``, floor.config, editor.xml.

The segmentation is an image of the map's size: 0 wall, 1..n rooms, other values outside; in
colour images the first channel counts. ``floor.config`` is JSON and names the files; it may
list ``rooms`` with a ``category``. ``editor.xml`` is a text archive with the rooms' names.
Either may be missing: rooms are then called "Room 1" and so on.

The type of a room is its category; without one, its name without the number ("Room 7" is a
room, "Kitchen 2" a kitchen). A room of type "room" that touches at least three others and is at
least three times as long as wide, by the axes of its own shape, is a corridor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from adm_core.errors import MapError
from adm_core.grid.adjacency import touching
from adm_core.grid.floorplans import documents as doc
from adm_core.grid.floorplans.plan import LabelledMap, plan_of_rooms
from adm_core.grid.floorplans.words import type_name, without_number
from adm_core.grid.map_image import read_image
from adm_core.grid.map_io import build_map
from adm_core.grid.map_metadata import MapMetadata, read_metadata
from adm_core.types import Pose2D

CONFIG = "floor.config"
SEGMENTATION = "RoomSeg.png"
#: Values of the segmentation from here on are outside.
OUTSIDE = 205
LONG, MANY = 3.0, 3
PLAIN = "room"

#: Room number to (name, category); either may be empty.
Legend = dict[int, tuple[str, str]]


def load_tmcl(path: Path) -> LabelledMap:
    """Load a floor by its floor.config, or by the YAML file of its map.

    Raises
    ------
    MapError
        A file is missing, cut off or lacks a key, or the segmentation has another size than
        the map.
    """
    is_map = path.suffix in (".yaml", ".yml")
    config_path = path.parent / CONFIG if is_map else path
    config: dict[str, Any] = {}
    if config_path.is_file():
        config = doc.as_mapping(doc.read_json(config_path), config_path)
    if is_map:
        meta = read_metadata(path)
        segmentation = segmentation_of(path, meta) or path.parent / SEGMENTATION
        if not _belongs(config, meta.image.name):
            config = {}
    else:
        meta = _metadata(config, path)
        segmentation = path.parent / str(doc.require(config, "roomSeg", path))
    grid_map = build_map(meta, read_image(meta.image))
    rooms = read_segmentation(segmentation, grid_map.shape)
    legend = _legend(config, path.parent)
    floor = np.where(grid_map.data == 0, rooms, 0)
    numbers = [number for number in np.unique(floor).tolist() if number]
    names = {n: legend.get(n, ("", ""))[0] or f"Room {n}" for n in numbers}
    types = _types(floor, names, {n: legend.get(n, ("", ""))[1] for n in numbers})
    return plan_of_rooms(grid_map, floor, names, types, source=meta.image.stem)


def segmentation_of(path: Path, meta: MapMetadata) -> Path | None:
    """Return the segmentation beside a map: named after its image or its file, or the only one."""
    named = [path.parent / f"{stem}{SEGMENTATION}" for stem in (meta.image.stem, path.stem)]
    found = [candidate for candidate in named if candidate.is_file()]
    others = sorted(path.parent.glob(f"*{SEGMENTATION}"))
    return found[0] if found else others[0] if len(others) == 1 else None


def _belongs(config: Mapping[str, Any], image: str) -> bool:
    """Tell whether a floor.config is about the map with this image."""
    described = config.get("map")
    return isinstance(described, dict) and described.get("image") == image


def _metadata(config: dict[str, Any], path: Path) -> MapMetadata:
    described = doc.as_mapping(doc.require(config, "map", path), path, "map")
    origin = doc.as_numbers(doc.require(described, "origin", path), path, "origin", 3)
    (resolution,) = doc.as_numbers(
        [doc.require(described, "resolution", path)], path, "resolution", 1
    )
    if not 1e-4 <= resolution <= 1e4:
        raise MapError(f"{path}: resolution must be 0.0001 to 10000 m, got {resolution:g}")
    limits = [described.get("occupied_thresh", 0.65), described.get("free_thresh", 0.196)]
    occupied, free = doc.as_numbers(limits, path, "thresholds", 2)
    return MapMetadata(
        path.parent / str(doc.require(described, "image", path)),
        resolution,
        Pose2D(*origin[:3]),
        bool(described.get("negate", 0)),
        occupied,
        free,
    )


def read_segmentation(path: Path, shape: tuple[int, int]) -> npt.NDArray[np.uint16]:
    """Return the room of each cell, 0 for none, row 0 at the bottom."""
    pixels = read_image(path).pixels
    if pixels.ndim == 3:
        pixels = pixels[..., -1]  # OpenCV has red, the first channel, last
    if pixels.shape != shape:
        raise MapError(
            f"{path}: must be {shape[1]} x {shape[0]} pixels like the map, "
            f"got {pixels.shape[1]} x {pixels.shape[0]}"
        )
    return np.where(pixels < OUTSIDE, pixels, 0)[::-1].astype(np.uint16)


def _legend(config: dict[str, Any], folder: Path) -> Legend:
    legend: Legend = {}
    archive = folder / str(config.get("editor", "editor.xml"))
    if archive.is_file():
        text = archive.read_bytes().decode("utf-8", "replace")
        legend.update(_archived_rooms(text))
    semantic = config.get("semantic")
    categories = semantic.get("categories", []) if isinstance(semantic, dict) else []
    rooms = config.get("rooms")
    for position, room in enumerate(rooms if isinstance(rooms, list) else [], 1):
        if isinstance(room, dict):
            number, entry = _listed_room(room, position, categories)
            legend[number] = entry
    return legend


def _listed_room(
    room: Mapping[str, Any], position: int, categories: list[Any]
) -> tuple[int, tuple[str, str]]:
    """Return a room of floor.config; its category is a word or a place in the list."""
    category = room.get("category", room.get("purpose", ""))
    if isinstance(category, int) and 0 <= category < len(categories):
        category = categories[category]
    number = room.get("id", position)
    word = category if isinstance(category, str) else ""
    return (number if isinstance(number, int) else position), (str(room.get("name", "")), word)


def _archived_rooms(text: str) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield number, name and purpose of the rooms of a text archive.

    A string is its length, a blank and its characters; a room is a name, a purpose and its
    number, and rooms come in the order of their numbers.
    """
    expected, position = 0, 0
    while match := re.compile(r"(?<!\S)(\d+) ").search(text, position):
        room = _archived_room(text, match.start())
        if room is not None and room[0] == expected:
            number, name, purpose, position = room
            expected += 1
            if number:  # 0 is what is no room
                yield number, (name, "" if purpose == "general" else purpose)
        else:
            position = match.start() + 1


def _archived_room(text: str, start: int) -> tuple[int, str, str, int] | None:
    words = []
    for _ in range(2):
        length = re.compile(r"(\d{1,3}) ").match(text, start)
        if length is None or int(length[1]) == 0:
            return None
        end = length.end() + int(length[1])
        words.append(text[length.end() : end])
        if text[end : end + 1] != " ":
            return None
        start = end + 1
    number = re.compile(r"(\d{1,3})(?!\S)").match(text, start)
    return None if number is None else (int(number[1]), words[0], words[1], number.end())


def _types(
    floor: npt.NDArray[Any], names: Mapping[int, str], categories: Mapping[int, str]
) -> dict[int, str]:
    """Return the type of each room by the rule of this module."""
    touched: dict[int, int] = dict.fromkeys(names, 0)
    for pair in touching(floor):
        for number in pair:
            touched[number] += 1
    types = {}
    for number, name in names.items():
        kind = type_name(categories[number]) if categories[number] else without_number(name)
        if kind == PLAIN and touched[number] >= MANY and _elongation(floor == number) >= LONG:
            kind = "corridor"
        types[number] = kind
    return types


def _elongation(mask: npt.NDArray[np.bool_]) -> float:
    """Return length by width of the rectangle with the moments of a shape."""
    points = np.argwhere(mask)
    if len(points) < 2:
        return 1.0
    short, long = np.sqrt(np.maximum(np.linalg.eigvalsh(np.cov(points.T)), 1 / 12))
    return float(long / short)
