"""Hierarchical grid of RACER: what is left to explore, cut into tasks that robots own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core.grid import distance_field
from adm_core.grid.clusters import FrontierClusters
from adm_core.search.baselines.config import RacerConfig
from adm_core.search.team_map import TeamMap
from adm_core.types import Cell

Ints = npt.NDArray[np.int64]

NOBODY = -1
_UNKNOWN, _OPEN, _CLOSED = -1, np.int8(0), np.int8(100)


class Tasks(NamedTuple):
    """Grid cells in which something is left, in order of their numbers.

    Attributes
    ----------
    ids : int64[k]
        Numbers of the grid cells: roots row-major first, then leaves row-major.
    demand : int64[k]
        Unknown cells near a frontier in each, at least 1.
    centres : int64[k]
        Flat index of the map cell that stands for each: the unknown one nearest to their mean,
        or the representative of a cluster where no unknown one counts.
    cluster_task : int64[c]
        Place in `ids` of the grid cell that holds the representative of each frontier cluster;
        -1 for clusters that no robot can get to.
    """

    ids: Ints
    demand: Ints
    centres: Ints
    cluster_task: Ints


class HGrid:
    """Grid cells of two sizes; a root is split for good once it is known well enough.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of the map.
    config : RacerConfig

    Attributes
    ----------
    owner : int64[roots + leaves]
        Robot that owns each grid cell, or -1; a leaf gets the owner of its root at the split.
    """

    def __init__(self, shape: tuple[int, int], config: RacerConfig) -> None:
        self.config = config
        self.shape = shape
        self._root_of, roots = _tiles(shape, config.root_cells)
        self._leaf_of, leaves = _tiles(shape, config.leaf_cells)
        self._leaf_of += roots
        self._size = np.bincount(self._root_of, minlength=roots)
        self._split = np.zeros(roots, np.bool_)
        self._root_of_leaf = np.zeros(leaves, np.int64)
        self._root_of_leaf[self._leaf_of - roots] = self._root_of
        self._id_of = self._root_of.copy()
        self.owner = np.full(roots + leaves, NOBODY, np.int64)

    def parent(self, ids: Ints) -> Ints:
        """Return the root of each grid cell, itself for roots."""
        roots = len(self._split)
        leaf = np.maximum(ids - roots, 0)
        return np.where(ids < roots, ids, self._root_of_leaf[leaf])

    def update(self, known: TeamMap, robots: list[Cell]) -> Tasks:
        """Split what is known well enough and return the tasks that are left.

        A grid cell is a task if it holds `min_unknown` unknown cells near a frontier, or the
        representative of a frontier cluster. Only frontiers that one of `robots` can get to
        count, so that what lies behind walls attracts nobody.
        """
        self._split_known(known.grid)
        reached = _reached(known, robots)
        clusters = known.clusters()
        reps, can = clusters.representatives, _reached_clusters(clusters, reached)
        near = _near_frontier(known, reached, self.config.near_cells)
        unknown = np.bincount(self._id_of[near], minlength=len(self.owner))
        held = np.where(can, self._id_of[reps], -1)
        task = unknown >= self.config.min_unknown
        task[held[held >= 0]] = True
        ids = np.flatnonzero(task)
        place = np.full(len(self.owner) + 1, -1)
        place[ids] = np.arange(len(ids))
        centres = self._centres(known.shape[1], near, reps[can], ids)
        return Tasks(ids, np.maximum(unknown[ids], 1), centres, place[held])

    def _split_known(self, grid: npt.NDArray[np.int8]) -> None:
        unknown = np.bincount(self._root_of[grid.ravel() == _UNKNOWN], minlength=len(self._split))
        split = ~self._split & (unknown < self.config.split_unknown * self._size)
        if not split.any():
            return
        self._split |= split
        leaves = np.flatnonzero(split[self._root_of_leaf])
        self.owner[leaves + len(split)] = self.owner[self._root_of_leaf[leaves]]
        self._id_of = np.where(self._split[self._root_of], self._leaf_of, self._root_of)

    def _centres(self, cols: int, near: Ints, reps: Ints, ids: Ints) -> Ints:
        """Return for each task the unknown cell nearest to the mean, ties row-major."""
        centres = np.full(len(self.owner), -1)
        centres[self._id_of[reps[::-1]]] = reps[::-1]
        owner = self._id_of[near]
        rows, far_cols = np.divmod(near, cols)
        count = np.maximum(np.bincount(owner, minlength=len(centres)), 1)
        off = np.zeros(len(near))
        for axis in (rows, far_cols):
            mean = np.bincount(owner, axis, minlength=len(centres)) / count
            off += (axis - mean[owner]) ** 2
        # The offsets within a grid cell are less than the next owner's lead; ties stay row-major.
        order = np.argsort(owner * (4.0 * self.config.root_cells**2) + off, kind="stable")
        first = order[np.unique(owner[order], return_index=True)[1]]
        centres[owner[first]] = near[first]
        return centres[ids]


def _tiles(shape: tuple[int, int], side: int) -> tuple[Ints, int]:
    """Return the number of the square tile that holds each cell, and how many there are."""
    across = -(-shape[1] // side)
    rows, cols = np.arange(shape[0]) // side, np.arange(shape[1]) // side
    return (rows[:, None] * across + cols[None, :]).ravel(), -(-shape[0] // side) * across


def _reached(known: TeamMap, robots: list[Cell]) -> npt.NDArray[np.bool_]:
    """Mark the cells that a robot can get to; steps do not matter, hence four neighbours."""
    sources = np.array(robots, np.int64).reshape(-1, 2)
    return distance_field(known.passable, sources).ravel() >= 0


def _reached_clusters(
    clusters: FrontierClusters, reached: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Mark the clusters of which a robot can get to a frontier cell.

    The representative may lie too close to a wall for a wide robot.
    """
    can = np.zeros(len(clusters.sizes) + 1, np.bool_)  # one more for cells without a cluster
    can[clusters.owner[reached[clusters.cells]]] = True
    return can[:-1]


def _near_frontier(known: TeamMap, reached: npt.NDArray[np.bool_], steps: int) -> Ints:
    """Return the unknown cells at most `steps` from a frontier cell that can be got to."""
    frontier = known.frontier()
    unknown = known.grid == _UNKNOWN
    way = distance_field(
        np.where(unknown, _OPEN, _CLOSED), frontier[reached[frontier]], max_distance=steps
    )
    return np.flatnonzero((way > 0) & unknown)
