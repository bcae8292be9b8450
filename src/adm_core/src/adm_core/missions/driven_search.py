"""A sweep of scouts whose decisions are made elsewhere: only world and map are here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from adm_core.missions.search import Setting, Snapshot
from adm_core.search.explorer import DONE, RUNNING, Move
from adm_core.search.team_map import TeamMap
from adm_core.simulation.search.scenario import SearchScenario
from adm_core.simulation.search.world import SearchWorld


class _Together(TeamMap):
    """The team's map, which notes apart what others than its searchers have shown to it."""

    shown: TeamMap

    def observe(
        self,
        cells: npt.NDArray[np.int64],
        occupancy: npt.NDArray[np.int8],
        room_type: npt.NDArray[np.uint16],
    ) -> int:
        """Take in what somebody else sees."""
        self.shown.observe(cells, occupancy, room_type)
        return super().observe(cells, occupancy, room_type)


class DrivenSearch:
    """Moves robots as it is told and looks around.

    Parameters
    ----------
    scenario : SearchScenario
    setting : Setting
    decide : callable
        Returns what every robot does next, or None once nothing is left to do; it may wait.

    Attributes
    ----------
    world : SearchWorld
    maps : list of TeamMap
        What the team has seen, first, and then what each robot has seen itself.
    shown : TeamMap
        What others have shown to the team.
    """

    def __init__(
        self,
        scenario: SearchScenario,
        setting: Setting,
        decide: Callable[[], Sequence[Move | None] | None],
    ) -> None:
        self.world = SearchWorld(scenario, setting.sensor, setting.faults)
        truth = scenario.truth
        place = (truth.shape, scenario.names, setting.search, truth.resolution, truth.origin)
        self.shown = TeamMap(*place)
        together = _Together(*place)
        together.shown = self.shown
        self.maps = [together, *(TeamMap(*place) for _ in scenario.starts)]
        self._decide = decide

    def run(self) -> Iterator[Snapshot]:
        """Yield after the first look and after every step, and once when it has ended."""
        self._look()
        yield self._snapshot(RUNNING)
        while (moves := self._decide()) is not None:
            self.world.move(moves)
            self._look()
            yield self._snapshot(RUNNING)
        yield self._snapshot(DONE)

    def _look(self) -> None:
        together, own = self.maps[0], self.maps[1:]
        self.world.sense(own)
        for item in own:
            together.merge(item)

    def _snapshot(self, state: str) -> Snapshot:
        return Snapshot(self.world.step, state, self.world.share, tuple(self.world.cells))
