"""Frozen value types that every room shares."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Cell(NamedTuple):
    """Index of a grid cell, counted from the map's origin: row grows with y, column with x."""

    row: int
    col: int


class Pose2D(NamedTuple):
    """Planar pose in the map frame: metres and radians, yaw counter-clockwise from x."""

    x: float
    y: float
    yaw: float = 0.0


_ORIGIN = Pose2D(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class GridMap:
    """Occupancy grid with its place in the map frame.

    Attributes
    ----------
    data : int8[rows, cols], read-only
        -1 unknown, 0 free, 1..100 occupied (percent). Row 0 is the row at the
        origin, so (row, col) grows with (y, x) of the grid's own axes.
    resolution : float
        Side of a cell in metres.
    origin : Pose2D
        Pose of the outer corner of cell (0, 0) in the map frame.
    frame_id : str
        Name of the map frame.
    """

    data: npt.NDArray[np.int8]
    resolution: float
    origin: Pose2D = _ORIGIN
    frame_id: str = "map"
    map_id: str = field(default="", compare=False)
    _turn: tuple[float, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        data = np.ascontiguousarray(self.data)
        if data.dtype != np.int8 or data.ndim != 2:
            raise ValueError(f"data must be int8[rows, cols], got {data.dtype}{list(data.shape)}")
        if not (math.isfinite(self.resolution) and self.resolution > 0):
            raise ValueError(f"resolution must be finite and > 0 m, got {self.resolution}")
        if not all(map(math.isfinite, self.origin)):
            raise ValueError(f"origin must be finite, got {tuple(self.origin)}")
        if data is self.data and data.flags.writeable:
            data = data.copy()
        data.flags.writeable = False
        object.__setattr__(self, "data", data)
        if not self.map_id:
            object.__setattr__(self, "map_id", self._digest())
        turn = (math.cos(self.origin.yaw), math.sin(self.origin.yaw))
        object.__setattr__(self, "_turn", turn)

    def _digest(self) -> str:
        head = repr((self.data.shape, self.resolution, tuple(self.origin), self.frame_id))
        digest = hashlib.sha256(head.encode())
        digest.update(self.data.data)  # no copy: maps may have hundreds of millions of cells
        return digest.hexdigest()[:16]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.data.shape

    def contains(self, cell: tuple[int, int]) -> bool:
        """Tell whether `cell` lies on the grid."""
        return 0 <= cell[0] < self.data.shape[0] and 0 <= cell[1] < self.data.shape[1]

    def cell_to_world(self, cell: tuple[int, int]) -> Pose2D:
        """Return the centre of `cell` in the map frame, with the grid's yaw."""
        u = (cell[1] + 0.5) * self.resolution
        v = (cell[0] + 0.5) * self.resolution
        cos, sin = self._turn
        return Pose2D(
            self.origin.x + cos * u - sin * v, self.origin.y + sin * u + cos * v, self.origin.yaw
        )

    def world_to_cell(self, x: float, y: float) -> Cell:
        """Return the cell that holds point (x, y) of the map frame; it may lie off the grid."""
        dx, dy = x - self.origin.x, y - self.origin.y
        cos, sin = self._turn
        u = (cos * dx + sin * dy) / self.resolution
        v = (cos * dy - sin * dx) / self.resolution
        return Cell(math.floor(v), math.floor(u))
