"""Where stations, robot and containers are when a mission starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adm_core.errors import MissionError
from adm_core.grid.terrain import Terrain
from adm_core.memory.static import Station
from adm_core.simulation.scenarios import Scenario
from adm_core.types import Cell, GridMap, Pose2D

#: Container classes; a mission with k stations uses the first max(k, 2).
CLASSES = ("can", "bottle", "carton", "jar", "cup", "bag")


@dataclass(frozen=True)
class Layout:
    """Initial state of a recycling world.

    Attributes
    ----------
    stations : tuple of Station
        Collection stations; no container is ever at their cells.
    start : Cell
        Where the robot begins.
    cells : tuple of Cell
        Where each container is; no two share a cell.
    labels : tuple of str
        Class of each container.
    """

    stations: tuple[Station, ...]
    start: Cell
    cells: tuple[Cell, ...]
    labels: tuple[str, ...]


def open_field(side: int) -> GridMap:
    """Return an empty square of `side` x `side` cells of one metre."""
    return GridMap(np.zeros((side, side), np.int8), 1.0)


def grid_layout(terrain: Terrain, scenario: Scenario, rng: np.random.Generator) -> Layout:
    """Place two stations at opposite corners, the robot at the first, containers at random.

    A round trip to a random cell plus PICK and PLACE then takes 2 N steps on average, which is
    the measure behind the paper's budgets.
    """
    last = scenario.side - 1
    return _layout(terrain, [Cell(0, 0), Cell(last, last)], scenario, rng)


def map_layout(
    terrain: Terrain, scenario: Scenario, stations: int, rng: np.random.Generator
) -> Layout:
    """Place stations at the far ends of a region, containers uniformly over it."""
    return _layout(terrain, far_ends(terrain, stations), scenario, rng)


def placed_layout(
    terrain: Terrain,
    stations: tuple[Station, ...],
    classes: tuple[str, ...],
    scenario: Scenario,
    rng: np.random.Generator,
) -> Layout:
    """Take the stations as they are given; the robot starts at the first one.

    Parameters
    ----------
    terrain : Terrain
        Where the robot can go.
    stations : tuple of Station
        With places in metres; at least one.
    classes : tuple of str
        Classes of the containers, in turn.
    scenario : Scenario
        Number of containers.
    rng : numpy.random.Generator
        Draws their places.

    Raises
    ------
    MissionError
        If a station is out of the robot's reach, or two share a place.
    """
    cells: dict[Cell, Station] = {}
    for station in stations:
        cell = terrain.cell(station.pose)
        where = f"station '{station.id}' at ({station.pose.x:g}, {station.pose.y:g})"
        if not terrain.is_standable(cell):
            near = _nearest_standable(terrain, cell)
            raise MissionError(
                f"{where} must be at a free place that the robot can reach; the nearest is "
                f"({near.x:.2f}, {near.y:.2f})"
            )
        if cell in cells:
            raise MissionError(f"{where} must not share its place with '{cells[cell].id}'")
        cells[cell] = station
    chosen = _free_places(terrain, list(cells), scenario, rng)
    return _filled(stations, next(iter(cells)), chosen, classes)


def _nearest_standable(terrain: Terrain, cell: Cell) -> Pose2D:
    free = np.argwhere(terrain.standable)
    nearest = free[np.argmin(((free - np.array(cell)) ** 2).sum(axis=1))]
    return terrain.pose(Cell(*map(int, nearest)))


def hidden_layout(
    terrain: Terrain,
    station_cells: list[Cell],
    hiding: np.ndarray,
    scenario: Scenario,
    rng: np.random.Generator,
) -> Layout:
    """Place stations at given cells, the robot at the first, containers only where told.

    Parameters
    ----------
    terrain : Terrain
        The true floor.
    station_cells : list of Cell
        At least one, all different.
    hiding : bool[rows, cols]
        Cells where containers may be.
    scenario : Scenario
        Number of containers.
    rng : numpy.random.Generator
        Draws their places, uniformly.

    Raises
    ------
    MissionError
        If there are too few such cells.
    """
    cells = np.argwhere(hiding)
    if len(cells) < scenario.containers:
        raise MissionError(
            f"{scenario.containers} containers need as many places out of sight of the start, "
            f"got {len(cells)}"
        )
    chosen = rng.choice(len(cells), scenario.containers, replace=False)
    classes = CLASSES[: max(len(station_cells), 2)]
    places = tuple(Cell(*map(int, cells[index])) for index in chosen)
    return _filled(_stations(terrain, station_cells, classes), station_cells[0], places, classes)


def far_ends(terrain: Terrain, count: int) -> list[Cell]:
    """Return `count` cells far from each other: each is the farthest from all before it.

    The first is the farthest from the region's first cell, so that the first two span
    (nearly) the longest way of the region. Ties go row-major.
    """
    first = Cell(*map(int, np.argwhere(terrain.standable)[0]))
    chosen = [_farthest(terrain, [first])]
    while len(chosen) < count:
        chosen.append(_farthest(terrain, chosen))
    return chosen


def _farthest(terrain: Terrain, sources: list[Cell]) -> Cell:
    nearest = np.min([terrain.lengths(cell) for cell in sources], axis=0)
    reach = np.where(np.isfinite(nearest), nearest, -1.0)
    return Cell(*map(int, divmod(int(np.argmax(reach)), reach.shape[1])))


def _layout(
    terrain: Terrain, station_cells: list[Cell], scenario: Scenario, rng: np.random.Generator
) -> Layout:
    chosen = _free_places(terrain, station_cells, scenario, rng)
    classes = CLASSES[: max(len(station_cells), 2)]
    stations = _stations(terrain, station_cells, classes)
    return _filled(stations, station_cells[0], chosen, classes)


def _filled(
    stations: tuple[Station, ...], start: Cell, cells: tuple[Cell, ...], classes: tuple[str, ...]
) -> Layout:
    labels = tuple(classes[index % len(classes)] for index in range(len(cells)))
    return Layout(stations, start, cells, labels)


def _free_places(
    terrain: Terrain, station_cells: list[Cell], scenario: Scenario, rng: np.random.Generator
) -> tuple[Cell, ...]:
    cells = free_cells(terrain, station_cells)
    if len(cells) < scenario.containers:
        raise MissionError(
            f"{scenario.containers} containers need as many free cells beside the "
            f"{len(station_cells)} stations, the region has {len(cells)}"
        )
    chosen = rng.choice(len(cells), scenario.containers, replace=False)
    return tuple(Cell(*map(int, cells[index])) for index in chosen)


def _stations(terrain: Terrain, cells: list[Cell], classes: tuple[str, ...]) -> tuple[Station, ...]:
    """Return one station per cell; a single one accepts every class."""
    accepted = [classes] if len(cells) == 1 else [(label,) for label in classes]
    return tuple(
        Station(f"station_{letter}", terrain.pose(cell), labels)
        for letter, cell, labels in zip("ABCDEF", cells, accepted, strict=False)
    )


def free_cells(terrain: Terrain, station_cells: list[Cell]) -> np.ndarray:
    """Return the cells (int64[n, 2], row-major) where containers may be."""
    free = terrain.standable.copy()
    for cell in station_cells:
        free[cell] = False
    return np.argwhere(free)
