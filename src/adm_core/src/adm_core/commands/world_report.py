"""Report of ``adm world`` as text, JSON and a picture."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from adm_core.errors import MapError
from adm_core.files import write_atomic
from adm_core.grid.labels import label_paths
from adm_core.grid.picture import TINTS, MapPicture, framed
from adm_core.grid.statistics import describe
from adm_core.simulation.building.generate import Building
from adm_core.simulation.building.plan import MODULE_M, Rect
from adm_core.simulation.building.program import ROOM_TYPES


def as_text(building: Building, path: Path, picture: Path | None) -> str:
    """Return the report for people."""
    figures = describe(building.grid_map)
    counts = Counter(room.type for room in building.plan.rooms if room.type != "corridor")
    rooms = ", ".join(f"{counts[name]} {name}" for name in ROOM_TYPES if counts[name])
    lines = [
        f"{path}",
        f"  rooms      {counts.total()}: {rooms}",
        f"  doors      {len(building.plan.doors)}, {len(building.furniture)} pieces of furniture",
        f"  size       {figures.cols} x {figures.rows} cells of {figures.resolution_m:g} m = "
        f"{figures.width_m:.2f} x {figures.height_m:.2f} m",
        f"  free       {figures.area_m2(figures.free):.1f} m2, "
        f"{figures.area_m2(figures.region):.1f} m2 for a robot of radius {figures.radius_m:g} m",
        f"  labels     {label_paths(path)[0].name}, {label_paths(path)[1].name}",
    ]
    return "\n".join(lines if picture is None else [*lines, f"  picture    {picture}"])


def as_json(building: Building, path: Path, picture: Path | None) -> str:
    """Return the report for programs; lengths in metres, rectangles as x0, y0, x1, y1."""
    figures = describe(building.grid_map)
    image, legend = label_paths(path)
    report: dict[str, Any] = {
        "map": str(path),
        "labels": str(image),
        "legend": str(legend),
        "picture": None if picture is None else str(picture),
        "map_id": building.grid_map.map_id,
        "rows": figures.rows,
        "cols": figures.cols,
        "resolution_m": figures.resolution_m,
        "free_m2": round(figures.area_m2(figures.free), 6),
        "region_m2": round(figures.area_m2(figures.region), 6),
        "rooms": [
            {"type": room.type, "rect_m": _metres(room.rect)} for room in building.plan.rooms
        ],
        "doors": [
            {"rooms": list(door.rooms), "rect_m": _metres(door.rect)}
            for door in building.plan.doors
        ],
        "furniture": len(building.furniture),
    }
    return json.dumps(report)


def draw(building: Building, path: Path) -> Path:
    """Draw the building with its rooms tinted by type and named, beside its map."""
    labels = building.labels.data
    tints = np.where(labels > 0, labels + 1, 0)
    for piece in building.furniture:
        tints[piece.rect.y0 : piece.rect.y1, piece.rect.x0 : piece.rect.x1] = len(TINTS)
    picture = MapPicture(building.grid_map, tints)
    rooms = [room for room in building.plan.rooms if room.type != "corridor"]
    for room in rooms:
        x0, y0, x1, y1 = _metres(room.rect)
        picture.write(room.type, (x0 + x1) / 2, (y0 + y1) / 2)
    used = np.flatnonzero(np.bincount(labels.ravel()))[1:]
    legend = [(ROOM_TYPES[label - 1], TINTS[label]) for label in used]
    if building.furniture:
        legend.append(("furniture", TINTS[-1]))
    subtitle = f"{len(rooms)} rooms, {len(building.plan.doors)} doors"
    out = path.with_suffix(".png")
    _, packed = cv2.imencode(".png", framed(picture, path.stem, subtitle, legend))
    try:
        write_atomic(out, [packed])
    except OSError as err:
        raise MapError(f"{out}: cannot be written: {err.strerror}") from err
    return out


def _metres(rect: Rect) -> list[float]:
    return [value * MODULE_M for value in (rect.x0, rect.y0, rect.x1, rect.y1)]
