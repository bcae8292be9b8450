"""A reference for search: a team that knows the layout and the target's room type.

It does not know the target's cell. It goes to the nearest cell of the type (of all cells when
the task is to explore) that nobody has seen, with handover, under the motion rules of all
methods. That is greedy: a mark to compare with, no proven bound.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adm_core.grid.distance import reachable
from adm_core.search.config import SearchConfig
from adm_core.search.team_map import OCCUPIED, UNKNOWN, TeamMap
from adm_core.simulation.search.scenario import SearchScenario


class InformedMap(TeamMap):
    """A team map that moves on the true map and takes unseen wanted cells for the frontier.

    Parameters
    ----------
    scenario : SearchScenario
    config : SearchConfig
    wanted : str
        Name of the room type whose cells count; empty for all that can be reached.
    """

    def __init__(self, scenario: SearchScenario, config: SearchConfig, wanted: str) -> None:
        truth = scenario.truth
        super().__init__(truth.shape, scenario.names, config, truth.resolution, truth.origin)
        self._truth = np.where(truth.data < 0, np.int8(OCCUPIED), truth.data)
        self._wanted = reachable(self._truth, scenario.starts, diagonal="unit")
        if wanted:
            kinds = [kind for kind, name in scenario.names.items() if name == wanted]
            self._wanted &= np.isin(scenario.room_type, kinds)

    @property
    def passable(self) -> npt.NDArray[np.int8]:
        """The true map."""
        return self._truth

    def frontier_mask(self) -> npt.NDArray[np.bool_]:
        """Return the wanted cells that nobody has seen."""
        return self._keep("mask", lambda: self._wanted & (self.grid == UNKNOWN))

    def frontier(self) -> npt.NDArray[np.int64]:
        """Return their flat indices."""
        return self._keep("frontier", lambda: np.flatnonzero(self.frontier_mask()))
