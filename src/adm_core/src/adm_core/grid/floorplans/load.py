"""One entry for floor plans of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from adm_core.errors import MapError
from adm_core.grid.floorplans.gdc import LOCATIONS, load_gdc
from adm_core.grid.floorplans.houseexpo import load_houseexpo
from adm_core.grid.floorplans.plan import LabelledMap
from adm_core.grid.floorplans.tmcl import CONFIG, load_tmcl, segmentation_of
from adm_core.grid.labels import LabelGrid, label_paths, load_labels
from adm_core.grid.map_image import read_image
from adm_core.grid.map_io import load_map
from adm_core.grid.map_metadata import read_metadata
from adm_core.grid.map_traps import file_traps, unknown_is_known


def load_floorplan(
    path: str | PathLike[str],
    *,
    cell_m: float | None = None,
    labels: str | PathLike[str] | None = None,
) -> LabelledMap:
    """Load a floor plan and tell its kind from its files.

    ==============================================  ============================================
    file                                            kind
    ==============================================  ============================================
    ``*.json``                                      a house of HouseExpo
    ``floor.config``                                a floor with a room segmentation
    ``*.yaml`` with ``NAME.labels.yaml`` beside it  a map with our label image
    ``*.yaml`` with ``locations.yaml`` beside it    a floor of the GDC building
    ``*.yaml`` with ``IMAGERoomSeg.png`` beside it  a floor with a room segmentation
    any other ``*.yaml``                            a map without rooms
    a folder                                        the one map in it
    ==============================================  ============================================

    Parameters
    ----------
    path : path-like
    cell_m : float, optional
        Pool a finer plan to cells of this size, see
        :func:`adm_core.grid.floorplans.pooled.pool_plan`.
    labels : path-like, optional
        A label image or its legend to use instead of what lies beside the map.

    Raises
    ------
    MapError
        One line that names the file and what is wrong with it, or the rooms that pooling
        would cut off.
    """
    path = Path(path).expanduser()
    if path.is_dir():
        path = _only_map(path)
    if not path.is_file():
        raise MapError(f"{path}: no such file")
    plan = _with_labels(path, Path(labels)) if labels is not None else _reader(path)(path)
    plan = replace(plan, notes=(*plan.notes, *_traps(path)))
    if cell_m is None:
        return plan
    from adm_core.grid.floorplans.pooled import pool_plan

    return pool_plan(plan, cell_m)


def _traps(path: Path) -> list[str]:
    """Return a note if the map's unknown is read as free or as occupied."""
    if path.suffix not in (".yaml", ".yml") or path.name == LOCATIONS:
        return []
    meta = read_metadata(path)
    if not unknown_is_known(meta):
        return []
    found = file_traps(meta, read_image(meta.image))
    return [trap.text for trap in found if trap.code.startswith("unknown-is-")]


def _reader(path: Path) -> Callable[[Path], LabelledMap]:
    if path.suffix == ".json":
        return load_houseexpo
    if path.name == CONFIG or path.suffix == ".config":
        return load_tmcl
    if path.name == LOCATIONS:
        return lambda _: load_floorplan(_only_map(path.parent))
    if label_paths(path)[1].is_file():
        return _load_labelled
    if (path.parent / LOCATIONS).is_file():
        return load_gdc
    if segmentation_of(path, read_metadata(path)) is not None:
        return load_tmcl
    return _load_plain


def _load_labelled(path: Path) -> LabelledMap:
    return _with_labels(path, label_paths(path)[1])


def _with_labels(path: Path, legend: Path) -> LabelledMap:
    grid_map = load_map(path)
    labels = load_labels(legend, grid_map.shape)
    assert labels is not None  # a named legend that is missing is an error
    types = LabelGrid(labels.data.astype(np.uint16), labels.names)
    return LabelledMap(grid_map, types, source=path.stem)


def _load_plain(path: Path) -> LabelledMap:
    grid_map = load_map(path)
    return LabelledMap(grid_map, LabelGrid(np.zeros(grid_map.shape, np.uint16)), source=path.stem)


def _only_map(folder: Path) -> Path:
    """Return the map that a folder is about."""
    if (folder / CONFIG).is_file():
        return folder / CONFIG
    names = [folder / f"{folder.resolve().name}.yaml", *sorted(folder.glob("*.yaml"))]
    maps = [path for path in names if path.is_file() and _is_map(path)]
    if maps:
        return maps[0]
    houses = sorted(folder.glob("*.json"))
    if len(houses) == 1:
        return houses[0]
    raise MapError(f"{folder}: name the map file in this folder")


def _is_map(path: Path) -> bool:
    """Tell whether a YAML file describes a map, other than a map of doors."""
    try:
        read_metadata(path)
    except MapError:
        return False
    return not path.stem.startswith("doors")
