"""What every reader of floor plans returns: a map, its rooms, their types, what stands in them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from adm_core.grid.labels import LabelGrid
from adm_core.types import Cell, GridMap, Pose2D


@dataclass(frozen=True)
class PlanObject:
    """A thing with a place on a plan.

    Attributes
    ----------
    name, kind : str
        Its own name, and what it is ("printer"); the kind is empty if the file says nothing.
    pose : Pose2D
        Place in the map frame; files give the place from where it is seen or used.
    cell : Cell
        Free cell of the grid that stands for it.
    room, room_type : str
        Room that it belongs to and that room's type; empty if unknown.
    """

    name: str
    kind: str
    pose: Pose2D
    cell: Cell
    room: str = ""
    room_type: str = ""


@dataclass(frozen=True, eq=False)
class LabelledMap:
    """A map with room labels.

    Attributes
    ----------
    grid_map : GridMap
        Occupancy -1, 0..100.
    types : LabelGrid
        Room TYPE of each cell, uint16, 0 for none; several rooms may share one.
    rooms : LabelGrid or None
        Room of each cell with the rooms' own names, where the file knows rooms.
    objects : tuple of PlanObject
    source : str
        File that it came from.
    notes : tuple of str
        What a reader had to decide or leave out, one line each, for people.
    """

    grid_map: GridMap
    types: LabelGrid
    rooms: LabelGrid | None = None
    objects: tuple[PlanObject, ...] = ()
    source: str = ""
    notes: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        for name, labels in (("types", self.types), ("rooms", self.rooms)):
            if labels is not None and labels.data.shape != self.grid_map.shape:
                raise ValueError(
                    f"{name} must be {self.grid_map.shape} like the map, got {labels.data.shape}"
                )
        if self.types.data.dtype != np.uint16:
            raise ValueError(f"types must be uint16, got {self.types.data.dtype}")
