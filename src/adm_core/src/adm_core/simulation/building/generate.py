"""Generate a building: plan, uses, walls, doors, furniture, labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from adm_core.grid.labels import LabelGrid
from adm_core.grid.map_modes import FREE, OCCUPIED, UNKNOWN
from adm_core.simulation.building.config import BuildingConfig
from adm_core.simulation.building.furniture import CATALOGUE, DOOR_CLEAR_M, Floor, Piece
from adm_core.simulation.building.layout import LayoutRules, draw_plan
from adm_core.simulation.building.plan import MODULE_M, Door, FloorPlan, Rect
from adm_core.simulation.building.program import PROGRAMS, ROOM_TYPES, give_uses
from adm_core.types import GridMap, Pose2D

#: Unknown ground around the building, and thickness of inner walls where cells are small.
MARGIN_M, WALL_M = 0.5, 0.15
#: Cells up to this size can show walls thinner than a module.
FINE_M = 0.1


@dataclass(frozen=True)
class Building:
    """A generated building.

    Attributes
    ----------
    grid_map : GridMap
        Occupancy; the outer corner of the building is at (0, 0) of the map frame.
    labels : LabelGrid
        Room type of every free cell, by its place in ``ROOM_TYPES`` counted from 1.
    plan : FloorPlan
        Rooms and doors in modules of 0.25 m, counted from the outer corner.
    furniture : tuple of Piece
        Pieces in cells of the grid.
    """

    grid_map: GridMap
    labels: LabelGrid
    plan: FloorPlan
    furniture: tuple[Piece, ...]


def generate_building(config: BuildingConfig, rng: np.random.Generator) -> Building:
    """Generate a building.

    All free cells that a robot of `config.robot_radius_m` fits on hang together, in every
    room and through every door: doors are wide enough, are kept clear, and no piece of
    furniture is placed that would cut a floor in two.

    Parameters
    ----------
    config : BuildingConfig
    rng : Generator
        The only source of chance: equal generators give equal buildings.

    Raises
    ------
    ConfigError
        The building is too small for its corridor, or the rooms do not fit.

    Notes
    -----
    O(cells + pieces * cells of a room) time.
    """
    layout_rng, use_rng, furniture_rng = rng.spawn(3)
    rules = LayoutRules(
        corridor=_modules(config.corridor_m),
        door=_modules(config.door_m),
        rooms=config.rooms or None,
    )
    width, height = map(_modules, config.extent_m)
    plan = draw_plan(width, height, rules, layout_rng)
    plan = give_uses(plan, PROGRAMS[config.kind], use_rng)
    radius_m = config.robot_radius_m
    return paint(plan, config.resolution_m, radius_m, furniture_rng if config.furniture else None)


def paint(
    plan: FloorPlan,
    resolution_m: float,
    robot_radius_m: float = 0.0,
    furniture_rng: np.random.Generator | None = None,
) -> Building:
    """Paint a plan whose rooms have uses, and furnish it if a generator is given.

    Parameters
    ----------
    plan : FloorPlan
        Each room's type is one of ``ROOM_TYPES``.
    resolution_m : float
        Side of a cell in metres.
    robot_radius_m : float
        Radius of the robot for which furniture leaves every floor in one piece.
    furniture_rng : Generator, optional
        The only source of chance; None leaves the rooms empty.
    """
    canvas = _Canvas(plan, resolution_m)
    canvas.paint_rooms()
    pieces = [] if furniture_rng is None else canvas.furnish(robot_radius_m, furniture_rng)
    corner = -canvas.margin * resolution_m
    return Building(
        GridMap(canvas.data, resolution_m, Pose2D(corner, corner, 0.0)),
        LabelGrid(canvas.labels, dict(enumerate(ROOM_TYPES, 1))),
        plan,
        tuple(pieces),
    )


class _Canvas:
    """Grids on which a plan is painted."""

    def __init__(self, plan: FloorPlan, resolution_m: float) -> None:
        self.plan = plan
        self.resolution_m = resolution_m
        self.margin = math.ceil(MARGIN_M / resolution_m)
        # Walls are painted by carving rooms that reach a little into the walls' modules.
        self.reach_m = (MODULE_M - WALL_M) / 2 if resolution_m <= FINE_M else 0.0
        outer = self._cells(Rect(0, 0, plan.width, plan.height))
        shape = outer.y1 + self.margin, outer.x1 + self.margin
        self.data = np.full(shape, UNKNOWN, np.int8)
        self.labels = np.zeros(shape, np.uint8)
        self._fill(outer, OCCUPIED)

    def paint_rooms(self) -> None:
        """Carve rooms and doors out of the block and label their floors."""
        for room in self.plan.rooms:
            self._fill(self._cells(room.rect, self.reach_m), FREE, room.type)
        for door in self.plan.doors:
            self._fill(self._cells(door.rect), FREE, self.plan.rooms[door.rooms[1]].type)

    def furnish(self, radius_m: float, rng: np.random.Generator) -> list[Piece]:
        """Put furniture into every room and return it."""
        pieces: list[Piece] = []
        for index, room in enumerate(self.plan.rooms):
            doors = [door for door in self.plan.doors if index in door.rooms]
            floor = Floor(
                self._cells(room.rect, self.reach_m),
                [self._clearing(door) for door in doors],
                self.resolution_m,
                radius_m,
            )
            floor.furnish(CATALOGUE[room.type], rng)
            pieces += [replace(piece, room=index) for piece in floor.pieces]
        for piece in pieces:
            self._fill(piece.rect, OCCUPIED)
        return pieces

    def _fill(self, rect: Rect, value: int, type_: str | None = None) -> None:
        window = slice(rect.y0, rect.y1), slice(rect.x0, rect.x1)
        self.data[window] = value
        self.labels[window] = 0 if type_ is None else ROOM_TYPES.index(type_) + 1

    def _cells(self, rect: Rect, grow_m: float = 0.0) -> Rect:
        """Return a rectangle of modules in cells, grown by some metres on all sides."""
        return Rect(
            self._cell(rect.x0 * MODULE_M - grow_m),
            self._cell(rect.y0 * MODULE_M - grow_m),
            self._cell(rect.x1 * MODULE_M + grow_m),
            self._cell(rect.y1 * MODULE_M + grow_m),
        )

    def _cell(self, metres: float) -> int:
        # The small term keeps multiples of the resolution where they belong.
        return self.margin + math.floor(metres / self.resolution_m + 0.5 + 1e-9)

    def _clearing(self, door: Door) -> Rect:
        """Return the cells that stay empty on both sides of a door."""
        rect = self._cells(door.rect)
        depth = math.ceil(DOOR_CLEAR_M / self.resolution_m)
        if door.rect.height == 1:
            return Rect(rect.x0, rect.y0 - depth, rect.x1, rect.y1 + depth)
        return Rect(rect.x0 - depth, rect.y0, rect.x1 + depth, rect.y1)


def _modules(metres: float) -> int:
    return round(metres / MODULE_M)
