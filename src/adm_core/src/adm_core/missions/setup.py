"""From a mission's parameters to everything it needs: map, stations, events, budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.grid.map_io import load_map
from adm_core.grid.terrain import Terrain
from adm_core.memory.methods import METHODS
from adm_core.memory.records import EvidenceBatch
from adm_core.memory.static import Mission
from adm_core.missions.profile import Profile, load_profile
from adm_core.simulation.layout import Layout, grid_layout, map_layout, open_field
from adm_core.simulation.recycling import RecyclingWorld
from adm_core.simulation.scenarios import (
    Scenario,
    SensingConfig,
    map_scenario,
)
from adm_core.simulation.tape import EventTape

#: Budget of a mission on a map, as a multiple of the steps that the oracle needs.
BUDGET_FACTOR = 1.5


@dataclass(frozen=True)
class MissionConfig(Config):
    """Parameters of a simulated recycling mission."""

    scenario: str = param("DN-14", "grid scenario: S-6, D-10 or DN-14; not used with a map")
    method: str = param("attention", "memory method", choices=METHODS)
    profile: str = param("paper", "parameters of memory and noise: paper, robust or a YAML file")
    seed: int = param(0, "seed of layout and events", min=0, max=2**31 - 1)
    map: str = param("", "map_server yaml of a building; empty: the scenario's open grid")
    containers: int = param(8, "containers on a map", min=1, max=500)
    stations: int = param(2, "collection stations on a map", min=1, max=6)
    robot_radius_m: float = param(0.20, "radius of the robot on a map", unit="m", min=0.0)
    step_m: float = param(0.25, "path length of one step on a map", unit="m", min=0.01)
    view_m: float = param(1.0, "how far the robot sees containers", unit="m", min=0.0)


@dataclass(frozen=True)
class MissionSetup:
    """One mission, ready to run as often as wanted: every world made from it is the same.

    Attributes
    ----------
    config : MissionConfig
        What was asked for.
    profile : Profile
        Parameters of memory and attention.
    scenario, sensing : Scenario, SensingConfig
        Noise.
    terrain : Terrain
        Map and robot.
    layout : Layout
        Initial state.
    mission : Mission
        Static memory, budget included.
    """

    config: MissionConfig
    profile: Profile
    scenario: Scenario
    sensing: SensingConfig
    terrain: Terrain
    layout: Layout
    mission: Mission

    def world(self, publish: Callable[[EvidenceBatch], None]) -> RecyclingWorld:
        """Return a fresh world that sends its evidence to `publish`."""
        return RecyclingWorld(
            self.mission,
            self.terrain,
            self.layout,
            self.scenario,
            self.sensing,
            EventTape(self.config.seed, self.scenario, self.sensing),
            publish,
            show_truth=self.config.method == "oracle",
        )

    @cached_property
    def name(self) -> str:
        """Name of the scenario, or of the map file."""
        return self.scenario.name


def make_setup(
    config: MissionConfig,
    profile: Profile | None = None,
    measure: Callable[[MissionSetup], int] | None = None,
) -> MissionSetup:
    """Build the mission of `config`.

    Parameters
    ----------
    config : MissionConfig
        What to run.
    profile : Profile, optional
        Parameters of memory and noise (default: the one that `config` names).
    measure : callable, optional
        Steps that the oracle needs for a mission without a budget of its own.

    Raises
    ------
    ConfigError
        If the scenario is unknown, or a budget is needed and cannot be measured.
    MapError
        If the map is unusable.
    """
    profile = profile or load_profile(config.profile)
    sensing = profile.sensing
    if config.map:
        scenario = map_scenario(Path(config.map).stem, config.containers)
        terrain = Terrain.for_robot(load_map(config.map), config.robot_radius_m)
    else:
        scenario = profile.scenario(config.scenario)
        terrain = Terrain.for_robot(open_field(scenario.side), 0.0, diagonal=False)
    rng = EventTape(config.seed, scenario, sensing).layout_rng()
    layout = (
        map_layout(terrain, scenario, config.stations, rng)
        if config.map
        else grid_layout(terrain, scenario, rng)
    )
    mission = _mission(config, scenario, terrain, layout)
    setup = MissionSetup(config, profile, scenario, sensing, terrain, layout, mission)
    if scenario.budget_steps:
        return setup
    if measure is None:
        raise ConfigError(f"mission '{scenario.name}' has no budget of its own to measure by")
    return _with_budget(setup, measure)


def _mission(
    config: MissionConfig, scenario: Scenario, terrain: Terrain, layout: Layout
) -> Mission:
    return Mission(
        goal=f"bring all {scenario.containers} containers to the stations of their classes",
        map_id=terrain.grid_map.map_id,
        stations=layout.stations,
        expected=scenario.containers,
        budget_steps=scenario.budget_steps,
        step_m=config.step_m if config.map else 1.0,
        robot_radius_m=config.robot_radius_m if config.map else 0.0,
        diagonal=bool(config.map),
        view_m=config.view_m,
        frame_id=terrain.grid_map.frame_id,
    )


def _with_budget(setup: MissionSetup, measure: Callable[[MissionSetup], int]) -> MissionSetup:
    unlimited = replace(setup.mission, budget_steps=10_000_000)
    oracle = replace(setup, config=replace(setup.config, method="oracle"), mission=unlimited)
    budget = math.ceil(BUDGET_FACTOR * measure(oracle))
    return replace(setup, mission=replace(setup.mission, budget_steps=budget))
