"""The seam between methods and motion: a strategy says where to go, the explorer goes there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from adm_core.search.task import SearchTask
from adm_core.search.team_map import TeamMap
from adm_core.types import Cell


class Waypoint(NamedTuple):
    """A cell to go to, and the direction to look from there if the strategy cares.

    Attributes
    ----------
    cell : Cell
        A known free cell.
    heading_rad : float or None
        From the column axis (x) towards the row axis (y); turning there costs one step.
    frontier : int64[n] or None
        Flat indices of the frontier cells for whose sake the robot goes there: it turns away as
        soon as none of them is a frontier any more. None: the frontier within two cells, if
        there is any and no heading is given; otherwise the robot goes all the way.
    """

    cell: Cell
    heading_rad: float | None = None
    frontier: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Robot:
    """State of one robot as the team knows it.

    Attributes
    ----------
    id : int
        0..n-1.
    cell : Cell
    heading_rad : float
    active : bool
        False while it is silent or stuck: it gets no work and holds none.
    goal : Waypoint or None
        Where it is going now.
    """

    id: int
    cell: Cell
    heading_rad: float
    active: bool = True
    goal: Waypoint | None = None


@dataclass(frozen=True)
class TeamView:
    """Everything that a strategy may look at.

    Attributes
    ----------
    step : int
    map : TeamMap
        Read only for strategies.
    robots : tuple of Robot
        All robots, in order of their ids.
    task : SearchTask
    """

    step: int
    map: TeamMap
    robots: tuple[Robot, ...]
    task: SearchTask

    @property
    def robot_cells(self) -> npt.NDArray[np.int64]:
        """Flat indices of the robots' cells."""
        cols = self.map.shape[1]
        return np.array([r.cell.row * cols + r.cell.col for r in self.robots], np.int64)


class Strategy(Protocol):
    """A method of team exploration; it keeps its own state between calls.

    All methods share map, sensing, start poses, coordination interval, motion and stopping.
    """

    def coordinate(self, view: TeamView) -> None:
        """Divide the work anew: at step 0 and every `t_coord` steps."""

    def next_waypoint(self, view: TeamView, robot: int) -> Waypoint | None:
        """Return where `robot`, which has no goal now, goes next; None if nothing is left.

        Asked again at once if the place cannot be used: seen meanwhile, the robot's own cell,
        or given up before. A robot for which nothing is left, or to whose waypoint no known
        way leads, goes to a frontier that the method's fallback picks.
        """


class Candidates(NamedTuple):
    """Frontier cells that one robot can go to now.

    Attributes
    ----------
    frontier : int64[n]
        Flat indices of the frontier cells, ascending.
    cells : int64[n]
        Where the robot would stand for each: the cell itself, or beside it if it is too tight.
    steps : int32[n]
        Moves from the robot to `cells`.
    """

    frontier: npt.NDArray[np.int64]
    cells: npt.NDArray[np.int64]
    steps: npt.NDArray[np.int32]


class Fallback(Protocol):
    """Picks a frontier for a robot whose strategy has nothing for it."""

    def __call__(self, view: TeamView, robot: int, candidates: Candidates) -> int | None:
        """Return the index of a candidate; None if the robot had better stay."""
