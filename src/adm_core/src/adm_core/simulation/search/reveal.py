"""A plan as a team knows it half-way: a connected part around a random start is revealed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from adm_core.grid.distance import distance_field
from adm_core.grid.floorplans.plan import LabelledMap
from adm_core.grid.map_modes import FREE, OCCUPIED, UNKNOWN
from adm_core.grid.regions import ROBOT_RADIUS_M, inflate, largest_region
from adm_core.search.config import SearchConfig
from adm_core.search.strategy import Robot, TeamView
from adm_core.search.task import SearchTask
from adm_core.search.team_map import TeamMap
from adm_core.simulation.search import draws
from adm_core.types import Cell


def reveal(
    truth: npt.NDArray[np.int8], starts: Sequence[Cell], fraction: float
) -> npt.NDArray[np.int8]:
    """Return the part of a map that lies nearest to `starts`.

    Parameters
    ----------
    truth : int8[rows, cols]
        -1 unknown, 0 free, 100 occupied.
    starts : sequence of Cell
        Free cells.
    fraction : float
        Share of the free cells within reach that become known, 0..1; at least the starts do.

    Returns
    -------
    int8[rows, cols]
        The cells with the shortest ways over 4-neighbours, ties row-major, and the walls
        that touch them, corners included; -1 everywhere else. What is unknown in `truth`
        counts as wall: nobody can ever see behind it.

    Raises
    ------
    ValueError
        `fraction` is out of range.
    """
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction must be between 0 and 1, got {fraction}")
    steps = distance_field(truth, np.array(starts)).ravel()
    reached = np.flatnonzero(steps >= 0)
    count = max(len(starts), math.ceil(fraction * len(reached)))
    nearest = reached[np.argsort(steps[reached], kind="stable")[:count]]
    known = np.full(truth.shape, UNKNOWN, np.int8)
    known.flat[nearest] = FREE
    seen = np.pad(known == FREE, 1)
    beside = np.zeros(truth.shape, bool)
    rows, cols = truth.shape
    for row in range(3):
        for col in range(3):
            beside |= seen[row : row + rows, col : col + cols]
    walls = beside & (truth != FREE)
    known[walls] = np.where(truth[walls] > FREE, truth[walls], OCCUPIED)
    return known


def partial_view(
    plan: LabelledMap,
    robots: int,
    seed: int,
    *,
    fraction: float | None = None,
    task: SearchTask = SearchTask(),  # noqa: B008 - a frozen value
    config: SearchConfig = SearchConfig(),  # noqa: B008 - a frozen value
    robot_radius_m: float = ROBOT_RADIUS_M,
) -> TeamView:
    """Return what a team knows of a plan, as coordinators see it.

    Parameters
    ----------
    plan : LabelledMap
        Occupancy -1, 0, 100.
    robots, seed : int
        The robots stand on random cells of the known floor.
    fraction : float, optional
        Share of the floor that was explored from a random start; None takes the map as it is.
    task, config
        What coordinators are told, and how frontiers are clustered.

    Raises
    ------
    MissionError
        No robot fits on the floor, or there are more robots than cells.
    """
    rng = np.random.default_rng(seed)
    start_rng, robot_rng = rng.spawn(2)
    floor = largest_region(inflate(plan.grid_map, robot_radius_m))
    known = plan.grid_map.data
    if fraction is not None:
        known = reveal(known, draws.pick(floor, 1, start_rng), fraction)
    team_map = TeamMap(
        plan.grid_map.shape,
        plan.types.names,
        config,
        plan.grid_map.resolution,
        plan.grid_map.origin,
    )
    cells = np.flatnonzero(known != UNKNOWN)
    types = plan.types.data.astype(np.uint16, copy=False)
    values = np.where(known.flat[cells] >= 65, OCCUPIED, known.flat[cells]).astype(np.int8)
    team_map.observe(cells, values, types.flat[cells])
    places = draws.pick(floor & (known == FREE), robots, robot_rng)
    headings = draws.headings(robots, robot_rng)
    team = (Robot(k, cell, headings[k]) for k, cell in enumerate(places))
    return TeamView(0, team_map, tuple(team), task)
