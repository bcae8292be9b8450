"""Every mission that can be started by its name: its parameters, its nodes, who carries it through.

What stands in :data:`RECIPES` has launch arguments, a parameter file, a launch file and a security
policy of its name in the package adm_bringup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from adm_core.aerial.config import FlightConfig, TelloConfig
from adm_core.config import Config
from adm_core.llm.config import LlmConfig
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.dynamic import MemoryConfig
from adm_core.missions.coordinators import CoordinatorSetup
from adm_core.missions.search_setup import SearchMissionConfig, SearchSetup, set_up_search
from adm_core.missions.setup import MissionConfig
from adm_core.missions.team import prepare_team
from adm_core.missions.team_config import TeamConfig
from adm_core.missions.team_setup import TeamSetup
from adm_core.planning.llm_planner import LlmPlannerConfig
from adm_core.search.config import SearchConfig
from adm_core.search.coordinators.llm import LlmCoordinatorConfig
from adm_core.simulation.search.config import ScenarioConfig

from adm_nodes.bringup import catalogue
from adm_nodes.bringup.jetrover import JetRoverConfig, jetrover
from adm_nodes.bringup.pacing import PacingConfig
from adm_nodes.bringup.search_nodes import SearchParameters, search_nodes, with_sensor
from adm_nodes.bringup.spec import NodeSpec
from adm_nodes.bringup.team_nodes import team_nodes
from adm_nodes.common.run_config import ExtrasConfig, RunConfig, SteeringConfig
from adm_nodes.robot.config import RobotConfig

_PRINTS = NodeSpec("adm_nodes.watch:Watch")


@dataclass(frozen=True)
class Part:
    """Parameters of a mission that come from one config class.

    Attributes
    ----------
    config : config class
    names : mapping
        Parameters that are called otherwise, as options of ``adm up`` are, too.
    without : tuple of str
        Parameters that follow from others.
    """

    config: type[Config]
    names: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Helper:
    """A node that `adm up` does without, since it has the same in its own process.

    Attributes
    ----------
    spec : NodeSpec
    ends : bool
        Whether the mission has ended when it has.
    """

    spec: NodeSpec
    ends: bool = True


@dataclass(frozen=True)
class Recipe:
    """How to get the nodes of a mission from its parameters.

    Attributes
    ----------
    help : str
        What the mission does.
    parts : tuple of Part
        Its parameters; their names are unique among them.
    nodes : callable
        Gets one config of each part, in order; returns the nodes in order of bring-up.
    helpers : callable
        Gets the same; returns who asks for the mission and tells of it.
    nested : mapping
        Config classes of nested node parameters, by their prefix: for descriptions only.
    example : mapping
        Arguments without which there is no mission of this kind.
    derived : tuple of str
        Node parameters that follow from the world: in no parameter file.
    """

    help: str
    parts: tuple[Part, ...]
    nodes: Callable[..., tuple[NodeSpec, ...]]
    helpers: Callable[..., tuple[Helper, ...]]
    nested: Mapping[str, type[Config]] = field(default_factory=dict)
    example: Mapping[str, str] = field(default_factory=dict)
    derived: tuple[str, ...] = ()


def _watched(*_: Config) -> tuple[Helper, ...]:
    return (Helper(_PRINTS),)


# -- search ---------------------------------------------------------------------------------


def _search(
    mission: SearchMissionConfig,
    search: SearchConfig,
    sensor: ScenarioConfig,
    llm: LlmConfig,
    model: LlmCoordinatorConfig,
    pacing: PacingConfig,
    extras: ExtrasConfig,
) -> tuple[NodeSpec, ...]:
    search = with_sensor(search, sensor)
    given = SearchParameters(mission, sensor, search, llm, model, pacing, extras=extras)
    return search_nodes(given, _search_setup(mission, sensor, search.radius_cells))


def _asked_to_search(
    mission: SearchMissionConfig, search: SearchConfig, sensor: ScenarioConfig, *_: Config
) -> tuple[Helper, ...]:
    task = _search_setup(mission, sensor, search.radius_cells).task
    goal = {
        "text": task.text,
        "object": task.object,
        "room_type": task.room_type,
        "budget_steps": mission.budget_steps,
    }
    return (Helper(NodeSpec("adm_nodes.seek:Seek", parameters=goal)),)


@cache
def _search_setup(
    mission: SearchMissionConfig, sensor: ScenarioConfig, radius_cells: float
) -> SearchSetup:
    return set_up_search(mission, sensor, radius_cells, CoordinatorSetup("policy"))


# -- team -----------------------------------------------------------------------------------


def _team(
    mission: MissionConfig,
    joint: TeamConfig,
    pacing: PacingConfig,
    run: RunConfig,
    extras: ExtrasConfig,
) -> tuple[NodeSpec, ...]:
    return team_nodes(mission, joint, pacing, run, _team_setup(mission, joint), extras)


def _searchers_sent_out(*_: Config) -> tuple[Helper, ...]:
    endless = {"again": True, "budget_steps": 10_000_000}
    return (Helper(_PRINTS), Helper(NodeSpec("adm_nodes.seek:Seek", parameters=endless), False))


@cache
def _team_setup(mission: MissionConfig, joint: TeamConfig) -> TeamSetup:
    return prepare_team(mission, joint)


#: Every mission that can be started by its name.
RECIPES = {
    "recycling": Recipe(
        "bring containers to their stations",
        (
            Part(MissionConfig),
            Part(RunConfig),
            Part(ExtrasConfig),
            Part(LlmConfig, {"mode": "planner"}),
            Part(LlmPlannerConfig),
            Part(SteeringConfig),
        ),
        catalogue.recycling,
        _watched,
        {"memory": MemoryConfig, "attention": AttentionConfig},
    ),
    "search": Recipe(
        "explore a building with a team, or find something in it",
        (
            Part(SearchMissionConfig),
            Part(SearchConfig, without=("turn_costs", "fov_deg", "range_cells")),
            Part(ScenarioConfig),
            Part(LlmConfig, {"mode": "coordinator"}),
            Part(LlmCoordinatorConfig),
            Part(PacingConfig),
            Part(ExtrasConfig),
        ),
        _search,
        _asked_to_search,
        {
            "search": SearchConfig,
            "sensor": ScenarioConfig,
            "llm": LlmConfig,
            "model": LlmCoordinatorConfig,
        },
        {"scale": "small"},
        ("robots", "robot", "world", "frames", "object_kinds", "assignment_s"),
    ),
    "team": Recipe(
        "search an unknown building and collect what is found meanwhile",
        (
            Part(MissionConfig),
            Part(TeamConfig),
            Part(PacingConfig, without=("lockstep", "step_s")),
            Part(RunConfig),
            Part(ExtrasConfig),
        ),
        _team,
        _searchers_sent_out,
        {
            "memory": MemoryConfig,
            "attention": AttentionConfig,
            "search": SearchConfig,
            "llm": LlmConfig,
            "model": LlmCoordinatorConfig,
        },
        {},
        (
            "robots",
            "robot",
            "world",
            "joint",
            "frames",
            "sources",
            "object_kinds",
            "assignment_s",
            "budget_steps",
        ),
    ),
    "jetrover": Recipe(
        "bring containers to their stations with a real robot behind a bridge",
        (Part(JetRoverConfig), Part(RunConfig)),
        jetrover,
        _watched,
        {
            "memory": MemoryConfig,
            "attention": AttentionConfig,
            "robot": RobotConfig,
            "tello": TelloConfig,
            "flight": FlightConfig,
        },
        {"mission": "mission.json"},
        ("mission",),
    ),
}
