"""Report of ``adm world --search`` and ``--survey`` as text, JSON and a picture."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import cv2
import numpy as np

from adm_core.errors import MapError
from adm_core.files import write_atomic
from adm_core.grid.picture import PAPER, TINTS, Colour, MapPicture, framed
from adm_core.rooms.instances import label_rooms
from adm_core.simulation.building.generate import Building
from adm_core.simulation.search.apartments import type_names
from adm_core.simulation.search.draws import window
from adm_core.simulation.search.scenario import SearchScenario
from adm_core.simulation.search.statistics import Spread, WorldStatistics

ROBOT: Colour = (60, 140, 40)
TARGET: Colour = (72, 72, 226)
_LENGTH_M = 0.9


def as_text(scenario: SearchScenario, path: Path, picture: Path | None) -> str:
    """Return the report of one world for people."""
    rows, cols = scenario.truth.shape
    rooms = label_rooms(scenario.truth.data, scenario.room_type, labels=False)
    counts = Counter(scenario.names[kind] for kind in rooms.types.tolist())
    target = scenario.targets[0]
    lines = [
        f"{path}",
        f"  rooms      {', '.join(f'{counts[name]} {name}' for name in sorted(counts))}",
        f"  size       {cols} x {rows} cells of {scenario.truth.resolution:g} m, "
        f"{int((scenario.truth.data == 0).sum())} free",
        f"  robots     {', '.join(f'({cell.row}, {cell.col})' for cell in scenario.starts)}",
        f"  target     ({target.row}, {target.col}), room type {scenario.target_name}",
    ]
    return "\n".join(lines if picture is None else [*lines, f"  picture    {picture}"])


def as_json(scenario: SearchScenario, path: Path, picture: Path | None) -> str:
    """Return the report of one world for programs; cells are (row, col)."""
    report = {
        "map": str(path),
        "picture": None if picture is None else str(picture),
        "map_id": scenario.truth.map_id,
        "rows": scenario.truth.shape[0],
        "cols": scenario.truth.shape[1],
        "resolution_m": scenario.truth.resolution,
        "starts": [list(cell) for cell in scenario.starts],
        "headings_rad": list(scenario.headings_rad),
        "target": list(scenario.targets[0]),
        "target_type": scenario.target_name,
        "objects": [
            {"name": item.name, "kind": item.kind, "cell": list(item.cell), "room": item.room}
            for item in scenario.objects
        ],
    }
    return json.dumps(report)


def survey_text(scale: str, figures: WorldStatistics) -> str:
    """Return the figures of many worlds for people: 5th, 50th and 95th percentile."""
    f = figures
    types = ", ".join(f"{count:.1f} {name}" for name, count in f.types.items())
    targets = ", ".join(f"{count} {name}" for name, count in f.targets.items())
    lines = [
        f"{f.worlds} {scale} worlds; low, middle and high are the 5th, 50th and 95th percentile",
        f"  sides      {_told(f.side_cells)} cells",
        f"  rooms      {_told(f.rooms)} a world: {types}",
        f"  a room     {_told(f.room_m2, 1)} m2, sides of {_told(f.room_side_m, 2)} m, "
        f"{100 * f.furnished:.0f} % of the floor furnished",
        f"  doors      {_told(f.doors)} a world, {_told(f.loops)} ways around, "
        f"{_told(f.depth)} doors deep, {100 * f.at_corridor:.0f} % of the rooms at a corridor",
        f"  free       {_told(f.free_cells)} cells, the farthest {_told(f.reach_steps)} steps away",
        f"  target     {_told(f.target_steps)} steps away: {targets}",
    ]
    return "\n".join(lines)


def survey_json(scale: str, figures: WorldStatistics) -> str:
    """Return the figures of many worlds for programs."""
    return json.dumps({"scale": scale, **asdict(figures)})


def _told(spread: Spread, digits: int = 0) -> str:
    low, middle, high = (f"{value:.{digits}f}" for value in spread)
    return f"{low} / {middle} / {high}"


def draw(building: Building, scenario: SearchScenario, path: Path) -> Path:
    """Draw a world with its furniture, rooms by type, robots and target, beside its map."""
    names = type_names(building)
    legend = [(name, TINTS[label]) for label, name in names.items()]
    legend += [("furniture", TINTS[-1]), ("robot", ROBOT), ("target", TARGET)]
    rooms = sum(room.type != "corridor" for room in building.plan.rooms)
    subtitle = (
        f"{rooms} rooms, {len(building.plan.doors)} doors, target in a {scenario.target_name}"
    )
    out = path.with_suffix(".png")
    page = framed(picture_of(building, scenario), path.stem, subtitle, legend)
    _, packed = cv2.imencode(".png", page)
    try:
        write_atomic(out, [packed])
    except OSError as err:
        raise MapError(f"{out}: cannot be written: {err.strerror}") from err
    return out


def picture_of(building: Building, scenario: SearchScenario, longest_px: int = 1400) -> MapPicture:
    """Return the picture of a world without its frame."""
    labels = building.labels.data
    tints = np.where(labels > 0, labels + 1, 0)
    for piece in building.furniture:
        tints[piece.rect.y0 : piece.rect.y1, piece.rect.x0 : piece.rect.x1] = len(TINTS)
    picture = MapPicture(scenario.truth, tints, longest_px)
    spoken = {building.labels.names[k]: name for k, name in type_names(building).items()}
    for room in building.plan.rooms:
        rows, cols = window(scenario.truth, room.rect)
        middle = (rows.start + rows.stop - 1) / 2, (cols.start + cols.stop - 1) / 2
        pose = scenario.truth.cell_to_world(middle)
        if room.type != "corridor":
            picture.write(spoken[room.type], pose.x, pose.y, 0.45)
    for cell, heading in zip(scenario.starts, scenario.headings_rad, strict=True):
        _draw_robot(picture, scenario.truth.cell_to_world(cell), heading)
    target = scenario.truth.cell_to_world(scenario.targets[0])
    picture.dot(target.x, target.y, 11, PAPER)
    picture.dot(target.x, target.y, 9, TARGET)
    return picture


def _draw_robot(picture: MapPicture, pose: tuple[float, ...], heading: float) -> None:
    x, y = pose[0], pose[1]
    tip = x + _LENGTH_M * math.cos(heading), y + _LENGTH_M * math.sin(heading)
    picture.line([(x, y), tip], ROBOT, 2)
    picture.dot(x, y, 9, PAPER)
    picture.dot(x, y, 7, ROBOT)
