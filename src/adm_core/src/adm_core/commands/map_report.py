"""Report of ``adm map`` as text, JSON and a picture."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import cv2

from adm_core.errors import MapError
from adm_core.files import write_atomic
from adm_core.grid.map_metadata import MapMetadata
from adm_core.grid.map_traps import MapWarning
from adm_core.grid.picture import MapPicture, framed, legend_for
from adm_core.grid.regions import inflate, largest_region
from adm_core.grid.statistics import MapStatistics
from adm_core.types import GridMap


def as_text(path: str, meta: MapMetadata, figures: MapStatistics, traps: list[MapWarning]) -> str:
    """Return the report for people."""
    f, origin = figures, meta.origin
    share = f.region / f.free if f.free else 0.0
    lines = [
        str(path),
        f"  image      {meta.image.name}, mode {meta.mode}, negate {int(meta.negate)}, "
        f"free < {meta.free_thresh:g}, occupied > {meta.occupied_thresh:g}",
        f"  size       {f.cols} x {f.rows} cells of {f.resolution_m:g} m = "
        f"{f.width_m:.2f} x {f.height_m:.2f} m",
        f"  origin     x {origin.x:g} m, y {origin.y:g} m, yaw {math.degrees(origin.yaw):g} deg",
        *(
            f"  {name:<10} {100 * f.share(cells):5.1f} %  {f.area_m2(cells):10.1f} m2"
            for name, cells in _kinds(f).items()
            if cells or name != "between"
        ),
        f"  free parts {f.parts}, the largest {f.area_m2(f.largest_part):.1f} m2, "
        f"{f.specks} smaller than the robot",
        f"  region     {f.area_m2(f.region):.1f} m2 for a robot of radius {f.radius_m:g} m "
        f"({100 * share:.1f} % of the free space)",
        *(f"  warning    {trap.text}" for trap in traps),
    ]
    return "\n".join(lines)


def as_json(path: str, meta: MapMetadata, figures: MapStatistics, traps: list[MapWarning]) -> str:
    """Return the report for programs."""
    f = figures
    report: dict[str, Any] = {
        "map": str(path),
        "image": str(meta.image),
        "mode": meta.mode,
        "negate": meta.negate,
        "free_thresh": meta.free_thresh,
        "occupied_thresh": meta.occupied_thresh,
        "rows": f.rows,
        "cols": f.cols,
        "resolution_m": f.resolution_m,
        "width_m": round(f.width_m, 6),
        "height_m": round(f.height_m, 6),
        "origin": list(meta.origin),
        "cells": _kinds(f),
        "shares": {name: round(f.share(cells), 6) for name, cells in _kinds(f).items()},
        "components": {
            "count": f.parts,
            "largest_cells": f.largest_part,
            "largest_m2": round(f.area_m2(f.largest_part), 6),
            "smaller_than_robot": f.specks,
        },
        "region": {
            "radius_m": f.radius_m,
            "cells": f.region,
            "area_m2": round(f.area_m2(f.region), 6),
        },
        "warnings": [{"code": trap.code, "text": trap.text} for trap in traps],
    }
    return json.dumps(report, indent=2)


def draw(out: str, path: str, grid_map: GridMap, figures: MapStatistics) -> None:
    """Write the map as a PNG file with the region of the robot tinted."""
    region = largest_region(inflate(grid_map, figures.radius_m))
    picture = MapPicture(grid_map, region)
    legend = legend_for(picture, f"within reach of a robot of radius {figures.radius_m:g} m")
    in_sight = picture.shows(0.0, 0.0)
    if in_sight:
        picture.draw_axes()
    subtitle = (
        f"{figures.cols} x {figures.rows} cells of {figures.resolution_m:g} m, "
        f"free {figures.area_m2(figures.free):.0f} m2, "
        f"region {figures.area_m2(figures.region):.0f} m2, "
        + ("axes at (0, 0)" if in_sight else "(0, 0) is out of sight")
    )
    _, packed = cv2.imencode(".png", framed(picture, Path(path).stem, subtitle, legend))
    try:
        write_atomic(Path(out), [packed])
    except OSError as err:
        raise MapError(f"{out}: cannot be written: {err.strerror}") from err


def _kinds(figures: MapStatistics) -> dict[str, int]:
    return {
        "free": figures.free,
        "occupied": figures.occupied,
        "unknown": figures.unknown,
        "between": figures.between,
    }
