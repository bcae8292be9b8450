"""Known traps of map files, found before a robot falls into them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from adm_core.grid._blocks import row_blocks
from adm_core.grid.map_image import MapImage
from adm_core.grid.map_metadata import MapMetadata
from adm_core.grid.map_modes import FREE, OCCUPIED, occupancy_table
from adm_core.grid.statistics import MapStatistics

#: Grey that map_saver writes for unknown; its p is 50/255 = 0.196.
UNKNOWN_GREY = 205
#: More free specks than this are worth a word.
MANY_SPECKS = 10


@dataclass(frozen=True)
class MapWarning:
    """One trap: a short name for programs and a sentence for people."""

    code: str
    text: str


def find_traps(meta: MapMetadata, image: MapImage, figures: MapStatistics) -> list[MapWarning]:
    """Return the traps of a map, the file's before the space's."""
    found = [*_file_traps(meta, image), *_space_traps(figures)]
    return [MapWarning(code, text) for code, text in found]


def unknown_is_known(meta: MapMetadata) -> bool:
    """Tell whether the grey that map_saver writes for unknown is read as free or occupied."""
    meaning = occupancy_table(255, meta)[UNKNOWN_GREY]
    return meta.mode != "raw" and meaning in (FREE, OCCUPIED)


def file_traps(meta: MapMetadata, image: MapImage) -> list[MapWarning]:
    """Return the traps of the file alone: no figures of the map are needed."""
    return [MapWarning(code, text) for code, text in _file_traps(meta, image)]


def _file_traps(meta: MapMetadata, image: MapImage) -> Iterator[tuple[str, str]]:
    if unknown_is_known(meta):
        free = occupancy_table(255, meta)[UNKNOWN_GREY] == FREE
        yield _grey_trap(meta, _count_grey(image, UNKNOWN_GREY), free=free)
    if image.alpha is not None:
        yield (
            "transparent",
            f"transparent pixels: mode {meta.mode} "
            + {
                "trinary": "averages their opacity into the brightness",
                "scale": "makes them unknown",
                "raw": "ignores it",
            }[meta.mode],
        )
    if meta.mode == "raw" and meta.negate:
        yield "negate-in-raw", "negate is ignored in mode raw, as in Nav2 (ROS 1 obeys it)"
    if not math.isclose(math.remainder(meta.origin.yaw, math.tau), 0.0, abs_tol=1e-9):
        yield (
            "yaw",
            f"the map is turned by {math.degrees(meta.origin.yaw):g} deg: several ROS nodes "
            "ignore the yaw of a map",
        )


def _grey_trap(meta: MapMetadata, cells: int, *, free: bool) -> tuple[str, str]:
    p = (UNKNOWN_GREY if meta.negate else 255 - UNKNOWN_GREY) / 255
    limit = f"< free_thresh {meta.free_thresh:g}"
    if not free:
        limit = f"> occupied_thresh {meta.occupied_thresh:g}"
    return (
        f"unknown-is-{'free' if free else 'occupied'}",
        f"grey {UNKNOWN_GREY}, which map_saver writes for unknown, has p = {p:.3f} {limit} and "
        f"counts as {'FREE' if free else 'OCCUPIED'} "
        f"({f'{cells} cells' if cells else 'none in this map'})",
    )


def _space_traps(figures: MapStatistics) -> Iterator[tuple[str, str]]:
    if figures.unknown == figures.cells:
        yield "all-unknown", "every cell is unknown: check the thresholds against the image"
        return
    if figures.free == 0:
        yield "no-free", "no cell is free: check negate and the thresholds"
        return
    if figures.unknown == 0:
        yield "no-unknown", "no cell is unknown: nothing is left to explore"
    if figures.occupied == 0:
        yield "no-occupied", "no cell is occupied: there is no wall"
    if figures.region == 0:
        yield (
            "robot-does-not-fit",
            f"no free cell is more than {figures.radius_m:g} m from what is not free: "
            "the robot fits nowhere",
        )
    if figures.specks > MANY_SPECKS:
        yield (
            "specks",
            f"{figures.specks} of {figures.parts} free parts are smaller than the robot: "
            "they make frontiers that nobody can reach",
        )


def _count_grey(image: MapImage, grey: int) -> int:
    """Count the pixels whose average colour is `grey` on a scale of 0..255."""
    wanted = grey * image.peak * image.channels
    total = 0
    for block in row_blocks(image.pixels.shape):
        brightness = image.pixels[block].astype(np.int64)
        if image.channels > 1:
            brightness = brightness.sum(axis=2)
        total += int(np.count_nonzero(brightness * 255 == wanted))
    return total
