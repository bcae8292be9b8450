"""Map files of map_server: a YAML file with an image, read and written."""

from __future__ import annotations

import math
from os import PathLike

from adm_core.errors import MapError
from adm_core.grid.map_image import MapImage, read_image
from adm_core.grid.map_metadata import MapMetadata, read_metadata
from adm_core.grid.map_modes import to_occupancy
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
    rows, cols = image.pixels.shape[:2]
    if not math.isfinite(max(rows, cols) * meta.resolution):
        raise MapError(f"{meta.image}: no finite size with resolution {meta.resolution:g} m")
    data = to_occupancy(image, meta)
    data.flags.writeable = False  # lets GridMap keep it without a copy
    return GridMap(data, meta.resolution, meta.origin)
