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
    """

    cell: Cell
    heading_rad: float | None = None


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
        """Return where `robot`, which has no goal now, goes next; None to stay."""
