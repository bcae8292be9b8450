"""From pixels to occupancy: the three modes of map_server.

The rules are Nav2's (Humble, Jazzy). ROS 1 differs in two places: it stretches ``scale`` to
1..99 and applies ``negate`` in mode ``raw`` too.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adm_core.grid._blocks import row_blocks
from adm_core.grid.map_image import MapImage
from adm_core.grid.map_metadata import MapMetadata

UNKNOWN, FREE, OCCUPIED = -1, 0, 100


def occupancy_table(levels: int, meta: MapMetadata) -> npt.NDArray[np.int8]:
    """Return the occupancy of each brightness 0 (black) to `levels` (white).

    With p = (levels - v) / levels, or v / levels when negated:

    - ``trinary``: p > occupied_thresh is 100, p < free_thresh is 0, the rest is -1;
    - ``scale``: the rest is 0..100 in proportion to its place between the thresholds;
    - ``raw``: the brightness on a scale of 0..255 is the occupancy, above 100 is -1.

    Parameters
    ----------
    levels : int
        Brightness of white, at least 1.
    meta : MapMetadata
        Mode, thresholds and negation.

    Returns
    -------
    int8[levels + 1]
    """
    brightness = np.arange(levels + 1)
    if meta.mode == "raw":
        value = np.floor(brightness / levels * 255 + 0.5)
        return np.where(value <= OCCUPIED, value, UNKNOWN).astype(np.int8)
    p = (brightness if meta.negate else levels - brightness) / levels
    between: npt.NDArray[np.float64] | int = UNKNOWN
    if meta.mode == "scale":
        between = np.rint((p - meta.free_thresh) / (meta.occupied_thresh - meta.free_thresh) * 100)
    table = np.where(p < meta.free_thresh, FREE, between)
    return np.where(p > meta.occupied_thresh, OCCUPIED, table).astype(np.int8)


def to_occupancy(image: MapImage, meta: MapMetadata) -> npt.NDArray[np.int8]:
    """Return the occupancy grid of an image, row 0 at the BOTTOM of the image.

    Colour is averaged. Transparency follows Nav2: in ``trinary`` opacity is averaged in as
    one more channel, in ``scale`` a pixel that is not opaque is unknown, in ``raw`` it is
    ignored; an image that is opaque everywhere has no transparency.

    Returns
    -------
    int8[rows, cols]
        The only allocation that grows with the image.
    """
    alpha = None if meta.mode == "raw" else image.alpha
    average_in = alpha is not None and meta.mode == "trinary"
    table = occupancy_table(image.peak * (image.channels + average_in), meta)
    grid = np.empty(image.pixels.shape[:2], np.int8)
    upside_down = grid[::-1]
    for block in row_blocks(grid.shape):
        brightness = image.pixels[block]
        if image.channels > 1:
            brightness = brightness.sum(axis=2, dtype=np.uint32)
        if average_in:
            brightness = brightness.astype(np.uint32) + alpha[block]  # type: ignore[index]
        out = upside_down[block]
        # "clip": samples above the peak of a sloppy file count as white.
        out[...] = np.take(table, brightness, mode="clip")
        if alpha is not None and not average_in:
            out[alpha[block] < image.peak] = UNKNOWN
    return grid
