"""Which robots hear each other, and how they share maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csgraph

from adm_core.config import Config, param
from adm_core.search.team_map import TeamMap
from adm_core.types import Cell


@dataclass(frozen=True)
class RadioConfig(Config):
    """Reach and loss; by default every robot hears every other in every step."""

    radio_cells: float = param(
        0.0, "reach of the radio, 0 for no limit", unit="cells", min=0.0, max=1e6
    )
    radio_loss: float = param(
        0.0, "share of the contacts in range that fail in a step", min=0.0, max=1.0
    )


class Radio:
    """Contacts of the robots, drawn anew in each step; messages pass on over several robots.

    Parameters
    ----------
    config : RadioConfig
    robots : int
    seed : int

    Attributes
    ----------
    limited : bool
        Whether robots may be out of contact: each one then keeps a map of its own.
    """

    def __init__(self, config: RadioConfig, robots: int, seed: int) -> None:
        self.config = config
        self.limited = robots > 1 and (config.radio_cells > 0 or config.radio_loss > 0)
        self._rng = np.random.default_rng((seed, 0x7AD10))
        self._group: npt.NDArray[np.int32] = np.zeros(robots, np.int32)

    def hears(self, robot: int, other: int) -> bool:
        """Tell whether `robot` hears `other` in this step, if need be through others."""
        return not self.limited or bool(self._group[robot] == self._group[other])

    def share(self, cells: Sequence[Cell], maps: Sequence[TeamMap]) -> None:
        """Draw the contacts of this step and merge the maps of robots in contact."""
        where = np.array(cells, np.float64)
        gaps = np.hypot(*(where[:, None] - where[None, :]).transpose(2, 0, 1))
        linked = gaps <= (self.config.radio_cells or np.inf)
        lost = np.triu(self._rng.random(linked.shape) < self.config.radio_loss, 1)
        linked &= ~(lost | lost.T)
        groups, self._group = csgraph.connected_components(linked, directed=False)
        for group in range(groups):
            self._merge([maps[i] for i in np.flatnonzero(self._group == group).tolist()])

    @staticmethod
    def _merge(maps: list[TeamMap]) -> None:
        lead = maps[0]
        for other in maps[1:]:
            lead.merge(other)
        for other in maps[1:]:
            other.merge(lead)
