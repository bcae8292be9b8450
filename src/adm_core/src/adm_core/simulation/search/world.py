"""The true world of a search: it moves the robots, senses for them and counts what they saw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from adm_core.config import Config, param
from adm_core.errors import MissionError
from adm_core.grid.distance import reachable
from adm_core.grid.visibility import visible_cells
from adm_core.search.explorer import Move, Report
from adm_core.search.team_map import FREE, OCCUPIED, UNKNOWN, TeamMap
from adm_core.simulation.search.config import ScenarioConfig
from adm_core.simulation.search.scenario import SearchScenario
from adm_core.types import Cell


@dataclass(frozen=True)
class Faults(Config):
    """What may go wrong; nothing by default."""

    blocking: bool = param(False, "robots keep each other out of their cells")
    stops: int = param(0, "robots that stop: the last ones of the team", min=0)
    stops_at: int = param(100, "step at which they stop", unit="steps", min=0)
    silent: bool = param(False, "robots that stop are not heard any more either")
    merge_error_cells: float = param(
        0.0, "standard deviation of each robot's place in the common map", unit="cells", min=0.0
    )

    @property
    def any(self) -> bool:
        """Whether anything goes wrong."""
        return self != Faults()


class SearchWorld:
    """A building with robots in it.

    Cells of the true map that are unknown there act as walls: nobody can say what they hold.

    Parameters
    ----------
    scenario : SearchScenario
    sensor : ScenarioConfig
        Field of view and range of the robots.
    faults : Faults
        What may go wrong.

    Attributes
    ----------
    cells : list of Cell
        Where the robots truly are.
    headings_rad : list of float
        Where they look.
    step : int
    bumps : int
        Moves that a wall has stopped.
    reachable_cells, seen_cells : int
        Free cells that the robots can get to, and how many of them were seen.
    found : int or None
        The robot that saw a target; None while none has.
    found_cell : Cell or None
        That target's cell.
    """

    def __init__(
        self,
        scenario: SearchScenario,
        sensor: ScenarioConfig | None = None,
        faults: Faults | None = None,
    ) -> None:
        self.scenario, self.sensor = scenario, sensor or ScenarioConfig()
        self.faults = faults or Faults()
        data = scenario.truth.data
        self._truth = np.where(data < 0, np.int8(OCCUPIED), data)
        self._types = np.ascontiguousarray(scenario.room_type, np.uint16).ravel()
        self.cells, self.headings_rad = list(scenario.starts), list(scenario.headings_rad)
        self.step = self.bumps = self.seen_cells = 0
        self.found: int | None = None
        self.found_cell: Cell | None = None
        self._unseen = reachable(self._truth, scenario.starts, diagonal="unit").ravel()
        self.reachable_cells = int(np.count_nonzero(self._unseen))
        self._targets = frozenset(cell.row * data.shape[1] + cell.col for cell in scenario.targets)
        self._slips = self._draw_slips()

    def _draw_slips(self) -> npt.NDArray[np.int64]:
        """Draw how far each robot's frame lies from the common one; robot 0 defines it."""
        count, error = len(self.cells), self.faults.merge_error_cells
        rng = np.random.default_rng((self.scenario.seed, 0x51))
        slips = np.rint(rng.normal(0.0, error, (count, 2))).astype(np.int64)
        slips[0] = 0
        return slips

    @property
    def share(self) -> float:
        """Share of the reachable free cells that was seen."""
        return self.seen_cells / self.reachable_cells

    def stopped(self, robot: int) -> bool:
        """Tell whether a robot has stopped for good."""
        last = len(self.cells) - self.faults.stops
        return robot >= last and self.step >= self.faults.stops_at

    def report(self, robot: int) -> Report | None:
        """Return where a robot believes it is; None if it is silent."""
        if self.faults.silent and self.stopped(robot):
            return None
        (row, col), slip = self.cells[robot], self._slips[robot]
        return Report(Cell(int(row + slip[0]), int(col + slip[1])), self.headings_rad[robot])

    # --- moving ----------------------------------------------------------------------------

    def move(self, moves: Sequence[Move | None]) -> None:
        """Carry out one step.

        Raises
        ------
        MissionError
            A move is not one of the eight neighbours, or leads into a wall though the common
            map is exact.
        """
        for robot, move in enumerate(moves):
            if move is not None and not self.stopped(robot):
                self._move_one(robot, move, moves)
        self.step += 1

    def _move_one(self, robot: int, move: Move, moves: Sequence[Move | None]) -> None:
        slip = self._slips[robot]
        cell = Cell(int(move.cell[0] - slip[0]), int(move.cell[1] - slip[1]))
        here = self.cells[robot]
        if max(abs(cell[0] - here[0]), abs(cell[1] - here[1])) > 1:
            raise MissionError(f"robot {robot} cannot go from {here} to {cell} in one step")
        if not self._is_open(here, cell):
            if self.faults.merge_error_cells == 0:
                raise MissionError(f"robot {robot} would go from {here} into the wall at {cell}")
            self.bumps += 1
            return
        if cell != here and self.faults.blocking and not self._make_way(robot, cell, moves):
            return
        self.cells[robot], self.headings_rad[robot] = cell, move.heading_rad

    def _is_open(self, here: Cell, cell: Cell) -> bool:
        grid = self._truth
        if not (0 <= cell[0] < grid.shape[0] and 0 <= cell[1] < grid.shape[1]):
            return False
        if cell == here:
            return True
        return bool(grid[cell] == FREE == grid[here[0], cell[1]] == grid[cell[0], here[1]])

    def _make_way(self, robot: int, cell: Cell, moves: Sequence[Move | None]) -> bool:
        """Tell whether `cell` is empty, changing places with a robot that comes the other way.

        Robots are served in order of their numbers, so a lower one goes first.
        """
        if cell not in self.cells:
            return True
        other, here = self.cells.index(cell), self.cells[robot]
        wanted = moves[other]
        if wanted is None or self.stopped(other):
            return False
        back = self._slips[other]
        if Cell(int(wanted.cell[0] - back[0]), int(wanted.cell[1] - back[1])) != here:
            return False
        self.cells[other] = here
        self.headings_rad[other] = wanted.heading_rad
        return True

    # --- sensing ---------------------------------------------------------------------------

    def sense(self, maps: TeamMap | Sequence[TeamMap], robots: Iterable[int] | None = None) -> None:
        """Let robots look around and take what they see into the team's or each one's map."""
        who = [robot for robot in range(len(self.cells)) if self._senses(robot)]
        seen = visible_cells(
            self._truth,
            [self.cells[robot] for robot in who],
            [self.headings_rad[robot] for robot in who],
            fov_rad=self.sensor.fov_rad,
            range_cells=self.sensor.range_cells,
            near_cells=self.sensor.near_cells,
        )
        self._count(seen.cells)
        if self._targets and self.found is None:
            self._look_for_targets(who, seen.cells, seen.offsets)
        if isinstance(maps, TeamMap) and not self._slips.any():
            self._show(maps, seen.cells, np.zeros(2, np.int64))
            return
        for k, robot in enumerate(who):
            known = maps if isinstance(maps, TeamMap) else maps[robot]
            self._show(known, seen.of(k), self._slips[robot])

    def _senses(self, robot: int) -> bool:
        return not (self.faults.silent and self.stopped(robot))

    def _count(self, cells: npt.NDArray[np.int64]) -> None:
        new = np.count_nonzero(self._unseen[cells])
        if new:
            before = np.count_nonzero(self._unseen)
            self._unseen[cells] = False
            self.seen_cells += int(before - np.count_nonzero(self._unseen))

    def _look_for_targets(
        self, who: list[int], cells: npt.NDArray[np.int64], offsets: npt.NDArray[np.int64]
    ) -> None:
        for place in np.flatnonzero(np.isin(cells, list(self._targets)))[:1].tolist():
            self.found = who[int(np.searchsorted(offsets, place, side="right")) - 1]
            self.found_cell = Cell(*divmod(int(cells[place]), self._truth.shape[1]))

    def _show(
        self, known: TeamMap, cells: npt.NDArray[np.int64], slip: npt.NDArray[np.int64]
    ) -> None:
        occupancy, types = self._truth.ravel()[cells], self._types[cells]
        if slip.any():
            rows, cols = self._truth.shape
            row, col = cells // cols + slip[0], cells % cols + slip[1]
            inside = (row >= 0) & (row < rows) & (col >= 0) & (col < cols)
            cells = (row * cols + col)[inside]
            occupancy, types = occupancy[inside], types[inside]
        known.observe(cells, occupancy, types)


def remaining(
    truth: npt.NDArray[np.int8],
    known: TeamMap,
    starts: Sequence[Cell],
    radius_cells: float = 0.0,
) -> int:
    """Count the unknown cells of the true map on which the centre of a robot could stand.

    A flood fill of its own over the four edge neighbours; it uses nothing of the explorer.

    Parameters
    ----------
    truth : int8[rows, cols]
        The true map; its unknown cells act as walls.
    known : TeamMap
        What the team knows.
    starts : sequence of Cell
        Where the robots began.
    radius_cells : float
        Radius of the robots: centres keep farther than this from walls and from the border.

    Raises
    ------
    ValueError
        A robot does not fit where it began.
    """
    room = _room_for(truth == FREE, radius_cells)
    for cell in starts:
        if not room[cell]:
            raise ValueError(f"starts must fit a radius of {radius_cells:g} cells, got {cell}")
    return int(np.count_nonzero(_flood(room, starts) & (known.grid == UNKNOWN)))


def _room_for(free: npt.NDArray[np.bool_], radius_cells: float) -> npt.NDArray[np.bool_]:
    """Return the free cells farther than the radius from all that are not free."""
    if radius_cells == 0:
        return free
    squares = ndimage.distance_transform_edt(np.pad(free, 1))[1:-1, 1:-1] ** 2
    room: npt.NDArray[np.bool_] = free & (np.rint(squares) > radius_cells**2 + 1e-6)
    return room


def _flood(free: npt.NDArray[np.bool_], starts: Sequence[Cell]) -> npt.NDArray[np.bool_]:
    reached = np.zeros_like(free)
    waiting = [(cell[0], cell[1]) for cell in starts]
    while waiting:
        row, col = waiting.pop()
        inside = 0 <= row < free.shape[0] and 0 <= col < free.shape[1]
        if inside and free[row, col] and not reached[row, col]:
            reached[row, col] = True
            waiting += [(row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)]
    return reached
