import numpy as np
import pytest
from adm_core.grid import distance_field
from adm_core.search.baselines.voronoi import NOBODY, optimistic, voronoi_cells
from adm_core.types import Cell
from hypothesis import given
from hypothesis import strategies as st


def test_unknown_cells_are_passed_and_walls_belong_to_nobody():
    grid = np.array([[0, -1, 100, 0]], np.int8)
    owner = voronoi_cells(grid, [(4, Cell(0, 0))])
    assert owner.tolist() == [[4, 4, NOBODY, NOBODY]]


def test_equal_ways_go_to_the_first_robot():
    grid = np.zeros((1, 5), np.int8)
    assert voronoi_cells(grid, [(1, Cell(0, 4)), (0, Cell(0, 0))]).tolist() == [[0, 0, 1, 1, 1]]


def test_without_robots_nobody_owns_anything():
    assert (voronoi_cells(np.zeros((3, 3), np.int8), []) == NOBODY).all()


def test_a_robot_off_the_grid_is_refused():
    with pytest.raises(ValueError, match="grid"):
        voronoi_cells(np.zeros((3, 3), np.int8), [(0, Cell(3, 0))])


@given(st.integers(0, 2**32 - 1))
def test_nobody_has_a_shorter_way_than_the_owner(seed):
    rng = np.random.default_rng(seed)
    grid = rng.choice(np.array([-1, 0, 100], np.int8), (9, 11))
    robots = [(i, Cell(*rng.integers(0, (9, 11)).tolist())) for i in range(3)]
    owner = voronoi_cells(grid, robots)
    ways = [distance_field(optimistic(grid), cell, diagonal="unit") for _, cell in robots]
    reach = np.where(np.array(ways) < 0, 10**6, ways)
    assert np.array_equal(owner == NOBODY, reach.min(0) == 10**6)
    owned = owner != NOBODY
    assert np.array_equal(owner[owned], reach.argmin(0)[owned])
