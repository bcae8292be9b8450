"""Map files of map_server: a YAML file with an image, read and written."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt
import yaml

from adm_core.errors import MapError
from adm_core.files import write_atomic
from adm_core.grid._blocks import row_blocks
from adm_core.grid.labels import LabelGrid, save_labels
from adm_core.grid.map_image import MapImage, read_image
from adm_core.grid.map_metadata import MapMetadata, read_metadata
from adm_core.grid.map_modes import FREE, OCCUPIED, UNKNOWN, to_occupancy
from adm_core.types import GridMap


def load_map(path: str | PathLike[str]) -> GridMap:
    """Load a map_server map.

    Parameters
    ----------
    path : path-like
        The ``.yaml`` file. Its ``image`` is a path relative to it, or absolute.

    Returns
    -------
    GridMap
        int8 occupancy with row 0 at the origin, that is at the bottom of the image.

    Raises
    ------
    MapError
        One line that names the file and the broken rule: missing file, absent key, value of
        a wrong type or range, cut or damaged image, zero size.

    Notes
    -----
    O(pixels) time; one byte a cell besides the file itself.
    """
    meta = read_metadata(path)
    return build_map(meta, read_image(meta.image))


def build_map(meta: MapMetadata, image: MapImage) -> GridMap:
    """Return the map that `meta` makes of `image`."""
    data = to_occupancy(image, meta)
    data.flags.writeable = False  # lets GridMap keep it without a copy
    return GridMap(data, meta.resolution, meta.origin)


def save_map(grid_map: GridMap, path: str | PathLike[str], labels: LabelGrid | None = None) -> Path:
    """Write a map as a YAML file and a PGM image, and its room labels beside them.

    Occupancies -1, 0 and 100 are written the way map_saver writes them (205, 254, 0; mode
    ``trinary``); a map with values in between is written in mode ``raw``. Either way
    :func:`load_map` returns the same map. Each file is replaced as a whole, the image first.

    Parameters
    ----------
    grid_map : GridMap
        Occupancies -1..100.
    path : path-like
        The YAML file; ``.yaml`` is added where missing. Missing folders are made.
    labels : LabelGrid, optional
        Labels of the same shape, written by :func:`adm_core.grid.labels.save_labels`.

    Returns
    -------
    Path
        The YAML file.

    Raises
    ------
    ValueError
        An occupancy is out of range, or the labels have another shape.
    MapError
        A file cannot be written.
    """
    if labels is not None and labels.data.shape != grid_map.shape:
        raise ValueError(f"labels must be {grid_map.shape} like the map, got {labels.data.shape}")
    path = Path(path)
    if path.suffix not in (".yaml", ".yml"):
        path = path.with_name(path.name + ".yaml")
    image = path.with_suffix(".pgm")
    mode, table = _pixel_table(grid_map.data)
    keys = {
        "image": image.name,
        "mode": mode,
        "resolution": float(grid_map.resolution),
        "origin": [float(value) for value in grid_map.origin],
        "negate": 0,
        "occupied_thresh": 0.65,
        "free_thresh": 0.196,
    }
    text = yaml.safe_dump(keys, sort_keys=False, default_flow_style=None)
    try:
        write_atomic(image, _pgm(grid_map.data, table))
        write_atomic(path, [text.encode()])
    except OSError as err:
        raise MapError(f"{path}: cannot be written: {err.strerror}") from err
    if labels is not None:
        save_labels(labels, path)
    return path


def _pixel_table(data: npt.NDArray[np.int8]) -> tuple[str, npt.NDArray[np.uint8]]:
    """Return the mode to write and the pixel of every occupancy, indexed by its byte."""
    present = np.zeros(256, bool)
    for block in row_blocks(data.shape):
        present |= np.bincount(data[block].view(np.uint8).ravel(), minlength=256) > 0
    if present[OCCUPIED + 1 : UNKNOWN].any():
        raise ValueError("grid_map must hold occupancies -1..100")
    table = np.full(256, 255, np.uint8)
    if not present[FREE + 1 : OCCUPIED].any():
        table[[UNKNOWN, FREE, OCCUPIED]] = 205, 254, 0
        return "trinary", table
    table[: OCCUPIED + 1] = np.arange(OCCUPIED + 1)
    return "raw", table


def _pgm(data: npt.NDArray[np.int8], table: npt.NDArray[np.uint8]) -> Iterator[bytes]:
    """Yield the header and then a few rows at a time from the top of the image."""
    rows, cols = data.shape
    yield f"P5\n{cols} {rows}\n255\n".encode()
    flipped = data[::-1].view(np.uint8)
    for block in row_blocks(data.shape):
        yield np.take(table, flipped[block], mode="clip").tobytes()
