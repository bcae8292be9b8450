"""Rounds of assignment and the order of visits."""

import numpy as np
import pytest
from adm_core.search.allocation import allocate, waypoints
from adm_core.search.config import SearchConfig
from adm_core.search.team_map import TeamMap
from adm_core.types import Cell


def known_map(text):
    rows = text.split()
    grid = np.array([[{".": 0, "#": 100, "?": -1}[sign] for sign in row] for row in rows], np.int8)
    known = TeamMap(grid.shape, {}, SearchConfig(c_max=1))
    cells = np.flatnonzero(grid >= 0)
    known.observe(cells, grid.ravel()[cells], np.zeros(len(cells), np.uint16))
    return known


FOUR = known_map("?.........?\n...........\n...........\n?.........?")


def test_every_cluster_gets_one_robot_and_lists_differ_by_one_at_most():
    clusters = np.arange(len(FOUR.clusters().sizes))
    lists = allocate(FOUR, [Cell(1, 5), Cell(2, 5), Cell(1, 4)], clusters)
    assert sorted(cluster for own in lists for cluster in own) == clusters.tolist()
    assert max(map(len, lists)) - min(map(len, lists)) <= 1


def test_visits_are_in_the_order_of_a_short_way():
    clusters = np.arange(len(FOUR.clusters().sizes))
    (order,) = allocate(FOUR, [Cell(0, 1)], clusters)
    cols = FOUR.clusters().representatives[order] % 11
    assert (np.diff(cols > 5) >= 0).all()  # the near side first, then the far one


def test_equal_costs_go_to_the_lowest_robot():
    known = known_map("?.....")
    assert allocate(known, [Cell(0, 3), Cell(0, 3)], np.array([0])) == [[0], []]


def test_ways_count_for_path_and_lines_for_euclidean():
    known = known_map("?....\n####.\n.....")
    robots = [Cell(2, 0), Cell(0, 4)]
    assert allocate(known, robots, np.array([0])) == [[0], []]
    assert allocate(known, robots, np.array([0]), "path") == [[], [0]]


def test_a_cluster_without_a_way_is_left_out_by_path():
    known = known_map("?.#..")
    assert allocate(known, [Cell(0, 4)], np.array([0]), "path") == [[]]


def test_nothing_to_divide_gives_empty_lists():
    none = np.empty(0, np.int64)
    assert allocate(FOUR, [Cell(1, 1)], none) == [[]]
    assert allocate(FOUR, [], np.array([0])) == []


def test_another_cost_is_refused():
    with pytest.raises(ValueError, match="cost must be 'euclidean' or 'path', got 'metres'"):
        allocate(FOUR, [Cell(1, 1)], np.array([0]), "metres")


def test_waypoints_carry_the_frontier_of_their_cluster():
    found = FOUR.clusters()
    for cluster, waypoint in enumerate(waypoints(FOUR, range(len(found.sizes)))):
        assert len(waypoint.frontier) == found.sizes[cluster]
        assert FOUR.frontier_mask().ravel()[waypoint.frontier].all()
