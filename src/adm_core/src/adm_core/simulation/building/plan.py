"""Floor plans: rooms and doors on a lattice of modules.

A module is 0.25 m, and walls are one module thick. A plan therefore survives being pooled
to cells of 0.25 m, and one plan can be painted at any resolution.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

MODULE_M = 0.25


@dataclass(frozen=True)
class Rect:
    """Half-open rectangle; modules in plans, cells or metres elsewhere."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def width(self) -> int:
        """Extent along x."""
        return self.x1 - self.x0

    @property
    def height(self) -> int:
        """Extent along y."""
        return self.y1 - self.y0

    @property
    def area(self) -> int:
        """Width times height."""
        return self.width * self.height

    def turned(self) -> Rect:
        """Return the rectangle with x and y exchanged."""
        return Rect(self.y0, self.x0, self.y1, self.x1)


@dataclass(frozen=True)
class Room:
    """A room or a piece of corridor.

    Attributes
    ----------
    rect : Rect
        Inside of the walls.
    type : str
        ``corridor``, or the use of the room; empty until uses are given out.
    is_back : bool
        The room is reached through another room.
    """

    rect: Rect
    type: str = ""
    is_back: bool = False


@dataclass(frozen=True)
class Door:
    """Opening in a wall.

    Attributes
    ----------
    rect : Rect
        The modules of the wall that are left out, one module deep.
    rooms : (int, int)
        Indices of the rooms that it joins; the second one is the one that it belongs to.
    """

    rect: Rect
    rooms: tuple[int, int]


@dataclass(frozen=True)
class FloorPlan:
    """Rooms and doors inside an outer wall of one module.

    Attributes
    ----------
    width, height : int
        Outer size in modules.
    rooms : tuple of Room
        Room 0 is the spine corridor.
    doors : tuple of Door
    """

    width: int
    height: int
    rooms: tuple[Room, ...]
    doors: tuple[Door, ...]

    def turned(self) -> FloorPlan:
        """Return the plan with x and y exchanged."""
        return FloorPlan(
            self.height,
            self.width,
            tuple(replace(room, rect=room.rect.turned()) for room in self.rooms),
            tuple(replace(door, rect=door.rect.turned()) for door in self.doors),
        )
