import math

import numpy as np
import pytest
from adm_core.grid import visible_cells
from adm_core.search.baselines.view_gain import GainCache, best_views, full_view_cells
from hypothesis import given
from hypothesis import strategies as st


def test_a_view_turns_to_where_the_unknown_is():
    grid = np.zeros((21, 21), np.int8)
    grid[:, 14:] = -1
    views = best_views(grid, np.array([10 * 21 + 10]))
    assert views.gain[0] > 20
    assert abs(math.remainder(views.heading_rad[0], math.tau)) <= math.radians(20)


def test_rows_are_not_taken_for_columns():
    grid = np.zeros((21, 21), np.int8)
    grid[14:] = -1
    heading = best_views(grid, np.array([10 * 21 + 10])).heading_rad[0]
    assert abs(math.remainder(heading - math.pi / 2, math.tau)) <= math.radians(20)


def test_walls_hide_the_unknown():
    grid = np.zeros((21, 21), np.int8)
    grid[:, 14:] = -1
    grid[:, 13] = 100
    assert best_views(grid, np.array([10 * 21 + 10])).gain[0] == 0


def test_an_open_view_gains_about_its_area():
    grid = np.full((41, 41), -1, np.int8)
    grid[20, 20] = 0
    full = full_view_cells(math.pi / 3, 10.0)
    assert best_views(grid, np.array([20 * 41 + 20])).gain[0] == pytest.approx(full, rel=0.15)


@given(st.integers(0, 2**32 - 1))
def test_no_direction_shows_much_more_than_the_best_window(seed):
    rng = np.random.default_rng(seed)
    grid = rng.choice(np.array([-1, 0, 0, 100], np.int8), (15, 15))
    views = best_views(grid, np.array([7 * 15 + 7]), range_cells=6.0)
    seen = visible_cells(
        grid,
        np.array([[7, 7]]),
        views.heading_rad,
        range_cells=6.0,
        near_cells=0.0,
        through_unknown=True,
    ).cells
    inside = (grid.ravel()[seen] == -1) & (seen != 7 * 15 + 7)
    # Cells on the two edges of the window may fall on either side.
    own = int(grid[7, 7] == -1)
    assert abs(int(views.gain[0]) - int(inside.sum())) <= 8 + own


def test_a_full_circle_sums_all_directions():
    rng = np.random.default_rng(0)
    grid = rng.choice(np.array([-1, 0, 0, 0, 100], np.int8), (15, 15))
    seen = visible_cells(
        grid, np.array([[7, 7]]), np.zeros(1), fov_rad=math.tau, through_unknown=True
    ).cells
    views = best_views(grid, np.array([7 * 15 + 7]), fov_rad=math.tau)
    assert views.gain[0] == np.count_nonzero(grid.ravel()[seen] == -1)


def test_no_cells_have_no_views():
    assert len(best_views(np.zeros((3, 3), np.int8), np.empty(0, np.int64)).gain) == 0


@given(st.integers(0, 2**32 - 1))
def test_kept_views_are_those_of_the_map_now(seed):
    rng = np.random.default_rng(seed)
    grid = np.full((25, 31), -1, np.int8)
    cache = GainCache(math.pi / 3, 5.0)
    for _ in range(6):
        row, col = rng.integers(0, 25), rng.integers(0, 31)
        patch = grid[row : row + 4, col : col + 4]
        patch[:] = rng.choice(np.array([0, 0, 100], np.int8), patch.shape)
        cells = rng.integers(0, grid.size, 20)
        kept, fresh = cache.views(grid, cells), best_views(grid, cells, range_cells=5.0)
        assert np.array_equal(kept.gain, fresh.gain)
        assert np.array_equal(kept.heading_rad, fresh.heading_rad)


def test_a_map_that_grows_starts_anew():
    cache = GainCache(math.pi / 3, 5.0)
    cache.views(np.zeros((10, 10), np.int8), np.array([5]))
    grid = np.full((20, 20), -1, np.int8)
    assert (
        cache.views(grid, np.array([210])).gain[0]
        == best_views(grid, np.array([210]), range_cells=5.0).gain[0]
    )
