"""Inflation and the largest region, against brute force."""

import numpy as np
import pytest
from adm_core.grid.regions import (
    _DISC_CELLS,
    _slide_disc,
    _transform,
    inflate,
    largest_region,
    part_sizes,
)
from adm_core.types import GridMap
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

FREE, UNKNOWN, OCCUPIED = 0, -1, 100
small_grids = arrays(
    np.int8, st.tuples(st.integers(1, 9), st.integers(1, 9)), elements=st.sampled_from([-1, 0, 100])
)


def grid_of(data, resolution=1.0):
    return GridMap(np.asarray(data, np.int8), resolution)


def brute_force_inflation(data, radius_cells):
    """Measure every pair of cells, with one ring of unknown cells around the array."""
    padded = np.pad(data, 1, constant_values=UNKNOWN)
    blockers = np.argwhere(padded != FREE)
    result = np.zeros(data.shape, bool)
    for row, col in np.argwhere(data == FREE):
        squares = ((blockers - (row + 1, col + 1)) ** 2).sum(axis=1)
        result[row, col] = squares.min() > radius_cells**2
    return result


def brute_force_regions(mask):
    """Return the 4-connected sets of cells in the order of their first cells."""
    left, regions = {tuple(cell) for cell in np.argwhere(mask)}, []
    for start in sorted(left):
        if start not in left:
            continue
        left.discard(start)
        region, stack = {start}, [start]
        while stack:
            row, col = stack.pop()
            for cell in ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)):
                if cell in left:
                    left.discard(cell)
                    region.add(cell)
                    stack.append(cell)
        regions.append(region)
    return regions


@given(small_grids, st.sampled_from([0, 0.5, 1, 1.2, 1.5, 2, 2.5, 3, 100]))
def test_inflation_equals_brute_force(data, radius):
    assert np.array_equal(inflate(grid_of(data), radius), brute_force_inflation(data, radius))


@given(small_grids, st.integers(1, 30))
def test_both_ways_to_inflate_agree(data, limit):
    free = data == FREE
    assert np.array_equal(_slide_disc(free, limit), _transform(free, limit))


@pytest.mark.parametrize("resolution, radius", [(0.05, 0.2), (0.1, 0.3), (0.1, 0.7), (0.3, 0.9)])
def test_a_centre_at_exactly_the_radius_is_refused(resolution, radius):
    data = np.zeros((1, 41), np.int8)
    data = np.vstack([data] * 41)
    data[20, 20] = OCCUPIED
    steps = round(radius / resolution)
    mask = inflate(grid_of(data, resolution), radius)
    assert not mask[20, 20 + steps]
    assert mask[20, 20 + steps + 1]


def test_outside_of_the_array_is_not_free():
    mask = inflate(grid_of(np.zeros((7, 7))), 1.0)
    assert np.array_equal(mask, np.pad(np.ones((5, 5), bool), 1))


def test_unknown_blocks_like_an_obstacle():
    data = np.zeros((9, 9))
    data[4, 4] = UNKNOWN
    assert not inflate(grid_of(data), 1.0)[4, 3]


def test_values_between_free_and_occupied_count_as_told():
    data = np.full((5, 5), 20)
    assert not inflate(grid_of(data), 0.0).any()
    assert inflate(grid_of(data), 0.0, free_max=20).all()


def test_radius_beyond_the_disc_uses_the_transform_and_agrees():
    rng = np.random.default_rng(0)
    data = np.where(rng.random((120, 130)) < 0.0005, OCCUPIED, FREE).astype(np.int8)
    radius = _DISC_CELLS + 3.5
    assert np.array_equal(inflate(grid_of(data), radius), brute_force_inflation(data, radius))


@pytest.mark.parametrize(
    "radius, free_max, message",
    [
        (-0.1, 0, "radius_m"),
        (float("nan"), 0, "radius_m"),
        (float("inf"), 0, "radius_m"),
        (0.2, -1, "free_max"),
        (0.2, 101, "free_max"),
    ],
)
def test_invalid_arguments_are_named(radius, free_max, message):
    with pytest.raises(ValueError, match=message):
        inflate(grid_of(np.zeros((3, 3))), radius, free_max=free_max)


@given(arrays(bool, st.tuples(st.integers(0, 8), st.integers(0, 8))))
def test_largest_region_equals_brute_force(mask):
    found = {tuple(cell) for cell in np.argwhere(largest_region(mask))}
    assert found == max(brute_force_regions(mask), key=len, default=set())


def test_ties_go_to_the_region_that_starts_first():
    mask = np.array([[0, 0, 1], [1, 0, 1], [1, 0, 0]], bool)
    assert np.array_equal(largest_region(mask), mask & [[0, 0, 1]])


def test_ties_beyond_the_first_block_of_rows_are_settled():
    mask = np.zeros((400, 1000), bool)
    mask[300, 900:903] = mask[301, 10:13] = True
    mask[0, 0] = mask[399, 999] = True
    assert np.argwhere(largest_region(mask)).tolist() == [[300, 900], [300, 901], [300, 902]]


@given(arrays(bool, st.tuples(st.integers(0, 8), st.integers(0, 8))))
def test_part_sizes_equal_brute_force(mask):
    assert sorted(part_sizes(mask)) == sorted(map(len, brute_force_regions(mask)))


def test_largest_region_refuses_anything_but_a_plane():
    with pytest.raises(ValueError, match="mask"):
        largest_region(np.zeros(4, bool))
