"""Missions in the rigid-body arena: the same memory, planner and executor on a robot's body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from adm_core.errors import ConfigError
from adm_core.memory.records import EvidenceBatch
from adm_core.memory.static import Mission
from adm_core.missions.profile import Profile, load_profile
from adm_core.missions.setup import MissionConfig, MissionSetup
from adm_core.planning.body import Standoff
from adm_core.planning.ports import Body
from adm_core.simulation.layout import Layout
from adm_core.simulation.recycling import SimulatedWorld
from adm_core.simulation.rigid_body.config import ArenaConfig
from adm_core.simulation.rigid_body.layout import ArenaLayout, arena_layout
from adm_core.simulation.scenarios import Scenario
from adm_core.simulation.tape import EventTape

#: Name of the scenario in the profile, and of the profile.
ARENA = "arena"

_SEARCH_SLACK_M = 0.35


@dataclass(frozen=True)
class ArenaSetup(MissionSetup):
    """One mission in the arena.

    Attributes
    ----------
    arena : ArenaConfig
        Body and sensors.
    places : ArenaLayout
        Initial state in metres.
    window : bool
        Whether to show PyBullet's window.
    """

    arena: ArenaConfig = field(default_factory=ArenaConfig)
    places: ArenaLayout | None = None
    window: bool = False

    @property
    def body(self) -> Body:
        """What the executor must know of the robot."""
        return Standoff(self.arena.standoff_m)

    def world(self, publish: Callable[[EvidenceBatch], None]) -> SimulatedWorld:
        """Return a fresh arena that sends its evidence to `publish`."""
        from adm_core.simulation.rigid_body.world import ArenaWorld

        assert self.places is not None
        return ArenaWorld(
            self.mission,
            self.arena,
            self.places,
            self.scenario,
            self.sensing,
            EventTape(self.config.seed, self.scenario, self.sensing),
            publish,
            seed=self.config.seed,
            show_truth=self.config.method == "oracle",
            window=self.window,
        )


def prepare_arena(
    config: MissionConfig,
    arena: ArenaConfig | None = None,
    profile: Profile | None = None,
    scenario: Scenario | None = None,
    window: bool = False,
) -> ArenaSetup:
    """Build the arena mission of a method and seed.

    Parameters
    ----------
    config : MissionConfig
        Method and seed; scenario and map are not used.
    arena : ArenaConfig, optional
        Body and sensors.
    profile : Profile, optional
        Parameters of memory and noise (default: ``arena``).
    scenario : Scenario, optional
        Containers, budget and noise (default: the profile's ``arena``).
    window : bool
        Whether to show PyBullet's window; needs a display.

    Raises
    ------
    ConfigError
        If the profile has no scenario ``arena``.
    MissionError
        If there are more containers than the arena has room for.
    """
    arena = arena or ArenaConfig()
    profile = profile or load_profile(ARENA)
    scenario = scenario or arena_scenario(profile)
    tape = EventTape(config.seed, scenario, profile.sensing)
    places = arena_layout(arena, scenario, tape.layout_rng())
    return ArenaSetup(
        config=config,
        profile=profile,
        scenario=scenario,
        sensing=profile.sensing,
        terrain=places.terrain,
        layout=_cells(places),
        mission=_mission(arena, scenario, places),
        arena=arena,
        places=places,
        window=window,
    )


def arena_scenario(profile: Profile) -> Scenario:
    """Return the scenario of the arena; raise ConfigError if a profile has none."""
    if ARENA not in profile.scenarios:
        raise ConfigError(
            f"profile {profile.name} has no scenario '{ARENA}': give a YAML file with "
            f"'extends: {ARENA}' and what differs"
        )
    return profile.scenario(ARENA)


def _cells(places: ArenaLayout) -> Layout:
    """Return the layout by cells, for pictures and whatever else knows only the grid."""
    cell = places.terrain.cell
    return Layout(
        places.stations,
        cell(places.start),
        tuple(cell(places.spots[spot]) for spot in places.placed),
        places.labels,
    )


def _mission(arena: ArenaConfig, scenario: Scenario, places: ArenaLayout) -> Mission:
    return Mission(
        goal=f"bring all {scenario.containers} containers to the stations of their classes",
        map_id=places.grid_map.map_id,
        stations=places.stations,
        expected=scenario.containers,
        budget_steps=scenario.budget_steps,
        step_m=arena.speed_m_s,
        robot_radius_m=0.0,  # of the coarse map; the arena keeps its own distances
        diagonal=True,
        # A search goes on once the robot stands before a place: that must be near enough to see it.
        view_m=arena.standoff_m + _SEARCH_SLACK_M,
        frame_id=places.grid_map.frame_id,
    )
