"""A random tree of free cells, each in sight of its parent, with short ways from the root."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from adm_core._kernels import visibility as kernel
from adm_core.grid._checks import check_grid
from adm_core.grid.visibility import visible_cells

#: Samples drawn for one node before the tree counts as full.
TRIALS = 8
_AHEAD = np.zeros(1)


class SightTree:
    """RRT* on the cells of a grid.

    A sample pulls the nearest node one step towards itself. The cell there becomes a node if it
    is free, allowed and in sight of that node; it hangs on the node in sight through which the
    way from the root is shortest, and other nodes in sight are hung on it where that is shorter.

    Parameters
    ----------
    grid : int8[rows, cols]
        0 where nodes and edges may lie; every other value blocks, unknown (-1) too.
    allowed : bool[rows * cols]
        Where new nodes may lie besides.
    root : int
        Flat index of the root; it need be neither free nor allowed.
    step, rewire : float
        Longest edge that a sample makes, and how far off nodes are joined anew, in cells; the
        latter is at least a cell more than the former.

    Raises
    ------
    ValueError
        If an argument has another type, shape or range.

    Notes
    -----
    Nearest-neighbour search is linear: made for trees of some dozen nodes. Sight as in
    :func:`adm_core.grid.visibility.visible_cells`. Karaman and Frazzoli, IJRR 2011.
    """

    def __init__(
        self,
        grid: npt.NDArray[np.int8],
        allowed: npt.NDArray[np.bool_],
        root: int,
        step: float,
        rewire: float,
    ) -> None:
        self._grid = check_grid(grid, 0, 65)
        if allowed.shape != (grid.size,) or not 0 <= root < grid.size:
            raise ValueError(
                f"allowed must be bool[{grid.size}] and root a cell, got {allowed.dtype}"
                f"{list(allowed.shape)} and {root}"
            )
        if not 0 < step < math.inf:
            raise ValueError(f"step must be > 0 cells, got {step}")
        self._allowed = allowed & (self._grid.ravel() == 0)
        self._step, self._rewire = step, max(step + 1.0, rewire)
        self._count = 1
        self._cells = np.array([root], np.int64)
        self._parents = np.array([-1], np.int64)
        self._costs = np.zeros(1)
        self._node_at = np.full(grid.size, -1, np.int32)
        self._node_at[root] = 0

    def __len__(self) -> int:
        return self._count

    @property
    def cells(self) -> npt.NDArray[np.int64]:
        """Flat index of each node, the root first."""
        return self._cells[: self._count]

    @property
    def parents(self) -> npt.NDArray[np.int64]:
        """Node that each node hangs on; -1 for the root."""
        return self._parents[: self._count]

    @property
    def costs(self) -> npt.NDArray[np.float64]:
        """Length of the branch from the root to each node, in cells."""
        return self._costs[: self._count]

    def graft(self, branch: Iterable[int]) -> None:
        """Hang a chain of cells on the root, as far as each is in sight of the one before."""
        for cell in branch:
            last = int(self._cells[self._count - 1])
            if not self._allowed[cell] or self._node_at[cell] >= 0 or not self._sees(cell, last):
                return
            self._make_room(1)
            rows, cols = (abs(a - b) for a, b in zip(*map(self._place, (cell, last)), strict=True))
            node = self._count
            self._cells[node], self._parents[node] = cell, node - 1
            self._costs[node] = self._costs[node - 1] + math.hypot(rows, cols)
            self._node_at[cell] = node
            self._count += 1

    def grow(self, nodes: int, radius: float, rng: np.random.Generator) -> None:
        """Add `nodes` nodes towards samples within `radius` cells of the root.

        Fewer if the samples do not suffice: eight draws for each node.
        """
        if nodes <= 0:
            return
        angles = rng.uniform(0.0, 2 * math.pi, nodes * TRIALS)
        lengths = radius * np.sqrt(rng.uniform(0.0, 1.0, nodes * TRIALS))
        row, col = self._place(int(self._cells[0]))
        samples = np.stack([row + lengths * np.sin(angles), col + lengths * np.cos(angles)], 1)
        self._make_room(nodes)
        room = len(self._cells)
        self._count = kernel.grow_tree(
            self._grid, self._allowed.view(np.uint8), samples, self._step, self._rewire,
            self._count + nodes, self._count, self._cells, self._parents, self._costs,
            self._node_at, np.empty(room), np.empty(room, np.uint8),
        )  # fmt: skip

    def branch(self, node: int) -> list[int]:
        """Return the nodes from the root, itself left out, to `node`."""
        nodes = []
        while self._parents[node] >= 0:
            nodes.append(node)
            node = int(self._parents[node])
        return nodes[::-1]

    def _place(self, cell: int) -> tuple[int, int]:
        return divmod(cell, self._grid.shape[1])

    def _sees(self, cell: int, other: int) -> bool:
        seen = visible_cells(
            self._grid,
            np.array([self._place(cell)]),
            _AHEAD,
            fov_rad=2 * math.pi,
            range_cells=self._rewire,
            near_cells=self._rewire,
        ).cells
        return bool((seen == other).any())

    def _make_room(self, nodes: int) -> None:
        more = self._count + nodes - len(self._cells)
        if more > 0:
            self._cells = np.append(self._cells, np.full(more, -1))
            self._parents = np.append(self._parents, np.full(more, -1))
            self._costs = np.append(self._costs, np.zeros(more))
