from collections import Counter

import numpy as np
import pytest
from adm_core.errors import ConfigError
from adm_core.search.coordinators import HeuristicCoordinator, NoisyConfig, NoisyCoordinator
from adm_core.search.task import SearchTask
from search_worlds import FLAT, draw, view

MIDDLE = (5, 7)
TEAM = (MIDDLE, (2, 2), (5, 14))


def noisy(p, seed=0, **how):
    return NoisyCoordinator(np.random.default_rng(seed), NoisyConfig(p, **how))


def runs(p, count=200, cells=TEAM, task=None, **how):
    team_view = view(draw(FLAT), *cells, task=task)
    graph = team_view.map.graph(team_view.robot_cells)
    coordinator = noisy(p, **how)
    return [coordinator.assign(graph, team_view, None).rooms for _ in range(count)]


def plain_rooms(cells=TEAM, task=None):
    team_view = view(draw(FLAT), *cells, task=task)
    graph = team_view.map.graph(team_view.robot_cells)
    return HeuristicCoordinator().assign(graph, team_view, None).rooms


def test_without_noise_it_is_the_built_in_rule():
    assert all(rooms == plain_rooms() for rooms in runs(0.0, 5))


def test_equal_seeds_give_equal_decisions():
    assert runs(0.5, 20) == runs(0.5, 20)
    assert runs(0.5, 20) != runs(0.5, 20, seed=1)


def test_more_noise_strays_at_more_places_and_never_at_fewer():
    plain = plain_rooms()
    strays = [
        {
            (run, robot)
            for run, rooms in enumerate(runs(p))
            for robot, room in rooms.items()
            if room != plain[robot]
        }
        for p in (0.1, 0.3, 1.0)
    ]
    assert strays[0] < strays[1] < strays[2]
    assert 0 < len(strays[0]) <= 0.15 * 600


def test_drawn_rooms_follow_the_softmax():
    task = SearchTask("x", "x", "bedroom")
    team_view = view(draw(FLAT), MIDDLE, task=task)
    graph = team_view.map.graph(team_view.robot_cells)
    # Ways 8, 4, 11, 9; bonuses 0, 60, 0, 55; frontiers 1, 2, 1, 1 at 0.2 each.
    scores = -np.array([8 - 0.2, 4 - 60 - 0.4, 11 - 0.2, 9 - 55 - 0.2]) / 20
    expected = np.exp(scores) / np.exp(scores).sum()
    coordinator = noisy(1.0, temperature_cells=20.0)
    drawn = Counter(coordinator.assign(graph, team_view, None).rooms[0] for _ in range(3000))
    shares = [drawn[room] / 3000 for room in (1, 2, 3, 4)]
    assert shares == pytest.approx(expected, abs=0.03)


def test_room_without_a_way_is_not_drawn():
    shut = FLAT.replace("##c####c####c", "##c#########c")
    team_view = view(draw(shut), MIDDLE)
    graph = team_view.map.graph(team_view.robot_cells)
    coordinator = noisy(1.0)
    assert all(coordinator.assign(graph, team_view, None).rooms[0] != 2 for _ in range(300))


def test_nothing_left_is_an_empty_assignment():
    team_view = view(draw(FLAT.replace("?", "#")), MIDDLE)
    graph = team_view.map.graph(team_view.robot_cells)
    assert noisy(1.0).assign(graph, team_view, None).rooms == {}


def test_silent_robots_get_no_room():
    team_view = view(draw(FLAT), *TEAM, silent=(1,))
    graph = team_view.map.graph(team_view.robot_cells)
    assert noisy(1.0).assign(graph, team_view, None).rooms.keys() == {0, 2}


@pytest.mark.parametrize("values", [{"p": -0.1}, {"p": 1.1}, {"temperature_cells": 0.0}])
def test_invalid_noise_is_refused(values):
    with pytest.raises(ConfigError, match=next(iter(values))):
        NoisyConfig(**values)
