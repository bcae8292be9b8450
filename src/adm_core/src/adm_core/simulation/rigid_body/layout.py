"""Where walls, obstacles, stations, robot and containers are when a mission starts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from adm_core.errors import MissionError
from adm_core.grid.terrain import Terrain
from adm_core.memory.static import Station
from adm_core.simulation.rigid_body.config import ArenaConfig
from adm_core.simulation.scenarios import Scenario
from adm_core.types import Cell, GridMap, Pose2D

#: Side of an obstacle; it fits into a cell with room to spare.
OBSTACLE_M = 0.22
#: Plate of a station: depth from the wall on, width, thickness.
TRAY_M = (0.28, 0.76, 0.005)
#: Distance of the places of a plate, and of its middle from the wall.
SLOT_M, SLOT_DEPTH_M = 0.16, 0.15
SLOTS = 4

_JITTER_M = 0.04
_KEEP_FREE_M = 0.75  # before a station, for the robot to turn in
_CLASSES = ("can", "bottle")


@dataclass(frozen=True)
class ArenaLayout:
    """Initial state of an arena.

    Attributes
    ----------
    grid_map : GridMap
        Coarse map: obstacles are occupied cells.
    stations : tuple of Station
        Two, each of one class; the yaw is the robot's heading when it delivers.
    start : Pose2D
        Where the robot begins.
    spots : tuple of Pose2D
        Marked places where containers may stand.
    placed : tuple of int
        Spot of each container.
    labels : tuple of str
        Class of each container.
    """

    grid_map: GridMap
    stations: tuple[Station, ...]
    start: Pose2D
    spots: tuple[Pose2D, ...]
    placed: tuple[int, ...]
    labels: tuple[str, ...]

    @cached_property
    def terrain(self) -> Terrain:
        """Return the terrain that memory and planner measure distances on."""
        return Terrain.for_robot(self.grid_map, 0.0)

    @property
    def obstacles(self) -> tuple[Pose2D, ...]:
        """Centres of the obstacles."""
        cells = np.argwhere(self.grid_map.data > 0).tolist()
        return tuple(self.grid_map.cell_to_world(Cell(*cell)) for cell in cells)

    def slots(self, station: Station) -> list[Pose2D]:
        """Return the places of a station's plate, from its middle outwards."""
        yaw = station.pose.yaw
        half = self.grid_map.resolution * self.grid_map.shape[0] / 2
        x = math.copysign(half - SLOT_DEPTH_M, math.cos(yaw))
        offsets = sorted((index - (SLOTS - 1) / 2 for index in range(SLOTS)), key=abs)
        return [Pose2D(x, station.pose.y + offset * SLOT_M, yaw) for offset in offsets]


def arena_layout(config: ArenaConfig, scenario: Scenario, rng: np.random.Generator) -> ArenaLayout:
    """Draw obstacles, spots and containers; stations face each other on two walls.

    Raises
    ------
    MissionError
        If there are more containers than places.
    """
    side = int(config.size_m / config.cell_m)
    corner = -side * config.cell_m / 2
    bare = GridMap(np.zeros((side, side), np.int8), config.cell_m, Pose2D(corner, corner))
    stations = _stations(bare)
    start = bare.cell_to_world(Cell(side // 2, side // 2))
    inner = [Cell(row, col) for row in range(1, side - 1) for col in range(1, side - 1)]
    open_cells = [cell for cell in inner if _is_open(bare, cell, stations, start)]
    blocked = _draw_apart(open_cells, config.obstacles, rng)
    data = np.zeros((side, side), np.int8)
    for cell in blocked:
        data[cell] = 100
    free = [cell for cell in open_cells if all(_chebyshev(cell, other) > 1 for other in blocked)]
    _check_room(scenario, len(free))
    shifts = rng.uniform(-_JITTER_M, _JITTER_M, (len(free), 2))
    spots = tuple(
        Pose2D(centre.x + dx, centre.y + dy)
        for centre, (dx, dy) in zip(map(bare.cell_to_world, free), shifts.tolist(), strict=True)
    )
    chosen = rng.choice(len(spots), scenario.containers, replace=False)
    return ArenaLayout(
        GridMap(data, config.cell_m, bare.origin),
        stations,
        start,
        spots,
        tuple(map(int, chosen)),
        tuple(_CLASSES[index % 2] for index in range(scenario.containers)),
    )


def _stations(bare: GridMap) -> tuple[Station, ...]:
    side = bare.shape[0]
    west = bare.cell_to_world(Cell(side // 2, 0))._replace(yaw=math.pi)
    east = bare.cell_to_world(Cell(side // 2, side - 1))._replace(yaw=0.0)
    return (
        Station("station_A", west, (_CLASSES[0],)),
        Station("station_B", east, (_CLASSES[1],)),
    )


def _is_open(bare: GridMap, cell: Cell, stations: tuple[Station, ...], start: Pose2D) -> bool:
    x, y, _ = bare.cell_to_world(cell)
    away = min(math.hypot(x - item.pose.x, y - item.pose.y) for item in stations)
    return away > _KEEP_FREE_M and math.hypot(x - start.x, y - start.y) > 0.6


def _draw_apart(cells: list[Cell], count: int, rng: np.random.Generator) -> list[Cell]:
    """Return cells with at least three others between them, so that a robot passes."""
    chosen: list[Cell] = []
    for index in rng.permutation(len(cells)).tolist():
        if len(chosen) == count:
            break
        if all(_chebyshev(cells[index], other) > 3 for other in chosen):
            chosen.append(cells[index])
    return chosen


def _chebyshev(a: Cell, b: Cell) -> int:
    return max(abs(a.row - b.row), abs(a.col - b.col))


def _check_room(scenario: Scenario, spots: int) -> None:
    most = min(2 * SLOTS, spots)
    if scenario.containers > most:
        raise MissionError(f"the arena has room for {most} containers, got {scenario.containers}")
