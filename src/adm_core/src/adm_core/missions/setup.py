"""From a mission's parameters to everything it needs: map, stations, events, budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from adm_core.config import Config, param
from adm_core.errors import ConfigError, MissionError
from adm_core.grid.map_io import load_map
from adm_core.grid.terrain import Terrain
from adm_core.memory.methods import METHODS
from adm_core.memory.records import EvidenceBatch
from adm_core.memory.static import DEFAULT_RULES, DEFAULT_SKILLS, Mission
from adm_core.missions.profile import Profile, load_profile
from adm_core.missions.spec import NOTHING_ELSE, MissionSpec
from adm_core.planning.ports import Body
from adm_core.simulation.layout import Layout, grid_layout, map_layout, open_field, placed_layout
from adm_core.simulation.recycling import RecyclingWorld, SimulatedWorld
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
    observe_below: float = param(
        0.0,
        "support of a target below which the drone is asked to look at it; 0: never",
        min=0.0,
        max=1.0,
    )


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
    spec : MissionSpec
        What was said beyond the parameters.
    """

    config: MissionConfig
    profile: Profile
    scenario: Scenario
    sensing: SensingConfig
    terrain: Terrain
    layout: Layout
    mission: Mission
    spec: MissionSpec = NOTHING_ELSE

    def world(self, publish: Callable[[EvidenceBatch], None]) -> SimulatedWorld:
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

    @property
    def body(self) -> Body | None:
        """What the executor must know of the robot; None where it is a point on a grid."""
        return None

    @cached_property
    def name(self) -> str:
        """Name of the scenario, or of the map file."""
        return self.scenario.name


def make_setup(
    config: MissionConfig,
    profile: Profile | None = None,
    measure: Callable[[MissionSetup], int] | None = None,
    spec: MissionSpec = NOTHING_ELSE,
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
    spec : MissionSpec
        What a mission file says beyond the parameters.

    Raises
    ------
    ConfigError
        If the scenario is unknown, or a budget is needed and cannot be measured.
    MapError
        If the map is unusable.
    MissionError
        If the map is another one than `spec` names, or has no room for stations or containers.
    """
    profile = (profile or load_profile(config.profile)).varied(dict(spec.profile))
    sensing = profile.sensing
    if config.map:
        scenario = map_scenario(Path(config.map).stem, config.containers)
        scenario = replace(scenario, **dict(spec.scenario))
        terrain = Terrain.for_robot(load_map(config.map), config.robot_radius_m)
    else:
        scenario = replace(profile.scenario(config.scenario), **dict(spec.scenario))
        terrain = Terrain.for_robot(open_field(scenario.side), 0.0, diagonal=False)
    if spec.map_id and spec.map_id != terrain.grid_map.map_id:
        raise MissionError(
            f"map_id must be that of the map, {terrain.grid_map.map_id}, got {spec.map_id}"
        )
    layout = _layout(config, scenario, sensing, terrain, spec)
    mission = _mission(config, scenario, terrain, layout, spec)
    setup = MissionSetup(config, profile, scenario, sensing, terrain, layout, mission, spec)
    if scenario.budget_steps:
        return setup
    if measure is None:
        raise ConfigError(f"mission '{scenario.name}' has no budget of its own to measure by")
    return _with_budget(setup, measure)


def _layout(
    config: MissionConfig,
    scenario: Scenario,
    sensing: SensingConfig,
    terrain: Terrain,
    spec: MissionSpec,
) -> Layout:
    rng = EventTape(config.seed, scenario, sensing).layout_rng()
    if spec.stations:
        accepted = dict.fromkeys(label for item in spec.stations for label in item.accepts)
        return placed_layout(terrain, spec.stations, spec.classes or tuple(accepted), scenario, rng)
    if config.map:
        return map_layout(terrain, scenario, config.stations, rng)
    return grid_layout(terrain, scenario, rng)


def _mission(
    config: MissionConfig,
    scenario: Scenario,
    terrain: Terrain,
    layout: Layout,
    spec: MissionSpec,
) -> Mission:
    usual = f"bring all {scenario.containers} containers to the stations of their classes"
    return Mission(
        goal=spec.goal or usual,
        map_id=terrain.grid_map.map_id,
        stations=layout.stations,
        expected=scenario.containers,
        budget_steps=scenario.budget_steps,
        step_m=config.step_m if config.map else 1.0,
        robot_radius_m=config.robot_radius_m if config.map else 0.0,
        diagonal=bool(config.map),
        view_m=config.view_m,
        frame_id=terrain.grid_map.frame_id,
        rules=spec.rules or DEFAULT_RULES,
        skills=_skills(config, spec),
        regions=spec.regions,
        observe_below=config.observe_below,
    )


def _skills(config: MissionConfig, spec: MissionSpec) -> tuple[str, ...]:
    named = spec.skills or DEFAULT_SKILLS
    return named if not config.observe_below or "observe" in named else (*named, "observe")


def _with_budget(setup: MissionSetup, measure: Callable[[MissionSetup], int]) -> MissionSetup:
    unlimited = replace(setup.mission, budget_steps=10_000_000)
    oracle = replace(setup, config=replace(setup.config, method="oracle"), mission=unlimited)
    budget = math.ceil(BUDGET_FACTOR * measure(oracle))
    return replace(setup, mission=replace(setup.mission, budget_steps=budget))
