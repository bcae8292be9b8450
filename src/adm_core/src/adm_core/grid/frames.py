"""Frames of grids: where a grid lies, and how arrays move from one frame to another.

A map that grows gets another size and another origin. Everything that was kept by cell is
then moved with :func:`shift_between` and :func:`reindex`; nothing is lost on any side.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from adm_core.errors import MapError
from adm_core.types import Cell, GridMap, Pose2D

#: A frame with more cells is a mistake of some pose, not a building.
MAX_CELLS = 1 << 29
_TINY = 1e-6


@dataclass(frozen=True)
class GridFrame:
    """Size, resolution and pose of a grid.

    Attributes
    ----------
    shape : (int, int)
        Rows and columns.
    resolution : float
        Side of a cell in metres.
    origin : Pose2D
        Pose of the outer corner of cell (0, 0).
    """

    shape: tuple[int, int]
    resolution: float
    origin: Pose2D

    def to_local(self, x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Any, Any]:
        """Return (row, col) of world points as fractions: cell (0, 0) spans 0..1."""
        dx, dy = np.asarray(x) - self.origin.x, np.asarray(y) - self.origin.y
        cos, sin = math.cos(self.origin.yaw), math.sin(self.origin.yaw)
        return (cos * dy - sin * dx) / self.resolution, (cos * dx + sin * dy) / self.resolution

    def to_world(self, row: npt.ArrayLike, col: npt.ArrayLike) -> tuple[Any, Any]:
        """Return x and y of places on the grid, the inverse of :meth:`to_local`."""
        u, v = np.asarray(col) * self.resolution, np.asarray(row) * self.resolution
        cos, sin = math.cos(self.origin.yaw), math.sin(self.origin.yaw)
        return self.origin.x + cos * u - sin * v, self.origin.y + sin * u + cos * v

    def corners(self) -> tuple[Any, Any]:
        """Return x and y of the four outer corners."""
        rows, cols = self.shape
        return self.to_world([0, 0, rows, rows], [0, cols, 0, cols])


def frame_of(grid_map: GridMap) -> GridFrame:
    """Return the frame of a map."""
    return GridFrame(grid_map.shape, grid_map.resolution, grid_map.origin)


def cells_of(grid_map: GridMap, poses: Iterable[Pose2D]) -> tuple[Cell | None, ...]:
    """Return the cell of each pose, None where the pose is off the map or not finite.

    A robot may leave the map while it is being made; it is then left out, not an error.
    """
    found = []
    for pose in poses:
        finite = math.isfinite(pose.x) and math.isfinite(pose.y)
        cell = grid_map.world_to_cell(pose.x, pose.y) if finite else None
        found.append(cell if cell is not None and grid_map.contains(cell) else None)
    return tuple(found)


def common_frame(
    frames: Iterable[GridFrame],
    resolution: float | None = None,
    max_cells: int = MAX_CELLS,
) -> GridFrame:
    """Return a frame that contains all frames, on the lattice of the first.

    Parameters
    ----------
    frames : iterable of GridFrame
        At least one. The first one's yaw and cell edges are kept, so that its cells need no
        resampling.
    resolution : float, optional
        Side of a cell in metres (default: the finest of all).
    max_cells : int
        Largest size.

    Raises
    ------
    MapError
        The frame would have more than `max_cells` cells: some map lies far away.
    ValueError
        There is no frame, or the resolution is not > 0.
    """
    frames = list(frames)
    if not frames:
        raise ValueError("frames must hold one frame or more, got none")
    resolution = min(frame.resolution for frame in frames) if resolution is None else resolution
    if not (math.isfinite(resolution) and resolution > 0):
        raise ValueError(f"resolution must be finite and > 0 m, got {resolution}")
    lattice = GridFrame((0, 0), resolution, frames[0].origin)
    corners = [lattice.to_local(*frame.corners()) for frame in frames]
    low = [math.floor(min(part[axis].min() for part in corners) + _TINY) for axis in (0, 1)]
    high = [math.ceil(max(part[axis].max() for part in corners) - _TINY) for axis in (0, 1)]
    rows, cols = (max(1, end - start) for start, end in zip(low, high, strict=True))
    if rows * cols > max_cells:
        raise MapError(
            f"the maps span {cols} x {rows} cells of {resolution:g} m, more than {max_cells}: "
            "one of them lies far away from the others"
        )
    x, y = lattice.to_world(low[0], low[1])
    return GridFrame((rows, cols), resolution, Pose2D(float(x), float(y), lattice.origin.yaw))


def shift_between(new: GridFrame, old: GridFrame) -> tuple[int, int]:
    """Return (rows, cols) such that cell (r, c) of `new` is (r + rows, c + cols) of `old`.

    Origins that are off by parts of a cell are rounded to the nearest cell; a half rounds
    down, and always the same way.

    Raises
    ------
    ValueError
        The frames differ in resolution or yaw: that is a merge, not a shift.
    """
    if not aligned(new, old):
        raise ValueError(
            "frames must have equal resolution and yaw, got "
            f"{new.resolution:g} m and {new.origin.yaw:g} rad, "
            f"{old.resolution:g} m and {old.origin.yaw:g} rad"
        )
    row, col = old.to_local(new.origin.x, new.origin.y)
    return math.ceil(float(row) - 0.5 - _TINY), math.ceil(float(col) - 0.5 - _TINY)


def aligned(a: GridFrame, b: GridFrame) -> bool:
    """Tell whether two frames differ by a shift only."""
    turn = math.remainder(a.origin.yaw - b.origin.yaw, math.tau)
    span = max(*a.shape, *b.shape)
    # At the far end of the grid the difference must be a small part of a cell.
    stretch = abs(a.resolution / b.resolution - 1)
    return abs(turn) * span < 0.01 and stretch * span < 0.01


def reindex(
    array: npt.NDArray[Any], shift: tuple[int, int], shape: tuple[int, int], fill: Any
) -> npt.NDArray[Any]:
    """Return an array moved to another frame.

    Parameters
    ----------
    array : [rows, cols, ...]
        Values by cell of the old frame.
    shift : (int, int)
        From :func:`shift_between`: new cell (r, c) is old cell (r + rows, c + cols).
    shape : (int, int)
        Rows and columns of the new frame.
    fill : scalar
        Value of cells that the old frame did not have.

    Returns
    -------
    [shape[0], shape[1], ...]
        A new array; cells outside the new frame are dropped.
    """
    out = np.full((*shape, *array.shape[2:]), fill, array.dtype)
    here, there = [], []
    for step, new, old in zip(shift, shape, array.shape, strict=False):
        start, end = max(0, -step), min(new, old - step)
        here.append(slice(start, max(start, end)))
        there.append(slice(start + step, max(start, end) + step))
    out[tuple(here)] = array[tuple(there)]
    return out
