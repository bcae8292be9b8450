"""Autonomous exploration planner in dynamic Voronoi cells, as published (RA-L 2019)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from adm_core.grid.sight_tree import SightTree
from adm_core.search.baselines.config import AepRrtConfig
from adm_core.search.baselines.outlook import Outlook
from adm_core.search.baselines.view_gain import full_view_cells
from adm_core.search.strategy import TeamView, Waypoint

#: Nodes that a tree grows by while its best score is too low.
_MORE = 5


class AepRrt:
    """Every robot follows the first edge of the best branch of a tree of views.

    A tree of 15 nodes, up to 30 while its best score is low, grows in the robot's own region
    from the rest of the branch that it followed before. Where the best score stays low, the
    nearest remembered place with a good view in the region is gone to.

    Parameters
    ----------
    config : AepRrtConfig
    rng : Generator
        The only source of chance.
    """

    def __init__(self, config: AepRrtConfig, rng: np.random.Generator) -> None:
        self.config = config
        self._rng = rng
        self._outlook = Outlook(config.max_points, config.turn)
        self._branches: dict[int, list[int]] = {}

    def coordinate(self, view: TeamView) -> None:
        """Divide the map into the robots' regions."""
        self._outlook.divide(view)

    def next_waypoint(self, view: TeamView, robot: int) -> Waypoint | None:
        """Return the first edge of the best branch, or a remembered place."""
        config = view.map.config
        full = full_view_cells(math.radians(config.fov_deg), config.range_cells)
        zero, least = self.config.zero_share * full, self.config.point_share * full
        return self._first_edge(view, robot, zero, least) or self._jump(view, robot, least)

    def _first_edge(self, view: TeamView, robot: int, zero: float, least: float) -> Waypoint | None:
        tree, config = self._plant(view, robot), self.config
        wanted = config.first_nodes
        while True:
            tree.grow(max(wanted + 1 - len(tree), 0), config.sample_cells, self._rng)
            gains, headings = self._outlook.views(view, tree.cells)
            self._outlook.remember(tree.cells[gains > least])
            scores = branch_scores(tree, gains, config.decay)
            if scores.max() > zero or wanted >= config.most_nodes:
                break
            wanted = min(wanted + _MORE, config.most_nodes)
        if scores.max() <= zero:
            self._branches.pop(robot, None)
            return None
        branch = tree.branch(int(scores.argmax()))
        self._branches[robot] = tree.cells[branch].tolist()
        return self._outlook.waypoint(view, int(tree.cells[branch[0]]), headings[branch[0]])

    def _plant(self, view: TeamView, robot: int) -> SightTree:
        """Return a tree rooted at the robot with what is left of its last branch."""
        cell = view.robots[robot].cell
        root = cell.row * view.map.shape[1] + cell.col
        allowed = self._outlook.own(view, robot)
        if not allowed[root]:  # it has left its region: stay where it is rather than nowhere
            allowed = np.ones(len(allowed), np.bool_)
        config = self.config
        tree = SightTree(view.map.passable, allowed, root, config.step_cells, config.rewire_cells)
        last = self._branches.get(robot, [])
        if last and last[0] == root:
            tree.graft(last[1:])
        return tree

    def _jump(self, view: TeamView, robot: int, least: float) -> Waypoint | None:
        cells, views = self._outlook.review(view, least)
        steps = view.map.steps_from(view.robots[robot].cell).ravel()[cells]
        can = np.flatnonzero((steps > 0) & self._outlook.own(view, robot)[cells])
        if not len(can):
            return None
        best = can[np.lexsort((-views.gain[can], steps[can]))[0]]
        return self._outlook.waypoint(view, int(cells[best]), float(views.heading_rad[best]))


def branch_scores(
    tree: SightTree, gains: npt.NDArray[np.int32], decay: float
) -> npt.NDArray[np.float64]:
    """Return the score of each node: its parent's and its own gain, less over a long edge.

    The publication's rule: ``score(parent) + gain * exp(-decay * edge)``. The root scores 0, for
    the robot is there already.
    """
    parents, costs = tree.parents, tree.costs
    worth = gains * np.exp(-decay * (costs - costs[parents]))
    scores = np.zeros(len(tree))
    for node in np.argsort(costs, kind="stable")[1:].tolist():
        scores[node] = scores[parents[node]] + worth[node]
    return scores
