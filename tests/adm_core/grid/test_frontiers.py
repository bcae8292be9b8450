import numpy as np
import pytest
from adm_core._kernels import frontier as kernel
from adm_core._kernels import reference
from adm_core.grid.frontiers import find_frontiers, frontier_cells
from grids import grids, odd_grids
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import examples

GRID = np.array([[0, 0, -1], [0, 100, 0]], np.int8)


def check(grid, border, free_max):
    want = reference.frontier_mask(grid, border_is_unknown=border, free_max=free_max)
    options = {"border_is_unknown": border, "free_max": free_max}
    np.testing.assert_array_equal(find_frontiers(grid, **options), want)
    np.testing.assert_array_equal(frontier_cells(grid, **options), np.flatnonzero(want))


@settings(max_examples=examples("frontiers"), deadline=None)
@given(grid=grids(), border=st.booleans(), free_max=st.sampled_from([0, 0, 7, 64]))
def test_mask_and_list_equal_reference(grid, border, free_max):
    check(grid, border, free_max)


@pytest.mark.parametrize("border", [False, True])
@pytest.mark.parametrize("name", odd_grids())
def test_odd_grids_equal_reference(name, border):
    check(odd_grids()[name], border, 0)


@settings(max_examples=examples("frontiers") // 3, deadline=None)
@given(grid=grids(max_cols=400).filter(lambda g: g.size), border=st.booleans())
def test_variant_without_wide_instructions_gives_the_same_answer(grid, border):
    masks = [np.empty(grid.shape, np.bool_) for _ in range(2)]
    cells = [np.full(grid.size + grid.shape[1], -7) for _ in range(2)]
    counts = []
    for wide in (False, True):
        kernel.mark_frontiers(grid, 0, border, masks[wide], wide)
        counts.append(kernel.list_frontiers(grid, 0, border, 0, 0, cells[wide], wide))
    assert counts[0] == counts[1]
    np.testing.assert_array_equal(masks[0], masks[1])
    np.testing.assert_array_equal(cells[0], cells[1])


def test_a_dense_frontier_outgrows_the_first_guess():
    grid = np.tile(np.array([0, -1], np.int8), (700, 350))
    np.testing.assert_array_equal(frontier_cells(grid), np.flatnonzero(grid == 0))


def test_the_border_counts_only_if_asked():
    free = np.zeros((3, 3), np.int8)
    assert frontier_cells(free).size == 0
    assert frontier_cells(free, border_is_unknown=True).tolist() == [0, 1, 2, 3, 5, 6, 7, 8]


@pytest.mark.parametrize("view", ["transposed", "reversed", "strided"])
def test_views_that_are_not_contiguous_are_read_right(view):
    base = np.random.default_rng(0).choice(np.array([-1, 0, 100], np.int8), (40, 70))
    grid = {"transposed": base.T, "reversed": base[::-1, ::-1], "strided": base[::2, ::3]}[view]
    check(grid, False, 0)


def test_out_is_written_and_returned():
    out = np.ones(GRID.shape, bool)
    assert find_frontiers(GRID, out=out) is out
    assert out.tolist() == [[False, True, False], [False, False, True]]


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"grid": [[0]]}, "grid must be a NumPy array"),  # a list
        ({"grid": GRID.astype(np.int16)}, r"grid must be int8.*int16\[2, 3\]"),  # dtype
        ({"grid": GRID[0]}, r"grid must be int8.*int8\[3\]"),  # one dimension
        ({"grid": GRID, "free_max": -1}, "0 <= free_max < occupied_min"),  # below 0
        ({"grid": GRID, "free_max": 65}, "got 65 and 65"),  # not below occupied_min
        ({"grid": GRID, "free_max": 0.5}, "whole numbers"),  # a fraction
        ({"grid": GRID, "occupied_min": 128}, "got 0 and 128"),  # no int8
        ({"grid": GRID, "out": np.empty((3, 2), bool)}, r"out must be .*bool\[2, 3\]"),  # shape
        ({"grid": GRID, "out": np.empty((2, 3), np.uint8)}, "out must be"),  # dtype
        ({"grid": GRID, "out": np.empty((2, 6), bool)[:, ::2]}, "not contiguous"),  # strides
        ({"grid": GRID, "out": read_only(np.empty((2, 3), bool))}, "read-only"),
        ({"grid": GRID, "out": 3}, "got int 3"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        find_frontiers(**arguments)


@pytest.mark.parametrize("side", ["left", "right", "below", "above"])
def test_a_frontier_on_the_edge_of_a_growing_map_counts_complaint_7(side):
    """Frontier on the edge of a growing map is ignored, the robot turns away."""
    grid = np.full((5, 7), 100, np.int8)
    grid[1:4, 1:6] = 0
    edge = {
        "left": np.s_[1:4, 0],
        "right": np.s_[1:4, -1],
        "below": np.s_[0, 1:6],
        "above": np.s_[-1, 1:6],
    }[side]
    grid[edge] = 0
    assert not find_frontiers(grid).any()  # the map is taken as complete
    found = find_frontiers(grid, border_is_unknown=True)
    expected = np.zeros(grid.shape, bool)
    expected[edge] = True
    assert np.array_equal(found, expected)
