"""Objects of the GDC floors: ``o3_302_printer`` is a printer in room 302."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from adm_core.grid.floorplans import documents as doc
from adm_core.grid.floorplans.plan import LabelledMap, PlanObject, nearest_floor
from adm_core.types import Pose2D

_NAME = re.compile(r"o(\d+)_([0-9]+[a-z]?)(?:_(.+))?")


def read_objects(path: Path) -> list[tuple[str, Pose2D]]:
    """Return names and places of the objects of a file; none if there is no file.

    Raises
    ------
    MapError
        The file is no list of ``{name, point: [x, y, yaw]}``.
    """
    if not path.is_file():
        return []
    found = []
    for entry in doc.as_list(doc.read_yaml(path) or [], path, "the file"):
        item = doc.as_mapping(entry, path, "each object")
        name = str(doc.require(item, "name", path))
        x, y, *yaw = doc.as_numbers(doc.require(item, "point", path), path, f"point of {name}", 2)
        found.append((name, Pose2D(x, y, yaw[0] if yaw else 0.0)))
    return found


def place_objects(
    plan: LabelledMap, types: Mapping[str, str], objects: list[tuple[str, Pose2D]]
) -> tuple[PlanObject, ...]:
    """Return the objects that lie on the map, each in its room.

    The room is the one in the name, for a point may lie outside the door it is seen from; if
    the plan has no such room it is the room at the point. The kind is the rest of the name.
    The cell is the free one of the room nearest to the point, at most 1.5 m away, else the
    free one nearest to it at all.
    """
    kinds = _kinds([name for name, _ in objects])
    placed = []
    for name, pose in objects:
        room = _room_of(plan, name, pose)
        inside = _mask(plan, room)
        cell = nearest_floor(plan.grid_map, pose, inside) if inside is not None else None
        cell = cell or nearest_floor(plan.grid_map, pose)
        if cell is not None:
            kind = types.get(room, "")
            placed.append(PlanObject(name, kinds[name], pose, cell, room, kind))
    return tuple(placed)


def _room_of(plan: LabelledMap, name: str, pose: Pose2D) -> str:
    rooms = plan.rooms
    if rooms is None:
        return ""
    match = _NAME.fullmatch(name)
    named = f"l{match[1]}_{match[2]}" if match else ""
    if named in rooms.names.values():
        return named
    cell = plan.grid_map.world_to_cell(pose.x, pose.y)
    inside = plan.grid_map.contains(cell)
    return rooms.names.get(int(rooms.data[cell]), "") if inside else ""


def _mask(plan: LabelledMap, room: str) -> np.ndarray | None:
    if plan.rooms is None or not room:
        return None
    labels = [label for label, name in plan.rooms.names.items() if name == room]
    return np.isin(plan.rooms.data, labels)


def _kinds(names: list[str]) -> dict[str, str]:
    """Return the kind of each object: ``tablea`` and ``tableb`` of one room are tables."""
    parts = {name: _NAME.fullmatch(name) for name in names}
    words = {
        name: re.sub(r"\d+$", "", match[3] or "") if match else "" for name, match in parts.items()
    }
    rooms = {name: match[2] if match else "" for name, match in parts.items()}
    kinds = {}
    for name, word in words.items():
        twins = [
            other
            for other, another in words.items()
            if other != name and rooms[other] == rooms[name] and another[:-1] == word[:-1] != ""
        ]
        kinds[name] = (word[:-1] if twins else word).replace("_", " ").strip()
    return kinds
