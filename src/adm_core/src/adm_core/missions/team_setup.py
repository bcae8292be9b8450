"""From the parameters of a joint mission to its building, searchers, stations and containers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from adm_core.errors import ConfigError
from adm_core.grid.distance import distance_field
from adm_core.grid.floorplans.load import load_floorplan
from adm_core.grid.regions import largest_region
from adm_core.grid.terrain import Terrain
from adm_core.memory.records import EvidenceBatch
from adm_core.memory.static import DEFAULT_RULES, DEFAULT_SKILLS, Mission
from adm_core.missions.profile import Profile, load_profile
from adm_core.missions.search import Setting
from adm_core.missions.setup import MissionConfig, MissionSetup
from adm_core.missions.spec import NOTHING_ELSE, MissionSpec
from adm_core.missions.team_config import TeamConfig
from adm_core.missions.team_world import Cells, MakeSearch, Scouts, TeamWorld, seen_around
from adm_core.search.known_terrain import KnownTerrain, floor_config
from adm_core.search.team_map import TeamMap
from adm_core.simulation.layout import Layout, far_ends, hidden_layout
from adm_core.simulation.scenarios import Scenario, map_scenario
from adm_core.simulation.search.config import CELL_M
from adm_core.simulation.search.scenario import SearchScenario, make_scenario, scenario_from_plan
from adm_core.simulation.tape import EventTape
from adm_core.types import Cell, GridMap

#: Searchers on a map, where there is no scale to say.
_SEARCHERS = 3
#: Who unloads the team has looked around this far: a corridor's width and a few steps more.
_YARD_CELLS = 10.0
_NO_LIMIT = 10_000_000


@dataclass(frozen=True)
class TeamSetup:
    """One joint mission; every world made from it is the same.

    Attributes
    ----------
    setup : MissionSetup
        The manipulator's half. Its terrain is what the team knows: it follows the world that
        was made last.
    team : TeamConfig
    building : SearchScenario
        The true building, and where the searchers begin.
    yard : int64[n]
        Flat indices of the cells that are known when the mission begins.
    hiding : bool[rows, cols]
        Where containers may be.
    in_turn_steps : int
        Steps of a team that would search first and then collect with full knowledge; 0 if they
        were not measured.
    """

    setup: MissionSetup
    team: TeamConfig
    building: SearchScenario
    yard: Cells
    hiding: npt.NDArray[np.bool_]
    in_turn_steps: int = 0

    def with_budget(self, budget_steps: int, in_turn_steps: int = 0) -> TeamSetup:
        """Return the mission with another budget."""
        mission = replace(self.setup.mission, budget_steps=budget_steps)
        return replace(
            self, setup=replace(self.setup, mission=mission), in_turn_steps=in_turn_steps
        )

    def told(self) -> MissionSetup:
        """Return the mission of a manipulator that knows the building and all containers."""
        config = replace(self.setup.config, method="oracle")
        return replace(self.setup, config=config, terrain=self.floor)

    @cached_property
    def floor(self) -> Terrain:
        """The true floor, as far as the manipulator can get."""
        return Terrain.for_robot(self.building.truth, self.setup.config.robot_radius_m)

    def world(
        self, publish: Callable[[EvidenceBatch], None], make: MakeSearch | None = None
    ) -> TeamWorld:
        """Return a fresh world that sends its evidence to `publish`; `make` as for the scouts."""
        setup = self.setup
        assert isinstance(setup.terrain, KnownTerrain)
        return TeamWorld(
            setup.mission,
            setup.terrain,
            setup.layout,
            setup.scenario,
            setup.sensing,
            EventTape(setup.config.seed, setup.scenario, setup.sensing),
            publish,
            setup.config.method == "oracle",
            self.scouts(make),
            np.argwhere(self.hiding),
            self.building.truth.data,
        )

    @property
    def setting(self) -> Setting:
        """Parameters of the search."""
        return _setting(self.setup.config, self.building.truth)

    def scouts(self, make: MakeSearch | None = None) -> Scouts:
        """Return the searchers, at their starts; `make` as for :class:`Scouts`."""
        method, seed = self.team.search_method, self.setup.config.seed
        return Scouts(self.building, method, self.setting, seed, self.yard, make)


def make_team_setup(
    config: MissionConfig,
    team: TeamConfig,
    profile: Profile | None = None,
    spec: MissionSpec = NOTHING_ELSE,
) -> TeamSetup:
    """Build a joint mission.

    The team is unloaded in one place: the stations are the far ends of the floor in sight of
    the first searcher, the manipulator begins at the first of them, and nothing else of the
    building is known. Containers are out of sight of that place, wherever the manipulator can
    get to.

    Parameters
    ----------
    config : MissionConfig
        Map (none: a generated apartment), containers, stations, seed, memory.
    team : TeamConfig
        Searchers.
    profile : Profile, optional
        Parameters of memory and noise (default: the one that `config` names).
    spec : MissionSpec
        What a mission file says beyond the parameters; it may not place stations.

    Raises
    ------
    ConfigError
        If a parameter is unknown, or `spec` says where stations are.
    MapError
        If the map is unusable, or falls apart when pooled to cells of 0.25 m.
    MissionError
        If there is no room for searchers, stations or containers.
    """
    if spec.stations:
        raise ConfigError(
            "a joint mission places its stations where the team is unloaded: give none"
        )
    profile = (profile or load_profile(config.profile)).varied(dict(spec.profile))
    building = _building(config, team)
    truth, start = building.truth, building.starts[0]
    floor = Terrain.for_robot(truth, config.robot_radius_m)
    yard = seen_around(truth.data, start, _YARD_CELLS)
    in_sight = np.zeros(truth.shape, bool)
    in_sight.ravel()[yard] = True
    near = largest_region(floor.standable & in_sight)
    station_cells = far_ends(Terrain(truth, near, diagonal=True), config.stations)
    hiding = floor.standable & ~in_sight
    scenario = replace(_scenario(building.name, config, team), **dict(spec.scenario))
    rng = EventTape(config.seed, scenario, profile.sensing).layout_rng()
    layout = hidden_layout(floor, station_cells, hiding, scenario, rng)
    terrain = KnownTerrain(truth, _known(building, _setting(config, truth), yard))
    mission = _mission(config, team, truth, layout, spec)
    setup = MissionSetup(config, profile, scenario, profile.sensing, terrain, layout, mission, spec)
    return TeamSetup(setup, team, building, yard, hiding)


def _building(config: MissionConfig, team: TeamConfig) -> SearchScenario:
    if config.map:
        plan = load_floorplan(Path(config.map), cell_m=CELL_M)
        count = team.searchers or _SEARCHERS
        return scenario_from_plan(plan, count, config.seed, robot_radius_m=config.robot_radius_m)
    scenario = replace(make_scenario(team.scale, config.seed), targets=(), target_type=0)
    count = team.searchers or len(scenario.starts)
    if count <= len(scenario.starts):
        return replace(
            scenario, starts=scenario.starts[:count], headings_rad=scenario.headings_rad[:count]
        )
    steps = distance_field(scenario.truth.data, scenario.starts[0], diagonal="unit")
    near = np.flatnonzero(steps >= 0)
    near = near[np.argsort(steps.flat[near], kind="stable")][:count]
    starts = tuple(Cell(*divmod(flat, steps.shape[1])) for flat in near.tolist())
    around = tuple(math.tau * index / count for index in range(count))
    return replace(scenario, starts=starts, headings_rad=around)


def _setting(config: MissionConfig, truth: GridMap) -> Setting:
    search = floor_config(config.robot_radius_m, truth.resolution)
    return Setting(search=search, budget_steps=_NO_LIMIT)


def _known(building: SearchScenario, setting: Setting, yard: Cells) -> TeamMap:
    known = TeamMap(building.truth.shape, building.names, setting.search)
    known.observe(yard, building.truth.data.ravel()[yard], building.room_type.ravel()[yard])
    return known


def _scenario(name: str, config: MissionConfig, team: TeamConfig) -> Scenario:
    """Return noise and size: reports come at once, and only what is asked for goes wrong."""
    return replace(
        map_scenario(name, config.containers),
        budget_steps=team.team_budget,
        relocation=team.relocation,
        false_report=team.made_up,
        detection=team.sight,
        latency=0,
    )


def _mission(
    config: MissionConfig, team: TeamConfig, truth: GridMap, layout: Layout, spec: MissionSpec
) -> Mission:
    usual = (
        f"find all {config.containers} containers of the building and bring them to the stations "
        "of their classes"
    )
    return Mission(
        goal=spec.goal or usual,
        map_id=truth.map_id,
        stations=layout.stations,
        expected=config.containers,
        budget_steps=team.team_budget or _NO_LIMIT,
        step_m=config.step_m,
        robot_radius_m=config.robot_radius_m,
        diagonal=True,
        view_m=config.view_m,
        frame_id=truth.frame_id,
        rules=spec.rules or DEFAULT_RULES,
        skills=spec.skills or DEFAULT_SKILLS,
        regions=spec.regions,
    )
