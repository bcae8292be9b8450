"""A team searches a building: world, maps, explorers and radio in lockstep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import NamedTuple

from adm_core.search.config import SearchConfig
from adm_core.search.explorer import (
    BUDGET,
    DONE,
    DONE_EXCEPT,
    FOUND,
    RUNNING,
    STOPPED,
    Explorer,
    Move,
)
from adm_core.search.methods import Method, make_method
from adm_core.search.task import SearchTask
from adm_core.search.team_map import TeamMap
from adm_core.simulation.search.config import ScenarioConfig
from adm_core.simulation.search.oracle import InformedMap
from adm_core.simulation.search.radio import Radio, RadioConfig
from adm_core.simulation.search.scenario import SearchScenario
from adm_core.simulation.search.world import Faults, SearchWorld
from adm_core.types import Cell

#: Name of the reference method that knows the layout, but not the target's cell.
ORACLE = "oracle"
#: Shares of the reachable floor whose steps are noted.
SHARES = (0.5, 0.9, 0.95, 0.99)
#: How robots that keep maps of their own may end; the first that one of them says counts.
_ENDS = (DONE, DONE_EXCEPT, STOPPED)


@dataclass(frozen=True)
class Setting:
    """Everything about a mission but its scenario and method.

    Attributes
    ----------
    search : SearchConfig
    sensor : ScenarioConfig
    faults : Faults
    radio : RadioConfig
    budget_steps : int
    """

    search: SearchConfig = SearchConfig()  # noqa: RUF009 - a frozen value
    sensor: ScenarioConfig = ScenarioConfig()  # noqa: RUF009
    faults: Faults = Faults()  # noqa: RUF009
    radio: RadioConfig = RadioConfig()  # noqa: RUF009
    budget_steps: int = 3000


class Snapshot(NamedTuple):
    """What can be shown of a mission after a step.

    Attributes
    ----------
    step : int
    state : str
    share : float
        Share of the reachable floor that was seen.
    cells : tuple of Cell
        Where the robots are.
    """

    step: int
    state: str
    share: float
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class SearchResult:
    """How a search mission went.

    Attributes
    ----------
    state : str
        ``found``, ``done``, ``done_except_unreachable``, ``stopped`` (no robot is able to
        move, or none is heard) or ``budget``.
    steps : int
        Steps until then.
    share : float
        Share of the reachable floor that was seen.
    reached : dict of float to int or None
        Step at which each share of the reachable floor was seen.
    found_by : int or None
        Robot that saw the target.
    unreachable : tuple of Cell
        Frontier clusters that no robot could get to, one cell each.
    coordinations, given_up, bumps : int
        How often work was divided, places were given up, walls were met.
    path_cells : int
        Moves of all robots together.
    decision_sha256 : str
        Digest of all decisions; of robots that decide apart, those of all in their order.
    """

    state: str
    steps: int
    share: float
    reached: dict[float, int | None]
    found_by: int | None
    unreachable: tuple[Cell, ...]
    coordinations: int
    given_up: int
    bumps: int
    path_cells: int
    decision_sha256: str = ""


class SearchMission:
    """One mission, deterministic for equal arguments.

    Parameters
    ----------
    scenario : SearchScenario
    method : str or callable
        A name of :data:`adm_core.search.methods.METHODS`, ``oracle``, or a function
        that makes a method from a seed: each robot needs its own if they do not share one map.
    task : SearchTask, optional
        Default: explore if the scenario has no target, else search for its type.
    setting : Setting
    seed : int
        Of the method's and the radio's random choices.
    """

    def __init__(
        self,
        scenario: SearchScenario,
        method: str | Callable[[int], Method],
        task: SearchTask | None = None,
        setting: Setting | None = None,
        seed: int = 0,
    ) -> None:
        self.scenario, self.setting = scenario, setting or Setting()
        self.task = task_of(scenario) if task is None else task
        self.world = SearchWorld(scenario, self.setting.sensor, self.setting.faults)
        self.radio = Radio(self.setting.radio, len(scenario.starts), seed)
        sensor = self.setting.sensor
        config = replace(
            self.setting.search,
            turn_costs=not sensor.free_turns,
            fov_deg=sensor.fov_deg,
            range_cells=sensor.range_cells,
        )
        teams = len(scenario.starts) if self.radio.limited else 1
        informed = method == ORACLE
        name = "nf_h" if informed else method
        make = partial(make_method, name) if isinstance(name, str) else name
        self.maps = [self._new_map(config, informed) for _ in range(teams)]
        self.explorers = [
            self._new_explorer(make(seed), config, None if teams == 1 else robot)
            for robot in range(teams)
        ]
        self.state, self.path_cells, self._lead = RUNNING, 0, 0
        self.reached: dict[float, int | None] = dict.fromkeys(SHARES)

    def _new_map(self, config: SearchConfig, informed: bool) -> TeamMap:
        if informed:
            return InformedMap(self.scenario, config, self.task.room_type)
        truth = self.scenario.truth
        return TeamMap(truth.shape, self.scenario.names, config, truth.resolution, truth.origin)

    def _new_explorer(self, method: Method, config: SearchConfig, robot: int | None) -> Explorer:
        return Explorer(
            method.strategy,
            len(self.scenario.starts),
            self.task,
            config,
            method.fallback,
            None if robot is None else [robot],
        )

    @property
    def step(self) -> int:
        """Steps so far."""
        return self.world.step

    @property
    def known(self) -> TeamMap:
        """The map by which the mission ended; robot 0's before that, if each has its own."""
        return self.maps[self._lead]

    def snapshot(self) -> Snapshot:
        """Return what can be shown now."""
        return Snapshot(self.step, self.state, self.world.share, tuple(self.world.cells))

    def run(self) -> Iterator[Snapshot]:
        """Carry the mission out; yields after the first look and after every step."""
        self._look()
        yield self.snapshot()
        while self.state == RUNNING:
            self._advance()
            yield self.snapshot()

    def finish(self) -> SearchResult:
        """Carry the mission out and return its result."""
        for _ in self.run():
            pass
        return self.result()

    def result(self) -> SearchResult:
        """Return how it went so far."""
        lead = self.explorers[self._lead]
        return SearchResult(
            self.state,
            self.step,
            self.world.share,
            dict(self.reached),
            self.world.found,
            lead.unreachable,
            lead.coordinations,
            sum(explorer.given_up for explorer in self.explorers),
            self.world.bumps,
            self.path_cells,
            self._digest(),
        )

    def _digest(self) -> str:
        digests = [explorer.digest.hexdigest() for explorer in self.explorers]
        return digests[0] if len(digests) == 1 else sha256("".join(digests).encode()).hexdigest()

    def _look(self) -> None:
        """Sense, talk, and note what was reached."""
        self.world.sense(self.maps[0] if not self.radio.limited else self.maps)
        if self.radio.limited:
            self.radio.share(self.world.cells, self.maps)
        for share in SHARES:
            if self.reached[share] is None and self.world.share >= share:
                self.reached[share] = self.step
        if self.task.is_search and self.world.found is not None:
            self.state = FOUND

    def _advance(self) -> None:
        """Decide, move, look."""
        before = list(self.world.cells)
        moves: list[Move | None] = [None] * len(before)
        for index, explorer in enumerate(self.explorers):
            reports = [
                self.world.report(robot) if self.radio.hears(index, robot) else None
                for robot in range(len(before))
            ]
            decided = explorer.decide(self.maps[index], reports)
            moves = [new or old for new, old in zip(decided, moves, strict=True)]
        states = [explorer.state for explorer in self.explorers]
        if RUNNING not in states:
            self.state = min(states, key=_ENDS.index)
            self._lead = states.index(self.state)
            return
        self.world.move(moves)
        self.path_cells += sum(a != b for a, b in zip(before, self.world.cells, strict=True))
        self._look()
        if self.state == RUNNING and self.step >= self.setting.budget_steps:
            self.state = BUDGET


def task_of(scenario: SearchScenario) -> SearchTask:
    """Return the task of a scenario: explore, or search for a thing in a type of room."""
    if not scenario.targets:
        return SearchTask()
    return SearchTask(
        f"find the target in the {scenario.target_name}", "target", scenario.target_name
    )
