"""Pooling of plans that keeps the rooms connected, or says which it would cut off.

Two rooms are connected in the plan if a robot gets from one to the other; connected in the
pooled plan if a way of coarse cells leads there. Passages too narrow for the robot may close:
in a map of a laser scanner walls leak through single cells. The coarse lattice may begin at
any fine cell; the first way to lay it that keeps every connection is taken, so a door is not
lost only because it lies astride.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from adm_core.errors import MapError
from adm_core.grid.adjacency import parts_of_labels
from adm_core.grid.floorplans.plan import LabelledMap
from adm_core.grid.labels import LabelGrid
from adm_core.grid.pooling import Phase, cell_ratio, pool_labelled, pool_ranks, rank_cells
from adm_core.grid.regions import ROBOT_RADIUS_M, inflate

#: Rooms named in an error.
_NAMED = 6
#: Ways to lay the lattice that are tried; those of a cell of 5 x 5 are 25.
_MOST_PHASES = 64


def pool_plan(
    plan: LabelledMap, cell_m: float, robot_radius_m: float = ROBOT_RADIUS_M
) -> LabelledMap:
    """Pool a plan to cells of `cell_m`, or refuse if that cuts rooms off.

    Parameters
    ----------
    plan : LabelledMap
    cell_m : float
        Side of a coarse cell in metres; a map whose cells are as large or larger stays as
        it is.
    robot_radius_m : float
        Radius of the robot whose ways must remain.

    Raises
    ------
    ValueError
        `cell_m` is not finite or not > 0.
    MapError
        However the lattice lies, rooms that were connected are not any more; the message
        names them and the largest cell that keeps them, if there is one.
    """
    if not (math.isfinite(cell_m) and cell_m > 0):
        raise ValueError(f"cell_m must be finite and > 0 m, got {cell_m}")
    if cell_m <= plan.grid_map.resolution * (1 + 1e-6):
        return plan
    search = _Search(plan, robot_radius_m)
    phase, lost = search.best_phase(cell_m)
    if lost:
        raise MapError(search.refusal(cell_m, lost))
    return pool_labelled(plan, cell_m, phase)


def _instances(plan: LabelledMap) -> LabelGrid:
    """Return the rooms of a plan: its own, or else the connected parts of each type."""
    if plan.rooms is not None:
        return plan.rooms
    image = np.zeros(plan.grid_map.shape, np.uint16)
    free = plan.grid_map.data == 0
    names: dict[int, str] = {}
    for label, kind in sorted(plan.types.names.items()):
        parts, count = ndimage.label(free & (plan.types.data == label))
        for part in range(1, min(count, 65535 - len(names)) + 1):
            names[len(names) + 1] = f"{kind} {part}" if count > 1 else kind
            image[parts == part] = len(names)
    return LabelGrid(image, names)


class _Search:
    """Looks for a lattice that keeps the rooms of one plan connected."""

    def __init__(self, plan: LabelledMap, robot_radius_m: float) -> None:
        self.plan, self.rooms = plan, _instances(plan)
        self.ranks = rank_cells(plan.grid_map.data)
        standable = inflate(plan.grid_map, robot_radius_m)
        self.homes = parts_of_labels(standable, self.rooms.data)
        self.cells = np.nonzero((self.rooms.data > 0) & (self.ranks == 0))
        self.room_of = self.rooms.data[self.cells].astype(np.int64)

    def best_phase(self, cell_m: float) -> tuple[Phase, list[int]]:
        """Return the first way to lay the lattice that loses fewest rooms, and these rooms."""
        ratio = cell_ratio(self.plan.grid_map, cell_m)
        steps = range(math.ceil(ratio))
        best: tuple[Phase, list[int]] = (0, 0), self._lost(ratio, (0, 0))
        for phase in list(product(steps, steps))[1:_MOST_PHASES]:
            if not best[1]:
                break
            lost = self._lost(ratio, phase)
            if len(lost) < len(best[1]):
                best = phase, lost
        return best

    def _lost(self, ratio: float, phase: Phase) -> list[int]:
        """Return the rooms that are cut off from most of those that they hung together with."""
        places = self._coarse_homes(ratio, phase)
        lost = []
        for part in sorted(set(self.homes.values())):
            members = [room for room in self.homes if self.homes[room] == part]
            counts = np.bincount([places[room] for room in members])
            counts[0] = 0  # the part of those without a cell
            main = int(np.argmax(counts)) if counts.any() else -1
            lost += [room for room in members if places[room] != main]
        return lost

    def _coarse_homes(self, ratio: float, phase: Phase) -> npt.NDArray[np.int64]:
        """Return the coarse part in which most of each room lies, by room; 0 for none."""
        parts, count = ndimage.label(pool_ranks(self.ranks, ratio, phase) == 0)
        row, col = (
            np.floor((index + shift + 0.5) / ratio).astype(np.int64)
            for index, shift in zip(self.cells, phase, strict=True)
        )
        rooms = max(self.rooms.names, default=0) + 1
        code = self.room_of * (count + 1) + parts[row, col]
        cells = np.bincount(code, minlength=rooms * (count + 1)).reshape(rooms, count + 1)
        cells[:, 0] = 0
        return np.where(cells.any(axis=1), np.argmax(cells, axis=1), 0)

    def refusal(self, cell_m: float, lost: list[int]) -> str:
        """Return which rooms are lost, and the largest cell that loses none."""
        names = ", ".join(self.rooms.names[room] for room in lost[:_NAMED])
        more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
        fine = self.plan.grid_map.resolution
        sizes = (steps * fine for steps in range(math.ceil(cell_m / fine - 1e-6) - 1, 0, -1))
        fitting = next((size for size in sizes if not self.best_phase(size)[1]), fine)
        return (
            f"{self.plan.source or 'plan'}: cells of {cell_m:g} m would cut off {names}{more} "
            f"where a robot gets through; --cell {fitting:g} keeps all rooms connected"
        )
