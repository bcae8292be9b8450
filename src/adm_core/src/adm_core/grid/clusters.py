"""Clusters of frontier cells, each with a reachable cell that stands for it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core._kernels.clusters import Planes
from adm_core.grid._checks import check_cell, check_grid
from adm_core.grid._threads import check_threads, run_strips, strips

_DEEP = 2**31  # from here on a depth is cut to what the grid can need
_new = tuple.__new__  # quicker than calling the class


class FrontierClusters(NamedTuple):
    """Clusters of one grid, numbered 0..k-1 in row-major order of their seeds.

    Attributes
    ----------
    owner : int32[n]
        Cluster of each frontier cell, in the order of `cells`; -1 if its
        cluster was smaller than the minimum size.
    sizes : int32[k]
        Number of frontier cells of each cluster.
    centroids : float64[k, 2]
        Mean (row, col) of the frontier cells, in cells.
    representatives : int64[k]
        Row-major index of the visited free cell nearest to the centroid.
    seeds : int64[k]
        Row-major index of the cell where each cluster's search started.
    cells : int64[n]
        Row-major index of each frontier cell, ascending.
    reachable : bool[k] or None
        False where the free space of the cluster holds no robot; None if no
        robots were given.
    """

    owner: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int32]
    centroids: npt.NDArray[np.float64]
    representatives: npt.NDArray[np.int64]
    seeds: npt.NDArray[np.int64]
    cells: npt.NDArray[np.int64]
    reachable: npt.NDArray[np.bool_] | None


def cluster_frontiers(
    grid: npt.NDArray[np.int8],
    *,
    c_max: int = 10,
    min_size: int = 1,
    robots: Any = None,
    border_is_unknown: bool = False,
    free_max: int = 0,
    occupied_min: int = 65,
    threads: int = 1,
) -> FrontierClusters:
    """Group the frontier by depth-limited search over free cells.

    Frontier cells are scanned row-major. The first one without a cluster is a
    seed: a search from it over 4-connected free cells, at most `c_max` moves
    deep, collects every frontier cell without a cluster that it reaches. The
    representative is the free cell visited by that search which lies nearest
    to the centroid; distances are compared as whole numbers and ties go to the
    first cell in row-major order.

    Parameters
    ----------
    grid : int8[rows, cols]
        -1 unknown, 0..`free_max` free, every other value known and not free.
    c_max : int
        Depth limit in moves, >= 0.
    min_size : int
        Clusters with fewer cells are dropped, >= 1.
    robots : sequence of (row, col), optional
        Cells of the robots. A cluster whose 4-connected free space holds none
        of them is marked unreachable; its representative stays.
    border_is_unknown, free_max, occupied_min, threads
        As in :func:`adm_core.grid.frontiers.find_frontiers`. Only the reading of
        the grid is shared among threads.

    Returns
    -------
    FrontierClusters
        Empty arrays if there is no frontier.

    Raises
    ------
    ValueError
        If an argument breaks its rule; the message names it.

    Notes
    -----
    O(rows * cols) to read the grid and O(c_max^2) words for each cluster up to
    31 moves; deeper searches are O(visited cells). Scratch memory is about
    half a byte for a cell. Clusters and representatives as in section III of
    the semantic area graph paper (arXiv 2604.16263), made deterministic.
    """
    grid = check_grid(grid, free_max, occupied_min)
    if c_max < 0 or min_size < 1:
        raise ValueError(f"c_max must be >= 0 and min_size >= 1, got {c_max} and {min_size}")
    depth = c_max if c_max < _DEEP else min(c_max, grid.size)
    if threads == 1:
        planes = Planes(grid, free_max, border_is_unknown)
    else:
        planes = _pack_in_strips(grid, free_max, border_is_unknown, threads)
    found = _new(FrontierClusters, planes.cluster(depth))
    if min_size > 1:
        found = drop_small(found, min_size)
    return found if robots is None else mark_reachable(found, grid, robots, free_max)


def _pack_in_strips(
    grid: npt.NDArray[np.int8], free_max: int, border: bool, threads: int
) -> Planes:
    check_threads(threads)
    planes, parts = (
        Planes(grid, free_max, border, True, False),
        strips(grid.shape, threads, light=True),
    )
    counts = run_strips(lambda *rows: planes.pack(grid, free_max, border, *rows), parts)
    for count, rows in zip(counts, parts, strict=True):
        planes.add(count, *rows)
    return planes


def drop_small(found: FrontierClusters, min_size: int) -> FrontierClusters:
    """Return the clusters with at least `min_size` cells, renumbered."""
    keep = found.sizes >= min_size
    number = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
    return found._replace(
        owner=number[found.owner],
        sizes=found.sizes[keep],
        centroids=found.centroids[keep],
        representatives=found.representatives[keep],
        seeds=found.seeds[keep],
    )


def mark_reachable(
    found: FrontierClusters, grid: npt.NDArray[np.int8], robots: Any, free_max: int
) -> FrontierClusters:
    """Return the clusters with the flag whether their free space holds one of `robots`."""
    starts = np.array([check_cell(robot, "robots", grid.shape) for robot in robots], np.int64)
    reached = np.empty(len(found.seeds), np.bool_)
    if len(reached):
        Planes(grid, free_max, False).mark_reachable(starts, found.seeds, reached)
    return found._replace(reachable=reached)
