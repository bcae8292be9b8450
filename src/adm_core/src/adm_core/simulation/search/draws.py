"""How starts and targets of search scenarios are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from adm_core.errors import MissionError
from adm_core.grid.distance import distance_field
from adm_core.grid.visibility import visible_cells
from adm_core.simulation.building.generate import Building
from adm_core.simulation.building.plan import MODULE_M, Rect
from adm_core.simulation.search.config import ScenarioConfig
from adm_core.types import Cell, GridMap

Mask = npt.NDArray[np.bool_]
#: Robots begin within so many cells of the corridor's end.
END_CELLS = 4


def start_area(building: Building, rule: str, rng: np.random.Generator) -> Mask:
    """Return the free cells on which robots may begin: an end of the spine, or all."""
    free = building.grid_map.data == 0
    if rule == "random":
        return free
    spine = building.plan.rooms[0].rect
    last = bool(rng.integers(2))
    rows, cols = window(building.grid_map, spine)
    if spine.width > spine.height:
        cols = _end(cols, last)
    else:
        rows = _end(rows, last)
    area = np.zeros_like(free)
    area[rows, cols] = free[rows, cols]
    return area


def window(grid_map: GridMap, rect: Rect) -> tuple[slice, slice]:
    """Return the rows and columns of a rectangle of modules, on a map with cells of a module."""
    # Half a module keeps the corner clear of the edge between two cells.
    half = MODULE_M / 2
    low = grid_map.world_to_cell(rect.x0 * MODULE_M + half, rect.y0 * MODULE_M + half)
    return slice(low.row, low.row + rect.height), slice(low.col, low.col + rect.width)


def _end(span: slice, last: bool) -> slice:
    if last:
        return slice(span.stop - END_CELLS, span.stop)
    return slice(span.start, span.start + END_CELLS)


def pick(area: Mask, count: int, rng: np.random.Generator) -> tuple[Cell, ...]:
    """Return `count` different cells of an area, uniformly.

    Raises
    ------
    MissionError
        The area has fewer cells.
    """
    cells = np.argwhere(area)
    if len(cells) < count:
        raise MissionError(f"{count} robots need as many free cells to begin on, got {len(cells)}")
    chosen = rng.choice(len(cells), count, replace=False)
    return tuple(Cell(*cells[index].tolist()) for index in chosen)


def cluster(area: Mask, count: int, rng: np.random.Generator) -> tuple[Cell, ...]:
    """Return a random cell of an area and those nearest to it by path, ties row-major."""
    (first,) = pick(area, 1, rng)
    steps = distance_field(np.where(area, 0, 100).astype(np.int8), [first], diagonal="unit")
    order = np.flatnonzero(steps >= 0)
    order = order[np.argsort(steps.flat[order], kind="stable")]
    if len(order) < count:
        raise MissionError(f"{count} robots need as many free cells to begin on, got {len(order)}")
    return tuple(Cell(*divmod(flat, area.shape[1])) for flat in order[:count].tolist())


def headings(count: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Return uniform directions in radians."""
    return tuple(rng.uniform(-np.pi, np.pi, count).tolist())


def hidden_cells(
    truth: GridMap,
    starts: Sequence[Cell],
    headings_rad: Sequence[float],
    config: ScenarioConfig,
) -> Mask:
    """Return the cells far enough from every robot, and in sight of none at the start."""
    far = distance_field(truth.data, np.array(starts), diagonal="unit") >= config.target_steps
    seen = visible_cells(
        truth.data,
        np.array(starts),
        headings_rad,
        fov_rad=config.fov_rad,
        range_cells=config.range_cells,
        near_cells=config.near_cells,
    )
    far.flat[seen.cells] = False
    return far


def draw_target(
    room_type: npt.NDArray[np.uint16],
    allowed: Mask,
    types: Sequence[int],
    rng: np.random.Generator,
) -> tuple[int, Cell]:
    """Draw a type, and a cell of it; a type without an allowed cell gives way to the next.

    Raises
    ------
    MissionError
        No type has an allowed cell.
    """
    for label in rng.permutation(types).tolist():
        cells = np.argwhere(allowed & (room_type == label))
        if len(cells):
            return label, Cell(*cells[rng.integers(len(cells))].tolist())
    raise MissionError("no cell of the world may be the target: all are near or in sight")
