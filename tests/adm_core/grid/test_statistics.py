"""Figures of a map, small enough to count by hand."""

import numpy as np
import pytest
from adm_core.grid.statistics import describe
from adm_core.types import GridMap


def test_figures_of_a_small_map():
    data = np.full((7, 9), 100, np.int8)
    data[1:6, 1:6] = 0  # a room of 5 x 5 cells
    data[1:3, 7] = 0  # a slot of two
    data[5, 7] = 0  # a speck of one
    data[0] = -1
    data[6, 0] = 50
    figures = describe(GridMap(data, 0.5), radius_m=0.5)
    assert (figures.rows, figures.cols, figures.cells) == (7, 9, 63)
    assert (figures.free, figures.unknown, figures.between) == (28, 9, 1)
    assert figures.occupied == 63 - 28 - 9 - 1
    assert (figures.parts, figures.largest_part, figures.specks) == (3, 25, 2)
    assert figures.region == 9  # the room less one cell on each side
    assert (figures.width_m, figures.height_m) == (4.5, 3.5)
    assert figures.area_m2(figures.region) == 2.25
    assert figures.share(figures.free) == 28 / 63


def test_thresholds_move_cells_between_the_kinds():
    grid_map = GridMap(np.array([[0, 10, 40, 70, 100, -1]], np.int8), 1.0)
    figures = describe(grid_map, 0.0, free_max=10, occupied_min=70)
    assert (figures.free, figures.between, figures.occupied, figures.unknown) == (2, 1, 2, 1)


@pytest.mark.parametrize("value", [-1, 100])
def test_a_map_without_free_cells_has_no_parts(value):
    figures = describe(GridMap(np.full((3, 4), value, np.int8), 0.05))
    assert (figures.free, figures.parts, figures.largest_part, figures.region) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"free_max": 65}, "free_max"),
        ({"free_max": -1}, "free_max"),
        ({"occupied_min": 101}, "occupied_min"),
        ({"radius_m": -1.0}, "radius_m"),
        ({"radius_m": float("nan")}, "radius_m"),
    ],
)
def test_invalid_arguments_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        describe(GridMap(np.zeros((3, 4), np.int8), 0.05), **changes)
