"""What the apartments of a scale are like: rooms, areas, doors, types, ways, targets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from adm_core.grid.distance import distance_field
from adm_core.simulation.building.generate import Building
from adm_core.simulation.building.plan import MODULE_M, FloorPlan, Rect
from adm_core.simulation.search.apartments import type_names
from adm_core.simulation.search.config import ScenarioConfig
from adm_core.simulation.search.scenario import SearchScenario, scenario_in, world_of

#: Low, middle and high of a quantity: its 5th, 50th and 95th percentile.
Spread = tuple[float, float, float]


@dataclass(frozen=True)
class WorldStatistics:
    """Figures of the worlds of one scale.

    Attributes
    ----------
    worlds : int
    side_cells : Spread
        Outer sides.
    rooms : Spread
        Rooms besides corridors.
    room_m2, room_side_m : Spread
        Inside of the walls, furniture not taken off.
    furnished : float
        Share of the rooms' floor that furniture takes.
    doors : Spread
        Doors of a world.
    loops : Spread
        Doors beyond those of a tree: independent ways around.
    at_corridor : float
        Share of the rooms with a door to a corridor.
    depth : Spread
        Doors between the spine and the room that is farthest by doors.
    free_cells, reach_steps : Spread
        Cells to explore, and moves from the nearest robot to the farthest of them.
    target_steps : Spread
        Moves from the nearest robot to the target.
    types : mapping of str to float
        Rooms of each type in a world, on average.
    targets : mapping of str to int
        Worlds with a target of each type.
    """

    worlds: int
    side_cells: Spread
    rooms: Spread
    room_m2: Spread
    room_side_m: Spread
    furnished: float
    doors: Spread
    loops: Spread
    at_corridor: float
    depth: Spread
    free_cells: Spread
    reach_steps: Spread
    target_steps: Spread
    types: dict[str, float]
    targets: dict[str, int]


def survey(
    scale: str, seeds: Iterable[int], config: ScenarioConfig | None = None
) -> WorldStatistics:
    """Return the figures of the worlds of some seeds.

    Parameters
    ----------
    scale : {"small", "medium", "large"}
    seeds : iterable of int
        At least one.
    config : ScenarioConfig, optional

    Raises
    ------
    ConfigError, ValueError
        As :func:`adm_core.simulation.search.scenario.make_scenario`; also without a seed.
    """
    seeds = list(seeds)
    if not seeds:
        raise ValueError("seeds must hold one seed or more, got none")
    buildings = [world_of(scale, seed, config) for seed in seeds]
    scenarios = [
        scenario_in(building, scale, seed, config)
        for building, seed in zip(buildings, seeds, strict=True)
    ]
    plans = [building.plan for building in buildings]
    ways = [_ways(scenario) for scenario in scenarios]
    sides = [rect.width for rect in _rects(plans)] + [rect.height for rect in _rects(plans)]
    trees = [len(plan.rooms) - 1 for plan in plans]
    return WorldStatistics(
        worlds=len(seeds),
        side_cells=_spread(side for plan in plans for side in (plan.width, plan.height)),
        rooms=_spread(len(_rooms(plan)) for plan in plans),
        room_m2=_spread(rect.area * MODULE_M**2 for rect in _rects(plans)),
        room_side_m=_spread(side * MODULE_M for side in sides),
        furnished=float(np.mean([_furnished(building) for building in buildings])),
        doors=_spread(len(plan.doors) for plan in plans),
        loops=_spread(len(plan.doors) - tree for plan, tree in zip(plans, trees, strict=True)),
        at_corridor=float(np.mean([_at_corridor(plan) for plan in plans])),
        depth=_spread(_depth(plan) for plan in plans),
        free_cells=_spread(int((building.grid_map.data == 0).sum()) for building in buildings),
        reach_steps=_spread(way[0] for way in ways),
        target_steps=_spread(way[1] for way in ways),
        types=_types(buildings),
        targets=dict(sorted(Counter(scenario.target_name for scenario in scenarios).items())),
    )


def _spread(values: Iterable[float]) -> Spread:
    low, middle, high = np.percentile(list(values), [5, 50, 95])
    return float(low), float(middle), float(high)


def _rooms(plan: FloorPlan) -> list[int]:
    return [index for index, room in enumerate(plan.rooms) if room.type != "corridor"]


def _rects(plans: list[FloorPlan]) -> list[Rect]:
    return [plan.rooms[index].rect for plan in plans for index in _rooms(plan)]


def _furnished(building: Building) -> float:
    rooms = set(_rooms(building.plan))
    taken = sum(piece.rect.area for piece in building.furniture if piece.room in rooms)
    return taken / sum(building.plan.rooms[index].rect.area for index in rooms)


def _at_corridor(plan: FloorPlan) -> float:
    corridors = {index for index, room in enumerate(plan.rooms) if room.type == "corridor"}
    beside = {
        index for door in plan.doors if corridors & {*door.rooms} for index in door.rooms
    } - corridors
    return len(beside) / len(_rooms(plan))


def _depth(plan: FloorPlan) -> int:
    """Return the doors from the spine to the farthest room."""
    depth = {0: 0}
    while True:
        found = {
            b: depth[a] + 1
            for door in plan.doors
            for a, b in (door.rooms, door.rooms[::-1])
            if a in depth and b not in depth
        }
        if not found:
            return max(depth.values())
        depth |= found


def _ways(scenario: SearchScenario) -> tuple[int, int]:
    """Return the moves to the farthest cell and to the target, from the nearest robot."""
    steps = distance_field(scenario.truth.data, np.array(scenario.starts), diagonal="unit")
    return int(steps.max()), int(steps[scenario.targets[0]])


def _types(buildings: list[Building]) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for building in buildings:
        names = {building.labels.names[label]: name for label, name in type_names(building).items()}
        counts.update(names[building.plan.rooms[index].type] for index in _rooms(building.plan))
    return {name: count / len(buildings) for name, count in sorted(counts.items())}
