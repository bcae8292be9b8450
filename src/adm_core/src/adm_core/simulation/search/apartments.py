"""Seeded apartments for the search experiments, drawn with the layout of :mod:`building`.

A spine corridor, rooms on both sides and rooms behind rooms; larger ones have a cross
corridor. Everything lies on the lattice of 0.25 m that the experiments use as cells.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from adm_core.errors import ConfigError
from adm_core.grid.floorplans.plan import PlanObject
from adm_core.simulation.building.generate import Building, paint
from adm_core.simulation.building.layout import LayoutRules, draw_plan
from adm_core.simulation.building.plan import MODULE_M, Rect
from adm_core.simulation.building.program import Program, Use, give_uses
from adm_core.simulation.search.config import CELL_M, SCALES, ScenarioConfig
from adm_core.types import Cell

#: All five target types are in every world; bedrooms are the most, as in real flats.
PROGRAM = Program(
    (
        Use("living", 9, "largest"),
        Use("bathroom", 6, "smallest"),
        Use("kitchen", 9, "middle"),
        Use("office", 5, "middle"),
    ),
    rest="bedroom",
    behind="bathroom",
)
#: Uses that people call otherwise.
_SPOKEN = {"living": "living room"}
#: Three cells a door; a share of neighbours is joined, so that there are ways around.
_DOOR, _SIDE_DOORS, _BACK_DOORS = 3, 0.15, 0.3
#: No room is deeper than 5 m.
_DEEPEST = 20


def generate_apartment(
    scale: str, rng: np.random.Generator, config: ScenarioConfig | None = None
) -> Building:
    """Generate an apartment of one of the three scales.

    All free cells hang together through 4-neighbours, and therefore also for robots that
    need both cells beside a diagonal move.

    Parameters
    ----------
    scale : {"small", "medium", "large"}
    rng : Generator
        The only source of chance: equal generators give equal apartments.
    config : ScenarioConfig, optional
        Its `side_jitter` and `furniture` are used.

    Raises
    ------
    ConfigError
        There is no such scale.
    """
    config = config or ScenarioConfig()
    if scale not in SCALES:
        raise ConfigError(f"scale must be one of {list(SCALES)}, got {scale!r}")
    nominal = SCALES[scale]
    size_rng, layout_rng, use_rng, furniture_rng = rng.spawn(4)
    stretch = 1 + config.side_jitter * size_rng.uniform(-1, 1, 2)
    width, height = np.rint(nominal.side * stretch).astype(int).tolist()
    rules = LayoutRules(
        door=_DOOR,
        m2_per_room=(nominal.side * MODULE_M) ** 2 / nominal.rooms,
        side_doors=_SIDE_DOORS,
        back_doors=_BACK_DOORS,
        arm_doors=True,
        cross=nominal.cross,
        max_depth=_DEEPEST,
    )
    plan = give_uses(draw_plan(width, height, rules, layout_rng), PROGRAM, use_rng)
    return paint(plan, CELL_M, furniture_rng=furniture_rng if config.furniture else None)


def type_names(building: Building) -> dict[int, str]:
    """Return the names of the room types as people say them, by label."""
    present = set(np.unique(building.labels.data).tolist())
    names = building.labels.names
    return {label: _SPOKEN.get(names[label], names[label]) for label in sorted(present - {0})}


def furniture_objects(building: Building) -> tuple[PlanObject, ...]:
    """Return the furniture as objects, each at the free cell beside it nearest its middle."""
    grid_map, rooms = building.grid_map, _room_names(building)
    seen: Counter[str] = Counter()
    objects = []
    for piece in building.furniture:
        seen[piece.name] += 1
        name = f"{piece.name.replace(' ', '_')}_{seen[piece.name]}"
        cell = _beside(building, piece.rect)
        room, room_type = rooms[piece.room]
        pose = grid_map.cell_to_world(cell)
        objects.append(PlanObject(name, piece.name, pose, cell, room, room_type))
    return tuple(objects)


def _room_names(building: Building) -> list[tuple[str, str]]:
    """Return name and type of each room of the plan; equal types are counted from 1."""
    seen: Counter[str] = Counter()
    named = []
    for room in building.plan.rooms:
        kind = _SPOKEN.get(room.type, room.type)
        seen[kind] += 1
        named.append((f"{kind} {seen[kind]}", kind))
    return named


def _beside(building: Building, rect: Rect) -> Cell:
    """Return the free cell that touches a piece nearest to its middle, ties row-major."""
    rows, cols = slice(rect.y0 - 1, rect.y1 + 1), slice(rect.x0 - 1, rect.x1 + 1)
    around = np.argwhere(building.grid_map.data[rows, cols] == 0)
    around += np.array([rows.start, cols.start])
    middle = (rect.y0 + rect.y1 - 1) / 2, (rect.x0 + rect.x1 - 1) / 2
    nearest = int(np.argmin(((around - middle) ** 2).sum(axis=1)))
    return Cell(*around[nearest].tolist())
