"""Autonomous exploration planner in dynamic Voronoi cells, sampled (Selin et al., RA-L 2019)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adm_core.search.baselines.config import AepConfig
from adm_core.search.baselines.outlook import Outlook
from adm_core.search.baselines.view_gain import Views
from adm_core.search.nearest import left_to_others
from adm_core.search.strategy import TeamView, Waypoint

Ints = npt.NDArray[np.int64]
Steps = npt.NDArray[np.int32]


class AepDvc:
    """Every robot looks where much is unknown and near, each in its own region.

    At each coordination the free and unknown cells are divided among the robots by the length of
    the way. A robot without a goal draws free cells of its region, weighs what could be seen
    from each, ``gain * exp(-decay * steps)``, and goes to the best one. Good places are
    remembered; where the samples show nothing, the best one of them is taken.

    Parameters
    ----------
    config : AepConfig
    rng : Generator
        The only source of chance.
    """

    def __init__(self, config: AepConfig, rng: np.random.Generator) -> None:
        self.config = config
        self._rng = rng
        self._outlook = Outlook(config.max_points, config.turn)

    def coordinate(self, view: TeamView) -> None:
        """Divide the map into the robots' regions."""
        self._outlook.divide(view)

    def next_waypoint(self, view: TeamView, robot: int) -> Waypoint | None:
        """Return the best view among samples of the robot's region, or a remembered one."""
        steps = view.map.steps_from(view.robots[robot].cell).ravel()
        own = self._outlook.own(view, robot)
        return self._best_sample(view, robot, steps, own) or self._best_place(view, steps, own)

    def _best_sample(
        self, view: TeamView, robot: int, steps: Steps, own: npt.NDArray[np.bool_]
    ) -> Waypoint | None:
        pool = self._pool(view, robot, steps, own)
        if not len(pool):
            return None
        cells = np.unique(pool[self._rng.integers(0, len(pool), self.config.samples)])
        views = self._outlook.views(view, cells)
        self._outlook.remember(cells[views.gain >= self.config.min_gain])
        return self._pick(view, cells, views, steps)

    def _pool(self, view: TeamView, robot: int, steps: Steps, own: npt.NDArray[np.bool_]) -> Ints:
        """Return the reachable cells of the robot's region, or of the whole map if it has none."""
        if (own & (steps >= 0)).any():
            return np.flatnonzero(own & (steps >= self.config.min_goal_cells))
        pool = np.flatnonzero(steps >= self.config.min_goal_cells)
        return pool[~left_to_others(view, robot, pool)]

    def _best_place(
        self, view: TeamView, steps: Steps, own: npt.NDArray[np.bool_]
    ) -> Waypoint | None:
        cells, views = self._outlook.review(view, self.config.min_gain)
        can = own[cells] & (steps[cells] >= self.config.min_goal_cells)
        return self._pick(view, cells[can], views.at(can), steps)

    def _pick(self, view: TeamView, cells: Ints, views: Views, steps: Steps) -> Waypoint | None:
        score = views.gain * np.exp(-self.config.decay * steps[cells])
        score[views.gain < self.config.min_gain] = 0.0
        if not score.any():
            return None
        best = int(score.argmax())
        return self._outlook.waypoint(view, int(cells[best]), float(views.heading_rad[best]))
