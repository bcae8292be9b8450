"""RRT* on the cells of a grid: a small tree of places that a robot sees its way to."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from adm_core.grid import visible_cells

#: Samples drawn for one node before the tree counts as full.
_TRIALS = 8
_AHEAD = np.zeros(1)


class ViewTree:
    """A tree that grows over free cells, rewired to short ways from its root.

    Parameters
    ----------
    free : int8[rows, cols]
        0 where nodes and edges may lie; every other value blocks, unknown (-1) too.
    allowed : bool[rows * cols]
        Where new nodes may lie besides.
    root : int
        Flat index of the root; it need not be allowed.
    step, rewire : float
        Longest edge that a sample makes, and how far nodes are joined anew, in cells.

    Attributes
    ----------
    cells : list of int
        Flat index of each node, the root first.
    parents : list of int
        Node that each node hangs on; -1 for the root.
    """

    def __init__(
        self,
        free: npt.NDArray[np.int8],
        allowed: npt.NDArray[np.bool_],
        root: int,
        step: float,
        rewire: float,
    ) -> None:
        self._free, self._allowed = free, allowed & (free.ravel() == 0)
        self._step, self._rewire = step, max(step + 1.0, rewire)
        self.cells, self.parents = [root], [-1]
        self._costs = [0.0]
        self._node_at = np.full(free.size, -1, np.int64)
        self._node_at[root] = 0

    def __len__(self) -> int:
        return len(self.cells)

    def graft(self, branch: Iterable[int]) -> None:
        """Hang a chain of cells on the root, as far as each is in sight of the one before."""
        for cell in branch:
            near = self._in_sight(cell) if self._allowed[cell] else {}
            if self._node_at[cell] >= 0 or len(self) - 1 not in near:
                return
            self._add(cell, len(self) - 1, near)

    def grow(self, nodes: int, radius: float, rng: np.random.Generator) -> None:
        """Add `nodes` nodes towards samples within `radius` cells of the root.

        Fewer if too many samples in a row fail: a fixed number of draws for each node.
        """
        root = np.array(divmod(self.cells[0], self._free.shape[1]))
        angles = rng.uniform(0.0, 2 * math.pi, nodes * _TRIALS)
        lengths = radius * np.sqrt(rng.uniform(0.0, 1.0, nodes * _TRIALS))
        samples = root + lengths[:, None] * np.stack([np.sin(angles), np.cos(angles)], 1)
        aims, wanted, at = _Aims(self, samples), len(self) + nodes, -1
        while len(self) < wanted:
            at = aims.next_usable(at + 1)
            if at < 0:
                break
            cell, nearest = int(aims.cells[at]), int(aims.nearest[at])
            near = self._in_sight(cell)
            if nearest in near:
                parent = min(near, key=lambda node: (self._costs[node] + near[node], node))
                self._add(cell, parent, near)
                aims.consider(len(self) - 1)

    def towards(
        self, nodes: npt.NDArray[np.int64], samples: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int64]:
        """Return the cell that is one step from each node to its sample, -1 if none can be."""
        rows, cols = self._free.shape
        cells = np.array(self.cells)[nodes]
        origin = np.stack([cells // cols, cells % cols], 1).astype(float)
        away = samples - origin
        length = np.maximum(np.hypot(*away.T), 1e-9)
        ends = np.rint(origin + away * np.minimum(1.0, self._step / length)[:, None])
        row, col = ends.astype(np.int64).T
        inside = (row >= 0) & (row < rows) & (col >= 0) & (col < cols)
        cell = np.where(inside, row * cols + col, 0)
        return np.where(inside & self._allowed[cell], cell, -1)

    def is_new(self, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Mark the cells (or -1) that could become nodes."""
        return (cells >= 0) & (self._node_at[cells] < 0)

    @property
    def cols(self) -> int:
        """Columns of the grid."""
        return int(self._free.shape[1])

    def _in_sight(self, cell: int) -> dict[int, float]:
        """Return the nodes that see a free cell over free ones, and how far off they are."""
        cols = self._free.shape[1]
        row, col = divmod(cell, cols)
        seen = visible_cells(
            self._free,
            np.array([[row, col]]),
            _AHEAD,
            fov_rad=2 * math.pi,
            range_cells=self._rewire,
            near_cells=self._rewire,
        ).cells
        nodes = self._node_at[seen]
        found = np.flatnonzero(nodes >= 0)
        return {
            node: math.hypot(other // cols - row, other % cols - col)
            for node, other in zip(nodes[found].tolist(), seen[found].tolist(), strict=True)
        }

    def _add(self, cell: int, parent: int, near: dict[int, float]) -> None:
        node = len(self.cells)
        self.cells.append(cell)
        self.parents.append(parent)
        self._costs.append(self._costs[parent] + near[parent])
        self._node_at[cell] = node
        for other in sorted(near):
            if self._costs[node] + near[other] < self._costs[other] - 1e-9:
                self._rehang(other, node, self._costs[node] + near[other])

    def _rehang(self, node: int, parent: int, cost: float) -> None:
        """Join a node to a nearer parent; all that hangs on it gets nearer too."""
        gain = self._costs[node] - cost
        self.parents[node] = parent
        moved = {node}
        for other in self._downward(node):
            moved.add(other)
        for other in moved:
            self._costs[other] -= gain

    def _downward(self, node: int) -> list[int]:
        found, ends = [], [node]
        while ends:
            ends = [i for i, parent in enumerate(self.parents) if parent in ends]
            found += ends
        return found

    def branch(self, node: int) -> list[int]:
        """Return the nodes from the root, itself left out, to `node`."""
        nodes = []
        while self.parents[node] >= 0:
            nodes.append(node)
            node = self.parents[node]
        return nodes[::-1]

    def scores(self, gains: npt.NDArray[np.int32], decay: float) -> npt.NDArray[np.float64]:
        """Return the score of each node: its parent's and its own gain, less with a long edge.

        The publication's rule: ``score(parent) + gain * exp(-decay * edge)``; the root scores 0,
        for the robot is there already.
        """
        scores = np.zeros(len(self))
        order = sorted(range(1, len(self)), key=lambda node: self._costs[node])
        for node in order:
            parent = self.parents[node]
            edge = self._costs[node] - self._costs[parent]
            scores[node] = scores[parent] + gains[node] * math.exp(-decay * edge)
        return scores


class _Aims:
    """The nearest node of every sample, and the cell that it would extend the tree to."""

    def __init__(self, tree: ViewTree, samples: npt.NDArray[np.float64]) -> None:
        self._tree, self._samples = tree, samples
        self._distance = np.full(len(samples), np.inf)
        self.nearest = np.zeros(len(samples), np.int64)
        self.cells = np.full(len(samples), -1)
        for node in range(len(tree)):
            self._measure(node)
        self.cells = tree.towards(self.nearest, samples)

    def _measure(self, node: int) -> npt.NDArray[np.bool_]:
        row, col = divmod(self._tree.cells[node], self._tree.cols)
        distance = (self._samples[:, 0] - row) ** 2 + (self._samples[:, 1] - col) ** 2
        closer = distance < self._distance
        self._distance[closer] = distance[closer]
        self.nearest[closer] = node
        return closer

    def consider(self, node: int) -> None:
        """Let a new node be the nearest of some samples."""
        closer = self._measure(node)
        self.cells[closer] = self._tree.towards(self.nearest[closer], self._samples[closer])

    def next_usable(self, start: int) -> int:
        """Return the first sample from `start` that could add a node, -1 if there is none."""
        usable = self._tree.is_new(self.cells[start:])
        at = int(usable.argmax()) if len(usable) else 0
        return start + at if len(usable) and usable[at] else -1
