"""What makes a search: the world, the task, the method, from one set of parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.grid.floorplans import load_floorplan
from adm_core.grid.floorplans.plan import PlanObject
from adm_core.grid.regions import ROBOT_RADIUS_M
from adm_core.missions.coordinators import CoordinatorSetup
from adm_core.missions.search import task_of
from adm_core.search.coordinators import TYPED, HeuristicConfig
from adm_core.search.methods import METHODS, Method, sagr, sagr_plus
from adm_core.search.task import SearchTask
from adm_core.search.task_parser import NOT_ASKED
from adm_core.simulation.search.config import SCALES, ScenarioConfig
from adm_core.simulation.search.scenario import (
    SearchScenario,
    look_for,
    make_scenario,
    scenario_from_plan,
    with_room,
)

#: Robots on a map, where no scale fixes them.
_ROBOTS = 3


@dataclass(frozen=True)
class SearchMissionConfig(Config):
    """Parameters of a search beyond those of sensors and of the motion that methods share."""

    map: str = param("", "floor plan: map_server .yaml, HouseExpo .json, floor.config")
    rooms: str = param("", "legend of a label image; empty: what lies beside the map")
    scale: str = param(
        "", "generate an apartment of this size instead of a map", choices=("", *SCALES)
    )
    robots: int = param(0, "robots on a map; 0: 3. A scale fixes its own number", min=0, max=64)
    seed: int = param(0, "of starts and chance", min=0)
    task: str = param("", "'explore', or a sentence; empty: explore a map, a scale's own target")
    object: str = param("", "kind of object, if the task has been read before")
    room_type: str = param("", "room type of the object, if the task has been read before")
    method: str = param("sagr+", "method of search", choices=(*METHODS, "oracle"))
    cell_m: float = param(0.25, "cells of the map", unit="m", min=0.01, max=10.0)
    budget_steps: int = param(20_000, "end after", unit="steps", min=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.map) == bool(self.scale):
            raise ConfigError("give either a map or a scale (small, medium, large)")
        if self.scale and self.robots:
            raise ConfigError("the scale fixes the number of robots: robots goes with a map")


class SearchSetup(NamedTuple):
    """A search, ready to run.

    Attributes
    ----------
    scenario : SearchScenario
    task : SearchTask
    notes : tuple of str
        What was decided for the user, one line each.
    """

    scenario: SearchScenario
    task: SearchTask
    notes: tuple[str, ...]


def set_up_search(
    config: SearchMissionConfig,
    sensor: ScenarioConfig,
    radius_cells: float,
    coordinators: CoordinatorSetup,
) -> SearchSetup:
    """Build world and task.

    Parameters
    ----------
    config : SearchMissionConfig
    sensor : ScenarioConfig
        Also the rules by which worlds of a scale are drawn.
    radius_cells : float
        Radius of the robots.
    coordinators : CoordinatorSetup
        Who reads the sentence.

    Raises
    ------
    ConfigError, MapError, MissionError
        The sentence only forbids, the map is unusable, or it has no such thing.
    """
    if config.scale:
        return _generated(config, sensor, radius_cells, coordinators)
    plan = load_floorplan(config.map, cell_m=config.cell_m, labels=config.rooms or None)
    task, warnings = _task(config, "explore", coordinators, plan.types.names, plan.objects)
    scenario = scenario_from_plan(
        plan, config.robots or _ROBOTS, config.seed,
        object_kind=task.object if task.is_search else None, room=task.room_type,
        robot_radius_m=max(ROBOT_RADIUS_M, radius_cells * plan.grid_map.resolution),
    )  # fmt: skip
    return SearchSetup(scenario, task, (*scenario.notes, *warnings))


def _generated(
    config: SearchMissionConfig,
    sensor: ScenarioConfig,
    radius_cells: float,
    coordinators: CoordinatorSetup,
) -> SearchSetup:
    """Return a generated world, its own target in it unless a task says what to look for."""
    scenario = with_room(make_scenario(config.scale, config.seed, sensor), radius_cells)
    if not (config.task or config.object or config.room_type):
        return SearchSetup(scenario, task_of(scenario), scenario.notes)
    task, warnings = _task(config, "", coordinators, scenario.names, scenario.objects)
    if task.is_search:
        scenario = look_for(scenario, task.object, task.room_type)
    else:
        scenario = replace(scenario, targets=(), target_type=0)
    return SearchSetup(scenario, task, (*scenario.notes, *warnings))


def _task(
    config: SearchMissionConfig,
    default: str,
    coordinators: CoordinatorSetup,
    names: Mapping[int, str],
    objects: Sequence[PlanObject],
) -> tuple[SearchTask, tuple[str, ...]]:
    """Read a sentence about a map with these room types and objects, unless it has been read."""
    text = config.task or default
    if config.object or config.room_type:
        return SearchTask(text, config.object, config.room_type), ()
    kinds = [item.kind for item in objects if item.kind]
    task, warnings = coordinators.task(text, names.values(), kinds)
    if NOT_ASKED in warnings:
        raise ConfigError(f"--task: {NOT_ASKED}")
    return task, warnings


def method_of(name: str, coordinators: CoordinatorSetup) -> str | Callable[[int], Method]:
    """Return a method for :class:`~adm_core.missions.search.SearchMission`.

    Both forms of SAGR take the coordinator that was asked for.
    """

    def make(seed: int) -> Method:
        if name == "sagr":
            return sagr(coordinators.coordinator(HeuristicConfig()))
        return sagr_plus(coordinators.coordinator(TYPED))

    return make if name in ("sagr", "sagr+") else name
