"""Grey maps and costmaps, and what is said when no frontier is found."""

import numpy as np
import pytest
from adm_core.grid.frontiers import frontier_cells
from adm_core.grid.values import explain_values, from_costmap, simplify, value_histogram
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

any_grid = arrays(np.int8, st.tuples(st.integers(0, 9), st.integers(0, 9)))
#: A room with an open side, as a costmap shows it: inflated floor, inscribed and lethal rims.
COSTS = np.full((8, 12), 255, np.uint8)
COSTS[1:7, 1:9] = 254
COSTS[2:6, 2:9] = 253
COSTS[3:5, 3:9] = 120
COSTS[3:5, 5:9] = 0


def test_a_costmap_has_frontiers_complaint_5():
    """Zero frontiers found when fed a costmap rather than a map."""
    grid = from_costmap(COSTS)
    assert len(frontier_cells(grid)) == 2  # the two free cells at the open side
    # With the inflated floor taken as free nothing else is a frontier: rims are known.
    assert len(frontier_cells(grid, free_max=98, occupied_min=99)) == 2
    assert grid[0, 0] == -1 and grid[1, 1] == 100 and grid[2, 2] == 99 and 0 < grid[3, 3] < 99


def test_costs_keep_their_order_and_fill_1_to_98():
    table = from_costmap(np.arange(256, dtype=np.uint8)[None])[0]
    assert table[[0, 1, 252, 253, 254, 255]].tolist() == [0, 1, 98, 99, 100, -1]
    assert (np.diff(table[:255].astype(int)) >= 0).all()


@pytest.mark.parametrize("codes", [np.zeros((2, 2), np.int8), np.zeros(3, np.uint8), [[1]]])
def test_other_costmaps_are_refused(codes):
    with pytest.raises(ValueError, match="codes must be uint8"):
        from_costmap(codes)


def test_a_grey_map_has_frontiers_with_other_thresholds_complaint_6():
    """Cartographer maps, grey all over, give no frontiers and no clear cell."""
    grey = np.full((5, 6), -1, np.int8)
    grey[1:4, 1:5] = [[18, 23, 31, 9]] * 3
    grey[1] = 70
    assert len(frontier_cells(grey)) == 0
    assert len(frontier_cells(grey, free_max=40)) == 6
    assert len(frontier_cells(simplify(grey, free_max=40))) == 6


def test_when_nothing_is_found_the_values_are_told_complaint_5():
    """Report the value histogram when nothing is found."""
    grid = np.array([[-1, -1, 30, 30, 30, 100]], np.int8)
    assert len(frontier_cells(grid)) == 0
    assert explain_values(grid) == (
        "cells by value: -1: 2, 30: 3, 100: 1 (-1 is unknown, free is 0, 65 and more is occupied)"
    )
    many = np.arange(-1, 99, dtype=np.int8)[None]
    assert "92 more values: 92 (" in explain_values(many, 40, 70)
    assert "free is 0..40, 70 and more" in explain_values(many, 40, 70)
    assert "none" in explain_values(np.zeros((0, 3), np.int8))


@given(any_grid)
def test_the_histogram_counts_every_cell_once(grid):
    values, counts = np.unique(grid, return_counts=True)
    expected = dict(zip(values.tolist(), counts.tolist(), strict=True))
    assert value_histogram(grid) == expected


@given(any_grid, st.integers(0, 60), st.integers(61, 127))
def test_simplified_grids_mean_the_same(grid, free_max, occupied_min):
    plain = simplify(grid, free_max, occupied_min)
    assert set(np.unique(plain)) <= {-1, 0, 50, 100}
    limits = {"free_max": free_max, "occupied_min": occupied_min}
    assert np.array_equal(frontier_cells(grid, **limits), frontier_cells(plain))
