"""One robot's way: its goal, the path there, and how its going goes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adm_core.search.strategy import Robot, Waypoint
from adm_core.types import Cell

#: Found stuck so often in a row, a robot is not expected to move again.
_FAILURES = 2


@dataclass
class Track:
    """State of one robot as the explorer keeps it.

    Attributes
    ----------
    id : int
    cell : Cell or None
        Where it was last heard; None before the first report.
    heading_rad : float
    on_map : bool
        Whether that is on the map.
    active : bool
        Whether it gets work.
    goal : Waypoint or None
    watch : int64[n]
        Frontier cells for whose sake it goes; the goal is dropped when none is one any more.
    path : list of Cell
        The cells still to go, the next one last.
    deadline : int
        Step at which the goal is given up.
    ordered : Cell or None
        Where it was sent in the last step.
    unmoved : int
        Steps in a row in which it did not get where it was sent.
    unheard : int
        Steps in a row without a report.
    silent : bool
        Whether it was not heard for so long that it has lost its work.
    rests_until : int
        Step at which a stuck robot is tried again.
    failures : int
        How often it was found stuck since it last moved.
    """

    id: int
    cell: Cell | None = None
    heading_rad: float = 0.0
    on_map: bool = False
    active: bool = False
    goal: Waypoint | None = None
    watch: npt.NDArray[np.int64] | None = None
    path: list[Cell] | None = None
    deadline: int = 0
    ordered: Cell | None = None
    unmoved: int = 0
    unheard: int = 0
    silent: bool = False
    rests_until: int = 0
    failures: int = 0

    def start(
        self, goal: Waypoint, path: list[Cell], watch: npt.NDArray[np.int64], deadline: int
    ) -> None:
        """Commit to a goal."""
        self.goal, self.path, self.watch, self.deadline = goal, path, watch, deadline

    def release(self) -> None:
        """Have no goal any more."""
        self.goal = self.path = self.watch = None

    @property
    def is_lost(self) -> bool:
        """Whether nothing can be hoped for from a robot that was there once.

        It is silent, off the map, or was found stuck, tried again, and found stuck again.
        """
        if self.cell is None:
            return False
        return self.silent or not self.on_map or self.failures >= _FAILURES

    def robot(self) -> Robot:
        """Return what strategies may know of it; off the map its cell means nothing."""
        cell = self.cell if self.cell and self.on_map else Cell(0, 0)
        return Robot(self.id, cell, self.heading_rad, self.active, self.goal)

    def looks(self) -> bool:
        """Tell whether the robot looks where its goal says."""
        if self.goal is None or self.goal.heading_rad is None:
            return True
        return abs(math.remainder(self.goal.heading_rad - self.heading_rad, math.tau)) < 1e-9

    def view_heading(self) -> float:
        """Return where the robot looks while it does not move."""
        if self.goal and self.goal.heading_rad is not None:
            return self.goal.heading_rad
        return self.heading_rad


def line_between(start: Cell, end: Cell) -> list[Cell]:
    """Return the cells of a straight line from `start` to `end`, both left out."""
    count = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    return [
        Cell(
            round(start[0] + (end[0] - start[0]) * k / count),
            round(start[1] + (end[1] - start[1]) * k / count),
        )
        for k in range(1, count)
    ]
