"""Who visits which frontier clusters, and in what order (SAGR, section IV).

Rounds of optimal assignment give every cluster a robot, at most one a robot and round; then
each robot visits its own on a short open path. The same rule divides the clusters of one room
among the robots sent there (SAGR) and all clusters among all robots (the Hungarian baseline).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from adm_core.assignment import assign_rounds, order_open_path
from adm_core.search.strategy import Waypoint
from adm_core.search.team_map import TeamMap
from adm_core.types import Cell

EUCLIDEAN, PATH = "euclidean", "path"


def allocate(
    known: TeamMap,
    robots: Sequence[Cell],
    clusters: npt.NDArray[np.int64],
    cost: str = EUCLIDEAN,
) -> list[list[int]]:
    """Divide frontier clusters among robots.

    Parameters
    ----------
    known : TeamMap
        The map with its clusters.
    robots : sequence of Cell
        Where the robots are.
    clusters : int[k]
        Numbers of the clusters to divide, ascending.
    cost : {"euclidean", "path"}
        Distance between centres, or moves over known free cells. A cluster to which no robot
        has a way is left out by ``path``.

    Returns
    -------
    list of list of int
        For each robot the numbers of its clusters in order of visit. Ties go to the lowest
        robot, then to the lowest cluster.

    Raises
    ------
    ValueError
        `cost` is something else.

    Notes
    -----
    ``path`` takes one distance field a robot and one a cluster.
    """
    if cost not in (EUCLIDEAN, PATH):
        raise ValueError(f"cost must be '{EUCLIDEAN}' or '{PATH}', got {cost!r}")
    if not len(clusters) or not robots:
        return [[] for _ in robots]
    goals = known.clusters().representatives[clusters]
    measure = _straight if cost == EUCLIDEAN else _walked
    places = [*robots, *(Cell(*divmod(goal, known.shape[1])) for goal in goals.tolist())]
    between = measure(known, places)
    count = len(robots)
    owner = assign_rounds(np.ascontiguousarray(between[:count, count:])).owner
    lists = []
    for robot in range(count):
        own = np.flatnonzero(owner == robot)
        points = np.concatenate([[robot], count + own])
        ways = np.ascontiguousarray(between[np.ix_(points, points)])
        order = order_open_path(ways, 0)[1:] - 1
        lists.append(clusters[own[order]].tolist())
    return lists


def _straight(known: TeamMap, places: Sequence[Cell]) -> npt.NDArray[np.float64]:
    where = np.array(places, np.float64)
    rows, cols = (where[:, None, axis] - where[None, :, axis] for axis in (0, 1))
    return np.hypot(rows, cols)


def _walked(known: TeamMap, places: Sequence[Cell]) -> npt.NDArray[np.float64]:
    where = np.array(places)
    steps = np.array(
        [known.steps_from(cell)[where[:, 0], where[:, 1]] for cell in places], np.float64
    )
    steps[steps < 0] = np.inf
    return np.minimum(steps, steps.T)  # a robot on a cell that is not free can leave it only


def waypoints(known: TeamMap, clusters: Sequence[int]) -> list[Waypoint]:
    """Return the representatives of clusters as waypoints that stand for their frontier."""
    found, cols = known.clusters(), known.shape[1]
    return [
        Waypoint(
            Cell(*divmod(int(found.representatives[cluster]), cols)),
            None,
            found.cells[found.owner == cluster],
        )
        for cluster in clusters
    ]
