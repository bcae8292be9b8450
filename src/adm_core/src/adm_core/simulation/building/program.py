"""Uses of rooms: how many of each kind a building has and which rooms get them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from adm_core.simulation.building.plan import FloorPlan, Room

#: Room types and, from 1 on, their labels; the same in every building.
ROOM_TYPES = (
    "corridor",
    "office",
    "meeting",
    "lab",
    "kitchen",
    "bathroom",
    "living",
    "bedroom",
    "storage",
)


@dataclass(frozen=True)
class Use:
    """One line of a programme: a room of `type` for each `per` rooms, but at least one."""

    type: str
    per: int
    pick: Literal["smallest", "largest", "middle"]


@dataclass(frozen=True)
class Program:
    """Uses in the order in which they choose their rooms.

    `rest` takes what is left; a room behind another one of the same use becomes `behind`.
    """

    uses: tuple[Use, ...]
    rest: str
    behind: str


PROGRAMS = {
    "office": Program(
        (
            Use("meeting", 7, "largest"),
            Use("bathroom", 9, "smallest"),
            Use("kitchen", 14, "middle"),
            Use("storage", 8, "smallest"),
            Use("lab", 9, "largest"),
        ),
        rest="office",
        behind="storage",
    ),
    "apartment": Program(
        (
            Use("living", 8, "largest"),
            Use("bathroom", 5, "smallest"),
            Use("kitchen", 8, "middle"),
            Use("storage", 9, "smallest"),
            Use("office", 6, "middle"),
        ),
        rest="bedroom",
        behind="bathroom",
    ),
}


def give_uses(plan: FloorPlan, program: Program, rng: np.random.Generator) -> FloorPlan:
    """Return the plan with a type for every room.

    Rooms of equal type never share a door: what hangs together is one room to whoever sees
    types only. Doors between equal neighbours are walled up, which cuts nobody off.
    """
    rooms = list(plan.rooms)
    for index, type_ in _choices(plan, program, rng):
        rooms[index] = replace(rooms[index], type=type_)
    for door in plan.doors:
        front, back = (rooms[index] for index in door.rooms)
        if back.is_back and not front.is_back and back.type == front.type:
            other = program.rest if front.type == program.behind else program.behind
            rooms[door.rooms[1]] = replace(back, type=other)
    doors = tuple(
        door
        for door in plan.doors
        if rooms[door.rooms[0]].type != rooms[door.rooms[1]].type or 0 in door.rooms
    )
    return replace(plan, rooms=tuple(rooms), doors=doors)


def _choices(
    plan: FloorPlan, program: Program, rng: np.random.Generator
) -> Iterator[tuple[int, str]]:
    """Yield the type of each room by its index."""
    left = [index for index, room in enumerate(plan.rooms) if not room.type]
    total = len(left)
    for use in program.uses:
        for _ in range(min(max(1, round(total / use.per)), len(left) - 1)):
            # A little chance, or every building of a size would look alike.
            sizes = [_size(plan.rooms[index]) * rng.uniform(0.8, 1.2) for index in left]
            order = np.argsort(sizes, kind="stable")
            place = {"smallest": 0, "largest": -1, "middle": len(order) // 2}[use.pick]
            yield left.pop(order[place]), use.type
    yield from ((index, program.rest) for index in left)


def _size(room: Room) -> float:
    """Return how large a room counts: back rooms less, so that stores and baths take them."""
    return room.rect.area * (0.7 if room.is_back else 1.0)
