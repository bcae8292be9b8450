"""A sweep of scouts whose decisions are made elsewhere: only world and map are here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from adm_core.missions.search import Setting, Snapshot
from adm_core.search.explorer import DONE, RUNNING, Move
from adm_core.search.team_map import TeamMap
from adm_core.simulation.search.scenario import SearchScenario
from adm_core.simulation.search.world import SearchWorld


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
    """

    def __init__(
        self,
        scenario: SearchScenario,
        setting: Setting,
        decide: Callable[[], Sequence[Move | None] | None],
    ) -> None:
        self.world = SearchWorld(scenario, setting.sensor, setting.faults)
        truth = scenario.truth
        self.maps = [
            TeamMap(truth.shape, scenario.names, setting.search, truth.resolution, truth.origin)
            for _ in range(1 + len(scenario.starts))
        ]
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
