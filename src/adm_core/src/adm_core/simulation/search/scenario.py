"""One search scenario: the true world, where the robots begin, what they look for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from adm_core.errors import MissionError
from adm_core.grid.floorplans.plan import LabelledMap, PlanObject
from adm_core.grid.labels import LabelGrid
from adm_core.grid.regions import ROBOT_RADIUS_M, inflate, largest_region, shrink
from adm_core.search.room_words import matching_types, singular, words
from adm_core.simulation.building.generate import Building
from adm_core.simulation.search import draws
from adm_core.simulation.search.apartments import furniture_objects, generate_apartment, type_names
from adm_core.simulation.search.config import SCALES, TARGET_TYPES, ScenarioConfig
from adm_core.types import Cell, GridMap

#: On plans targets may be near.
_ANYWHERE = ScenarioConfig(target_steps=0)


@dataclass(frozen=True, eq=False)
class SearchScenario:
    """A world and a task; equal arguments make equal scenarios.

    Attributes
    ----------
    name : str
    seed : int
    truth : GridMap
        The true map, -1 unknown, 0 free, 100 occupied.
    room_type : uint16[rows, cols]
        True room type of each cell, 0 for none.
    names : mapping of int to str
        Names of the room types.
    starts : tuple of Cell
        One free cell a robot, all different, all in one 4-connected part of the floor.
    headings_rad : tuple of float
        Where each robot looks at first, from the column axis towards the row axis.
    targets : tuple of Cell
        Free cells; the search ends when one of them is known. Empty: explore.
    target_type : int
        Room type in which the target is said to be; 0 for none.
    objects : tuple of PlanObject
        What stands in the world.
    notes : tuple of str
        What was decided for the user, one line each.
    """

    name: str
    seed: int
    truth: GridMap
    room_type: npt.NDArray[np.uint16]
    names: Mapping[int, str]
    starts: tuple[Cell, ...]
    headings_rad: tuple[float, ...]
    targets: tuple[Cell, ...] = ()
    target_type: int = 0
    objects: tuple[PlanObject, ...] = ()
    notes: tuple[str, ...] = field(default=(), repr=False)

    @property
    def target(self) -> Cell | None:
        """The first target; None if the task is to explore."""
        return self.targets[0] if self.targets else None

    @property
    def target_name(self) -> str:
        """Name of the target's room type; empty if there is none."""
        return self.names.get(self.target_type, "")


def make_scenario(scale: str, seed: int, config: ScenarioConfig | None = None) -> SearchScenario:
    """Draw the scenario of a scale and a seed.

    World, starts and target come from streams of their own: another start rule or another
    sensor leaves the world as it is.

    Parameters
    ----------
    scale : {"small", "medium", "large"}
    seed : int
        >= 0.
    config : ScenarioConfig, optional
        Rules of worlds, starts and targets.

    Raises
    ------
    ConfigError
        There is no such scale.
    ValueError
        The seed is negative.
    """
    return scenario_in(world_of(scale, seed, config), scale, seed, config)


def scenario_in(
    building: Building, scale: str, seed: int, config: ScenarioConfig | None = None
) -> SearchScenario:
    """Return the scenario of a world that :func:`world_of` has made of the same arguments."""
    config = config or ScenarioConfig()
    _, start_rng, target_rng = _streams(scale, seed)
    truth, room_type = building.grid_map, building.labels.data.astype(np.uint16)
    names, robots = type_names(building), SCALES[scale].robots
    starts = draws.pick(draws.start_area(building, config.starts, start_rng), robots, start_rng)
    headings = draws.headings(robots, start_rng)
    wanted = [label for label, name in names.items() if name in TARGET_TYPES]
    hidden = draws.hidden_cells(truth, starts, headings, config)
    target_type, target = draws.draw_target(room_type, hidden, wanted, target_rng)
    objects = furniture_objects(building)
    return SearchScenario(
        f"{scale}-{seed}", seed, truth, room_type, names, starts, headings,
        (target,), target_type, objects,
    )  # fmt: skip


def world_of(scale: str, seed: int, config: ScenarioConfig | None = None) -> Building:
    """Return the apartment of a scenario, with its rooms, doors and furniture.

    Parameters and errors are those of :func:`make_scenario`.
    """
    return generate_apartment(scale, _streams(scale, seed)[0], config)


def _streams(scale: str, seed: int) -> list[np.random.Generator]:
    """Return the sources of chance of world, starts and target."""
    if seed < 0:
        raise ValueError(f"seed must be >= 0, got {seed}")
    key = list(SCALES).index(scale) if scale in SCALES else 0
    rng = np.random.default_rng((seed, key))
    return rng.spawn(3)


def scenario_from_plan(
    plan: LabelledMap,
    robots: int,
    seed: int,
    *,
    object_kind: str | None = None,
    room: str = "",
    robot_radius_m: float = ROBOT_RADIUS_M,
) -> SearchScenario:
    """Make a scenario on a real floor plan.

    The robots begin side by side around a random cell of the largest part of the floor that
    a robot of the radius fits on. What they look for:

    - `object_kind` None: nothing, the task is to explore;
    - a kind that the plan's objects have: any of those objects, or of those that stand in a
      room of type `room`;
    - another kind, also "": a random cell of the rooms of type `room`, or of the floor, out
      of sight at the start if there is one.

    Parameters
    ----------
    plan : LabelledMap
        Its cells are the robots' steps: pool it first.
    robots : int
        How many, >= 1.
    seed : int
        >= 0.
    object_kind, room : str
        Nouns such as "printer" and "lab". Case, underscores and plurals do not matter, and
        rooms may have other names for the same, see
        :func:`adm_core.search.room_words.matching_types`.

    Raises
    ------
    MissionError
        The floor is too small for the robots, no room has the type, none of the objects
        stands in such a room, or none can be reached.
    ValueError
        A number is out of range.
    """
    if robots < 1 or seed < 0:
        raise ValueError(f"robots must be >= 1 and seed >= 0, got {robots} and {seed}")
    rng = np.random.default_rng(seed)
    start_rng, target_rng = rng.spawn(2)
    floor = largest_region(inflate(plan.grid_map, robot_radius_m))
    starts = draws.cluster(floor, robots, start_rng)
    headings = draws.headings(robots, start_rng)
    targets: tuple[Cell, ...] = ()
    target_type, notes = 0, plan.notes
    if object_kind is not None:
        hidden = draws.hidden_cells(plan.grid_map, starts, headings, _ANYWHERE)
        targets, target_type, note = _targets(plan, floor, hidden, object_kind, room, target_rng)
        notes += note
    name, room_type = plan.source or "plan", plan.types.data.astype(np.uint16, copy=False)
    return SearchScenario(
        f"{name}-{seed}", seed, plan.grid_map, room_type, plan.types.names, starts, headings,
        targets, target_type, plan.objects, notes,
    )  # fmt: skip


def look_for(scenario: SearchScenario, object_kind: str, room: str = "") -> SearchScenario:
    """Return the scenario with the target that a sentence asks for, instead of its own.

    The target is chosen as :func:`scenario_from_plan` does, from the scenario's objects and
    room types, and as far from the starts as the world's own would be if there is such a place.

    Raises
    ------
    MissionError
        No room has the type, none of the objects stands in such a room, or none can be reached.
    """
    plan = LabelledMap(
        scenario.truth, LabelGrid(scenario.room_type, scenario.names), None, scenario.objects
    )
    hidden = draws.hidden_cells(
        scenario.truth, scenario.starts, scenario.headings_rad, ScenarioConfig()
    )
    floor = largest_region(scenario.truth.data == 0)
    rng = np.random.default_rng(scenario.seed)
    targets, target_type, notes = _targets(plan, floor, hidden, object_kind, room, rng)
    return replace(
        scenario, targets=targets, target_type=target_type, notes=(*scenario.notes, *notes)
    )


def with_room(scenario: SearchScenario, radius_cells: float) -> SearchScenario:
    """Return the scenario with starts on which robots of a radius fit.

    If one does not fit, all begin side by side on the largest part of the floor that has room,
    and a note says so. Targets stay where they are.

    Raises
    ------
    MissionError
        The floor has no room for so many robots of the radius.
    """
    room = shrink(scenario.truth.data == 0, radius_cells)
    if all(room[cell] for cell in scenario.starts):
        return scenario
    if not room.any():
        raise MissionError(f"robots with a radius of {radius_cells:g} cells fit nowhere")
    starts = draws.cluster(
        largest_region(room), len(scenario.starts), np.random.default_rng(scenario.seed)
    )
    note = f"the robots begin elsewhere: a radius of {radius_cells:g} cells does not fit there"
    return replace(scenario, starts=starts, notes=(*scenario.notes, note))


def _targets(
    plan: LabelledMap,
    floor: draws.Mask,
    hidden: draws.Mask,
    kind: str,
    room: str,
    rng: np.random.Generator,
) -> tuple[tuple[Cell, ...], int, tuple[str, ...]]:
    """Return the target cells, their room type, and a note if the plan has no such object."""
    types = matching_types(room, plan.types.names.values())
    if room and not types:
        has = ", ".join(sorted(plan.types.names.values())) or "no room types"
        raise MissionError(f"no room of the plan is called {room!r}; it has {has}")
    labels = sorted(label for label, name in plan.types.names.items() if name in types)
    kind = singular(words(kind))
    known = [item for item in plan.objects if kind and singular(words(item.kind)) == kind]
    if known:
        cells = _known_targets(known, floor, kind, types)
        return cells, labels[0] if labels else 0, ()
    area = floor & np.isin(plan.types.data, labels) if room else floor
    if not area.any():
        raise MissionError(f"no cell of {room!r} can be reached")
    target = draws.pick(area & hidden if (area & hidden).any() else area, 1, rng)
    what, where = kind or "object", f"a room called {room!r}" if room else "the floor"
    note = f"the plan knows no such {what}: its place was drawn from {where}"
    return target, int(plan.types.data[target[0]]) if room else 0, (note,)


def _known_targets(
    known: list[PlanObject], floor: draws.Mask, kind: str, types: set[str]
) -> tuple[Cell, ...]:
    """Return the cells of the objects that stand in rooms of the types, if any are given."""
    fitting = [item for item in known if not types or item.room_type in types]
    if not fitting:
        places = ", ".join(f"{item.room or '?'} ({item.room_type or '?'})" for item in known)
        wanted = " or ".join(sorted(types))
        raise MissionError(f"no {kind} stands in any {wanted}; the plan has some in {places}")
    reached = tuple(item.cell for item in fitting if floor[item.cell])
    if not reached:
        raise MissionError(f"no {kind} can be reached: all stand apart from the largest floor")
    return reached
