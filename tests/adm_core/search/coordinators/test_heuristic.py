import itertools

import numpy as np
import pytest
from adm_core.errors import ConfigError
from adm_core.search.coordinators import Assignment, Context, HeuristicConfig, HeuristicCoordinator
from adm_core.search.coordinators.assignment import SUMMARY_CHARS
from adm_core.search.coordinators.costs import RoomCosts, room_costs
from adm_core.search.coordinators.heuristic import pick_rooms
from adm_core.search.task import SearchTask
from adm_core.types import Cell
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from search_worlds import FLAT, draw, view

JACKET = SearchTask("find my jacket left in my bedroom", "jacket", "bedroom")
KITCHEN, BEDROOM, OFFICE, CORRIDOR = 1, 2, 3, 4
MIDDLE = (5, 7)


def assign(team_view, previous=None, config=HeuristicConfig(), context=Context()):
    graph = team_view.map.graph(team_view.robot_cells)
    return HeuristicCoordinator(config, context).assign(graph, team_view, previous)


def costs_of(team_view, previous=None, config=HeuristicConfig(), context=Context()):
    graph = team_view.map.graph(team_view.robot_cells)
    return room_costs(graph, team_view, previous, config, context)


@pytest.mark.parametrize("distance", ["path", "hops"])
def test_target_type_beats_equal_rooms(distance):
    team_view = view(draw(FLAT), MIDDLE, task=JACKET)
    config = HeuristicConfig(distance=distance, passage_bonus=20.0)
    assert assign(team_view, config=config).rooms == {0: BEDROOM}


def test_plural_and_synonym_of_the_task_match_the_map():
    task = SearchTask("x", "mug", "Kitchens")
    assert assign(view(draw(FLAT), MIDDLE, task=task)).rooms == {0: KITCHEN}


def test_without_target_type_the_task_does_not_matter():
    told = assign(view(draw(FLAT), MIDDLE, task=JACKET), context=Context(target_type=False))
    explore = assign(view(draw(FLAT), MIDDLE))
    assert told.rooms == explore.rooms


def test_passages_come_before_rooms_of_other_types():
    costs = costs_of(view(draw(FLAT), MIDDLE, task=JACKET), context=Context(neighbours=False))
    assert dict(zip(costs.names, costs.cost[0], strict=True)) == {
        "kitchen": 0,
        "bedroom": -60,
        "office": 0,
        "corridor": -55,
    }


def test_distance_is_the_way_to_the_nearest_frontier_of_the_room():
    costs = costs_of(view(draw(FLAT), MIDDLE))
    # Kitchen: 5 moves left, 2 up through the door, 1 to the frontier beside the gap at (2, 0).
    assert costs.cost[0].tolist() == [8, 4, 11, 9]


def test_hops_count_doors_from_the_robots_room():
    costs = costs_of(view(draw(FLAT), (2, 7), (5, 9)), config=HeuristicConfig(distance="hops"))
    assert (costs.cost / 15).tolist() == [[2, 0, 2, 1], [1, 1, 1, 0]]


def test_without_neighbours_position_does_not_matter():
    near = costs_of(view(draw(FLAT), (2, 2)), context=Context(neighbours=False))
    far = costs_of(view(draw(FLAT), (2, 15)), context=Context(neighbours=False))
    assert np.array_equal(near.cost, far.cost)


def test_previous_room_is_kept_against_a_small_gain():
    team_view = view(draw(FLAT), MIDDLE)
    assert assign(team_view).rooms == {0: BEDROOM}
    kept = assign(team_view, Assignment({0: KITCHEN}))
    assert kept.rooms == {0: KITCHEN}
    dropped = assign(team_view, Assignment({0: KITCHEN}), context=Context(plan_summary=False))
    assert dropped.rooms == {0: BEDROOM}


def test_previous_room_that_is_gone_does_not_matter():
    team_view = view(draw(FLAT), MIDDLE)
    assert assign(team_view, Assignment({0: 99, 7: 1})).rooms == assign(team_view).rooms


def test_team_spreads_over_rooms_at_like_distance():
    rooms = assign(view(draw(FLAT), MIDDLE, MIDDLE, MIDDLE)).rooms
    assert len(set(rooms.values())) == 3


def test_more_robots_than_rooms_share_them():
    rooms = assign(view(draw(FLAT), *[MIDDLE] * 9)).rooms
    assert sorted(rooms) == list(range(9))
    assert set(rooms.values()) == {KITCHEN, BEDROOM, OFFICE, CORRIDOR}


def test_silent_robots_get_no_room_and_hold_none():
    team_view = view(draw(FLAT), MIDDLE, MIDDLE, silent=(0,))
    alone = assign(view(draw(FLAT), MIDDLE))
    assert assign(team_view, Assignment({0: BEDROOM})).rooms == {1: alone.rooms[0]}


@pytest.mark.parametrize("distance", ["path", "hops"])
@pytest.mark.parametrize(
    "cells",
    [(), (MIDDLE,), (MIDDLE, (5, 1))],
    ids=["no robot", "one", "two"],
)
def test_nothing_left_is_an_empty_assignment(cells, distance):
    seen = FLAT.replace("?", "#")
    result = assign(view(draw(seen), *cells), config=HeuristicConfig(distance=distance))
    assert (result.rooms, result.summary) == ({}, "")


def test_nothing_known_is_an_empty_assignment():
    assert assign(view(draw("????\n????"), (0, 0))).rooms == {}


@pytest.mark.parametrize("distance", ["path", "hops"])
@pytest.mark.parametrize("cell", [(0, 0), (-3, 5), (5, 400)], ids=["in a wall", "off", "far off"])
def test_robot_without_a_way_gets_a_room_all_the_same(cell, distance):
    team_view = view(draw(FLAT), MIDDLE)
    graph = team_view.map.graph(team_view.robot_cells)
    moved = view(team_view.map, cell)
    config = HeuristicConfig(distance=distance)
    rooms = HeuristicCoordinator(config).assign(graph, moved, None).rooms
    assert rooms.keys() == {0}


def test_room_that_cannot_be_reached_comes_last():
    shut = FLAT.replace("##c####c####c", "##c#########c")
    rooms = assign(view(draw(shut), MIDDLE, MIDDLE, MIDDLE, task=JACKET)).rooms
    assert BEDROOM not in rooms.values()


def test_summary_names_rooms_and_robots_and_is_short():
    few = assign(view(draw(FLAT), (2, 2), MIDDLE, silent=(1,)))
    assert few.summary == "explore. 0: kitchen 1"
    sought = assign(view(draw(FLAT), MIDDLE, task=JACKET))
    assert sought.summary == "seek bedroom. 0: bedroom 2"
    many = assign(view(draw(FLAT), *[MIDDLE] * 64))
    assert len(many.summary) <= SUMMARY_CHARS


def test_large_teams_are_assigned_at_the_least_cost_too():
    rng = np.random.default_rng(1)
    for robots, rooms in ((9, 1), (12, 2), (20, 3), (40, 30), (64, 7)):
        cost = rng.uniform(0, 300, (robots, rooms)) * (rng.random(rooms) < 0.7)
        frontier = rng.uniform(0, 12, rooms)
        costs = RoomCosts(tuple(range(robots)), np.arange(rooms), ("x",) * rooms, cost, frontier)
        picks = pick_rooms(costs, 10.0)
        slot = np.arange(robots)
        offers = 10.0 * slot - frontier[:, None] / (slot + 1)
        columns = (cost[:, :, None] + offers).reshape(robots, -1)
        rows, chosen = linear_sum_assignment(columns)
        best = columns[rows, chosen].sum()
        assert total(costs, [picks[i] for i in range(robots)]) == pytest.approx(best)


def test_assignment_has_the_least_total_cost():
    rng = np.random.default_rng(0)
    for _ in range(30):
        robots, rooms = rng.integers(1, 5), rng.integers(1, 4)
        costs = RoomCosts(
            tuple(range(robots)),
            np.arange(rooms) + 5,
            ("x",) * rooms,
            rng.uniform(0, 40, (robots, rooms)),
            rng.uniform(0, 12, rooms),
        )
        picks = pick_rooms(costs, 10.0)
        best = min(total(costs, pick) for pick in itertools.product(range(rooms), repeat=robots))
        assert total(costs, [picks[i] - 5 for i in range(robots)]) == pytest.approx(best)


def total(costs, pick):
    """Return the cost of sending robot i to room pick[i], slots filled from 0."""
    cost = sum(costs.cost[i, room] for i, room in enumerate(pick))
    for room in set(pick):
        slots = range(list(pick).count(room))
        cost += sum(10.0 * k - costs.frontier[room] / (k + 1) for k in slots)
    return cost


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(".ckbo#?", min_size=9, max_size=9), min_size=1, max_size=9),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=5),
    st.sampled_from(["", "kitchen", "no such room"]),
    st.dictionaries(st.integers(0, 5), st.integers(-1, 9)),
    st.sets(st.integers(0, 4)),
    st.sampled_from(["path", "hops"]),
)
def test_every_active_robot_gets_exactly_one_room_with_a_frontier(
    rows, cells, wanted, previous, silent, distance
):
    cells = [Cell(min(row, len(rows) - 1), col) for row, col in cells]
    task = SearchTask("", "thing" if wanted else "", wanted)
    team_view = view(draw("\n".join(rows)), *cells, task=task, silent=tuple(silent))
    graph = team_view.map.graph(team_view.robot_cells)
    coordinator = HeuristicCoordinator(HeuristicConfig(distance=distance))
    result = coordinator.assign(graph, team_view, Assignment(previous))
    active = {robot.id for robot in team_view.robots if robot.active}
    assert result.rooms.keys() == (active if graph.nodes else set())
    assert set(result.rooms.values()) <= {node.room_id for node in graph.nodes}
    assert result == coordinator.assign(graph, team_view, Assignment(previous))


@pytest.mark.parametrize(
    "values",
    [
        {"distance": "crow"},
        {"hop_cells": -1.0},
        {"target_bonus": -1.0},
        {"passage_bonus": float("nan")},
        {"frontier_most": -1},
        {"spread": -0.1},
        {"hysteresis": -0.1},
    ],
)
def test_invalid_weights_are_refused(values):
    with pytest.raises(ConfigError, match=next(iter(values))):
        HeuristicConfig(**values)
