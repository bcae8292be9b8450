"""Uses of rooms."""

import numpy as np
import pytest
from adm_core.simulation.building.config import BuildingConfig
from adm_core.simulation.building.layout import LayoutRules, draw_plan
from adm_core.simulation.building.program import PROGRAMS, ROOM_TYPES, give_uses


def plan_with_uses(kind, seed, rooms=None):
    rng = np.random.default_rng(seed)
    plan = draw_plan(100, 70, LayoutRules(rooms=rooms, side_doors=0.5), rng)
    return give_uses(plan, PROGRAMS[kind], rng)


def test_the_programs_are_those_of_the_config_and_use_known_types():
    kind = next(field for field in BuildingConfig.__dataclass_fields__.values())
    assert tuple(PROGRAMS) == kind.metadata["choices"]
    for program in PROGRAMS.values():
        names = {use.type for use in program.uses} | {program.rest, program.behind}
        assert names <= set(ROOM_TYPES)


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("seed", range(30))
def test_every_room_has_a_use_and_none_shares_a_door_with_its_like(kind, seed):
    plan = plan_with_uses(kind, seed)
    assert all(room.type in ROOM_TYPES for room in plan.rooms)
    for door in plan.doors:
        a, b = (plan.rooms[index].type for index in door.rooms)
        assert a != b or a == "corridor"


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("seed", range(30))
def test_walling_up_doors_cuts_nobody_off(kind, seed):
    plan = plan_with_uses(kind, seed)
    reached = {0}
    for _ in plan.rooms:
        reached |= {room for door in plan.doors for room in door.rooms if reached & {*door.rooms}}
    assert reached == set(range(len(plan.rooms)))


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_usual_building_has_every_use_of_its_program(kind):
    program = PROGRAMS[kind]
    for seed in range(30):
        types = {room.type for room in plan_with_uses(kind, seed, rooms=16).rooms}
        assert types >= {use.type for use in program.uses} | {program.rest}


def test_two_rooms_are_enough_for_a_program():
    types = [room.type for room in plan_with_uses("office", 0, rooms=4).rooms[3:]]
    assert "office" in types and "meeting" in types


def test_the_largest_rooms_tend_to_be_for_many():
    areas = {"living": [], "bathroom": []}
    for seed in range(30):
        for room in plan_with_uses("apartment", seed).rooms:
            if room.type in areas:
                areas[room.type].append(room.rect.area)
    assert np.mean(areas["living"]) > 1.5 * np.mean(areas["bathroom"])
