"""Floor plans as geometry: nothing overlaps, everything is joined."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from adm_core.errors import ConfigError
from adm_core.simulation.building.layout import (
    MIN_BACK,
    MIN_FRONT,
    MIN_WIDTH,
    MUST_CROSS,
    LayoutRules,
    draw_plan,
)
from hypothesis import given
from hypothesis import strategies as st

sides = st.integers(29, 160)
seeds = st.integers(0, 2**32)


def draw(width, height, seed=0, **rules):
    return draw_plan(width, height, LayoutRules(**rules), np.random.default_rng(seed))


def painted(plan):
    """Paint each room with its number from 1, checking that no two share a module."""
    canvas = np.zeros((plan.height, plan.width), int)
    for number, room in enumerate(plan.rooms, 1):
        window = canvas[room.rect.y0 : room.rect.y1, room.rect.x0 : room.rect.x1]
        assert window.size == room.rect.area > 0
        assert (window == 0).all()
        window[...] = number
    return canvas


@given(sides, sides, seeds)
def test_rooms_lie_apart_inside_the_outer_wall(width, height, seed):
    plan = draw(width, height, seed)
    canvas = painted(plan)
    assert (plan.width, plan.height) == (width, height)
    assert not canvas[[0, -1]].any() and not canvas[:, [0, -1]].any()
    # Two rooms never touch: there is a wall between them.
    for a, b in ((canvas[1:], canvas[:-1]), (canvas[:, 1:], canvas[:, :-1])):
        assert ((a == b) | (a == 0) | (b == 0)).all()


@pytest.mark.parametrize(
    "rules",
    [{}, {"max_depth": 20, "arm_doors": True, "back_doors": 1.0, "cross": 1.0, "door": 3}],
    ids=["offices", "searched"],
)
@given(sides, sides, seeds)
def test_doors_open_walls_between_the_rooms_they_name(rules, width, height, seed):
    plan = draw(width, height, seed, **rules)
    canvas = painted(plan)
    for door in plan.doors:
        rect = door.rect
        assert min(rect.width, rect.height) == 1
        assert not canvas[rect.y0 : rect.y1, rect.x0 : rect.x1].any()
        if rect.height == 1:
            beside = canvas[[rect.y0 - 1, rect.y1], rect.x0 : rect.x1].T
        else:
            beside = canvas[rect.y0 : rect.y1, [rect.x0 - 1, rect.x1]]
        assert {frozenset(pair) for pair in beside.tolist()} == {
            frozenset(index + 1 for index in door.rooms)
        }


@given(sides, sides, seeds)
def test_every_room_is_reached_from_the_spine(width, height, seed):
    plan = draw(width, height, seed)
    reached = {0}
    for _ in plan.rooms:
        reached |= {room for door in plan.doors for room in door.rooms if reached & {*door.rooms}}
    assert reached == set(range(len(plan.rooms)))


@given(sides, sides, seeds)
def test_rooms_are_large_enough_to_be_used(width, height, seed):
    plan = draw(width, height, seed)
    plan = plan.turned() if height > width else plan
    for room in plan.rooms:
        if room.type != "corridor":
            assert room.rect.width >= MIN_WIDTH
            assert room.rect.height >= (MIN_BACK if room.is_back else MIN_FRONT)


@given(st.integers(2, 24), seeds)
def test_the_wanted_number_of_rooms_is_met_exactly(rooms, seed):
    plan = draw(70, 60, seed, rooms=rooms)
    assert sum(room.type != "corridor" for room in plan.rooms) == rooms


def test_the_limits_of_the_message_are_the_true_ones():
    with pytest.raises(ConfigError, match="rooms must be 2 to 24 in this building") as caught:
        draw(70, 60, rooms=25)
    assert "17.5 x 15 m, got 25" in str(caught.value)
    assert len(draw(70, 60, rooms=24).rooms) == 24 + 1
    with pytest.raises(ConfigError, match="rooms must be 2 to"):
        draw(70, 60, rooms=1)


@pytest.mark.parametrize("width, height", [(28, 60), (60, 28), (5, 5)])
def test_too_small_a_building_is_refused(width, height):
    with pytest.raises(ConfigError, match=r"at least 7\.25 m along both sides"):
        draw(width, height)


def test_long_buildings_have_a_cross_corridor_and_short_ones_do_not():
    for seed in range(20):
        assert sum(room.type == "corridor" for room in draw(MUST_CROSS, 60, seed).rooms) == 3
        assert sum(room.type == "corridor" for room in draw(60, 50, seed).rooms) == 1


def test_tall_buildings_are_wide_ones_turned():
    assert draw(50, 80, 7) == draw(80, 50, 7).turned()


def test_equal_seeds_give_equal_plans_and_others_differ():
    plans = [draw(80, 60, seed) for seed in range(8)]
    assert plans == [draw(80, 60, seed) for seed in range(8)]
    assert all(a != b for a, b in combinations(plans, 2))


def test_widths_of_corridor_and_doors_are_obeyed():
    plan = draw(80, 60, 3, corridor=9, door=3)
    assert plan.rooms[0].rect.height == 9
    assert {max(door.rect.width, door.rect.height) for door in plan.doors} == {3}


def test_side_doors_follow_their_share():
    bare, full = (draw(80, 60, 3, side_doors=share, rooms=12) for share in (0.0, 1.0))
    assert replace(bare, doors=()) != bare
    joined = [door for door in bare.doors if not bare.rooms[door.rooms[1]].is_back]
    assert all(door.rooms[0] == 0 for door in joined)
    assert len(full.doors) > len(bare.doors)


@given(st.integers(45, 93), st.integers(45, 93), seeds)
def test_no_room_is_deeper_than_the_limit(width, height, seed):
    plan = draw(width, height, seed, max_depth=20, door=3)
    plan = plan.turned() if height > width else plan
    for room in plan.rooms:
        assert room.type == "corridor" or room.rect.height <= 20


@pytest.mark.parametrize("seed", range(6))
def test_rooms_behind_others_open_to_the_cross_corridor_if_told_to(seed):
    rules = {"cross": 1.0, "max_depth": 20, "door": 3}
    shut, opened = (draw(80, 76, seed, arm_doors=arms, **rules) for arms in (False, True))
    assert shut.rooms == opened.rooms
    added = [door for door in opened.doors if door not in shut.doors]
    assert len(added) >= 4
    for door in added:
        arm, back = (opened.rooms[index] for index in door.rooms)
        assert arm.type == "corridor" and 0 not in door.rooms
        assert back.is_back and door.rect.width == 1
    painted(opened)


def test_back_doors_join_rooms_behind_others():
    bare, full = (
        draw(80, 76, 3, back_doors=share, max_depth=20, door=3, side_doors=0.0)
        for share in (0.0, 1.0)
    )
    added = [door for door in full.doors if all(full.rooms[k].is_back for k in door.rooms)]
    assert len(added) >= 4
    assert not any(all(bare.rooms[k].is_back for k in door.rooms) for door in bare.doors)


@pytest.mark.parametrize("chance, corridors", [(0.0, 1), (1.0, 3)])
def test_the_chance_of_a_cross_corridor_can_be_given(chance, corridors):
    plan = draw(80, 70, 1, cross=chance)
    assert sum(room.type == "corridor" for room in plan.rooms) == corridors


def test_a_limit_that_no_two_rooms_can_keep_is_refused():
    with pytest.raises(ValueError, match="max_depth must be >= 17, got 12"):
        LayoutRules(max_depth=12)
