"""World node of a search: building and robots, simulated. The only node that knows the truth.

It plays driver, mapping and detector of every robot: each has a map of its own, in a frame that
begins where the robot began, and knows where it is in it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from adm_core.config import Config, param
from adm_core.errors import MissionError
from adm_core.missions.coordinators import CoordinatorSetup
from adm_core.missions.search_setup import SearchMissionConfig, set_up_search
from adm_core.search.config import SearchConfig
from adm_core.search.explorer import Move
from adm_core.search.team_map import TeamMap
from adm_core.simulation.search.config import ScenarioConfig
from adm_core.simulation.search.scenario import SearchScenario
from adm_core.simulation.search.world import SearchWorld
from adm_nodes.common import params, runner
from adm_nodes.common.lifecycle import AdmNode

import adm_interfaces.srv as srvs
from sagr_nodes.config import TeamConfig
from sagr_nodes.robots import SimulatedRobots

_CHECK_S = 0.1


@dataclass(frozen=True)
class WorldConfig(Config):
    """How fast the simulated world goes."""

    step_s: float = param(0.1, "time of one step without lockstep", unit="s", min=0.001)
    pace_s: float = param(
        0.0, "least time of one step in lockstep, to watch", unit="s", min=0.0, max=60.0
    )


class SearchWorldNode(AdmNode):
    """Move the robots, sense for them, tell each what it knows.

    In lockstep a step is done when every robot has been told where to go; a robot whose explorer
    is silent is waited for once. Without lockstep a step is done every `step_s`, and robots
    without an order stay where they are.

    Parameters
    ----------
    robots, lockstep, patience_s, map_frame : see TeamConfig
    step_s, pace_s : see WorldConfig
    world.* : see SearchMissionConfig
        Which building, and what is hidden in it.
    sensor.* : see ScenarioConfig
        What the robots see.
    search.radius_cells : see SearchConfig
        Robots begin where they fit.

    Topics
    ------
    ROBOT/state : SearcherState, published, latched
    ROBOT/labelled_map, ROBOT/labelled_map_updates : LabelledMap, MapUpdate, published
        Map of each robot; one update a step, also if nothing changed.
    ROBOT/move : SearcherMove, subscribed

    Services
    --------
    ROBOT/get_labelled_map : GetLabelledMap
    search_facts : GetSearchFacts
        The truth, for summaries.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("world", **kwargs)
        params.declare(self, TeamConfig)
        params.declare(self, WorldConfig)
        params.declare(self, SearchMissionConfig, "world")
        params.declare(self, ScenarioConfig, "sensor")
        params.declare(self, SearchConfig, "search", names=["radius_cells"])
        self._looked = False
        self.reset()

    def setup(self) -> None:
        """Build the world and what every robot knows of it."""
        self._team = params.read(self, TeamConfig)
        self._config = params.read(self, WorldConfig)
        scenario = self._scenario()
        sensor = params.read(self, ScenarioConfig, "sensor")
        self._world: SearchWorld | None = SearchWorld(scenario, sensor)
        self._maps = [
            TeamMap(scenario.truth.shape, scenario.names, SearchConfig()) for _ in scenario.starts
        ]
        self._robots = SimulatedRobots(self, self._team, scenario, self._on_move)
        self.add_service(srvs.GetSearchFacts, "search_facts", self._on_facts)
        period = _CHECK_S if self._team.lockstep else self._config.step_s
        self.add_timer(min(period, self._config.pace_s or period), self._tick)

    def start(self) -> None:
        """Let the robots look around where they begin."""
        assert self._world is not None
        if not self._looked:
            self._looked = True
            self._world.sense(self._maps)
            self._robots.tell(self._world, self._maps, self._world.step)

    def reset(self) -> None:
        """Drop the world."""
        self._world = None
        self._moves: dict[int, Move] = {}
        self._late: set[int] = set()
        self._since: float | None = None
        self._looked = False
        self._stepped_at = 0.0
        self._path_cells = self._late_moves = 0

    def _scenario(self) -> SearchScenario:
        config = params.read(self, SearchMissionConfig, "world")
        sensor = params.read(self, ScenarioConfig, "sensor")
        radius = params.read(self, SearchConfig, "search", names=["radius_cells"]).radius_cells
        return set_up_search(config, sensor, radius, CoordinatorSetup("policy")).scenario

    # -- moves ------------------------------------------------------------------------------

    def _on_move(self, robot: int, step: int, move: Move) -> None:
        assert self._world is not None
        if step != self._world.step and self._team.lockstep:
            return  # it came too late: the world has gone on
        self._moves[robot] = move
        self._late.discard(robot)
        if self._since is None:
            self._since = time.monotonic()
        if self._team.lockstep:
            self._try_step()

    def _tick(self) -> None:
        if not self.is_active or self._world is None:
            return
        if not self._team.lockstep:
            self._step()
            return
        if self._since is not None and time.monotonic() - self._since > self._team.patience_s:
            late = set(range(self._team.robots)) - set(self._moves) - self._late
            names = ", ".join(self._team.names[robot] for robot in sorted(late))
            self.get_logger().warning(f"no move of {names} for {self._team.patience_s:g} s")
            self._late |= late
        self._try_step()

    def _try_step(self) -> None:
        """Do a step if every robot that is waited for was told where to go."""
        awaited = set(range(self._team.robots)) - self._late
        paced = time.monotonic() - self._stepped_at >= self._config.pace_s
        if self.is_active and self._moves and awaited <= set(self._moves) and paced:
            self._step()

    def _step(self) -> None:
        world = self._world
        assert world is not None
        moves = [self._moves.get(robot) for robot in range(self._team.robots)]
        self._late_moves += sum(move is None for move in moves) if self._moves else 0
        self._moves, self._since = {}, None
        self._stepped_at = time.monotonic()
        before = list(world.cells)
        try:
            world.move(moves)
        except MissionError as err:  # the robots moved so far stay where they are now
            self.get_logger().error(str(err))
            world.step += 1
        self._path_cells += sum(a != b for a, b in zip(before, world.cells, strict=True))
        world.sense(self._maps)
        self._robots.tell(world, self._maps, world.step)

    # -- asking -----------------------------------------------------------------------------

    def _on_facts(
        self, request: srvs.GetSearchFacts.Request, response: srvs.GetSearchFacts.Response
    ) -> None:
        world = self._world
        assert world is not None
        response.step, response.share = world.step, world.share
        response.found_by = -1 if world.found is None else world.found
        response.path_cells, response.late_moves = self._path_cells, self._late_moves
        cells = np.array(world.cells, np.int64)
        response.rows, response.cols = cells[:, 0].tolist(), cells[:, 1].tolist()
        response.searched_at = -1


def main() -> int:
    """Run the node."""
    return runner.main(SearchWorldNode)


if __name__ == "__main__":
    raise SystemExit(main())
