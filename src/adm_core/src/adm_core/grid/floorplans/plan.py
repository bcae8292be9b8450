"""What every reader of floor plans returns: a map, its rooms, their types, what stands in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from adm_core.grid.labels import LabelGrid
from adm_core.types import Cell, GridMap, Pose2D

#: Occupancies from here on are walls.
OCCUPIED_MIN = 65


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


def plan_of_rooms(
    grid_map: GridMap,
    rooms: npt.NDArray[Any],
    names: Mapping[int, str],
    types: Mapping[int, str],
    **rest: Any,
) -> LabelledMap:
    """Return the plan of a room image; cells that are no floor lose their labels.

    Parameters
    ----------
    grid_map : GridMap
    rooms : int[rows, cols]
        Number of the room of each cell, 0 for none, at most 65535.
    names, types : mapping of int to str
        Name and type of each room; a type may be empty.
    rest
        Further attributes of :class:`LabelledMap`.
    """
    floor = (grid_map.data >= 0) & (grid_map.data < OCCUPIED_MIN)
    image = np.where(floor, rooms, 0).astype(np.uint16)
    present = [number for number in np.unique(image).tolist() if number]
    labels = {kind: k for k, kind in enumerate(sorted({types[n] for n in present} - {""}), 1)}
    table = np.zeros(max(present, default=0) + 1, np.uint16)
    for number in present:
        table[number] = labels.get(types[number], 0)
    return LabelledMap(
        grid_map,
        LabelGrid(table[image], {label: kind for kind, label in labels.items()}),
        LabelGrid(image, {number: names[number] for number in present}),
        **rest,
    )


def nearest_floor(
    grid_map: GridMap,
    pose: Pose2D,
    within: npt.NDArray[np.bool_] | None = None,
    reach_m: float = 1.5,
) -> Cell | None:
    """Return the free cell nearest to a pose, ties row-major; None if there is none in reach.

    Parameters
    ----------
    within : bool[rows, cols], optional
        Cells that count.
    reach_m : float
        How far to look, in metres.
    """
    middle = grid_map.world_to_cell(pose.x, pose.y)
    reach = max(1, round(reach_m / grid_map.resolution))
    row0, col0 = max(0, middle.row - reach), max(0, middle.col - reach)
    part = (
        slice(row0, max(0, middle.row + reach + 1)),
        slice(col0, max(0, middle.col + reach + 1)),
    )
    free = grid_map.data[part] == 0
    if within is not None:
        free &= within[part]
    cells = np.argwhere(free) + np.array([row0, col0])
    if not len(cells):
        return None
    squares = ((cells - np.array(middle)) ** 2).sum(axis=1)
    return Cell(*cells[int(np.argmin(squares))].tolist())
