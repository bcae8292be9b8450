import math

import numpy as np
import pytest
from adm_core._kernels import reference
from adm_core.grid.visibility import visible_cells
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sizes import examples

GRID = np.zeros((5, 7), np.int8)
#: No cell of a small grid lies exactly on the border of such a view, where rounding would decide.
HEADINGS = st.floats(-10, 10).filter(lambda a: abs(math.remainder(a, 0.01)) > 1e-6)


@st.composite
def scenes(draw):
    rows, cols = draw(st.integers(1, 11)), draw(st.integers(1, 11))
    values = draw(st.sampled_from([(0, 0, 0, 0, 0, 100), (0, 0, 0, 100, -1, 30), (0,)]))
    grid = draw(arrays(np.int8, (rows, cols), elements=st.sampled_from(values)))
    cell = st.tuples(st.integers(0, rows - 1), st.integers(0, cols - 1))
    return grid, draw(st.lists(st.tuples(cell, HEADINGS), max_size=4))


@settings(max_examples=examples("visibility"), deadline=None)
@given(
    scene=scenes(),
    fov=st.floats(0.1, 2 * math.pi),
    reach=st.floats(0, 12),
    near=st.floats(0, 4),
    through=st.booleans(),
)
def test_visible_cells_equal_reference(scene, fov, reach, near, through):
    grid, poses = scene
    got = visible_cells(
        grid, [p[0] for p in poses], [p[1] for p in poses], fov_rad=fov, range_cells=reach,
        near_cells=near, through_unknown=through,
    )  # fmt: skip
    blocked = ~reference.is_free(grid) & ~((grid == -1) & through)
    assert len(got.offsets) == len(poses) + 1
    for i, (cell, heading) in enumerate(poses):
        assert got.of(i).tolist() == reference.visible(blocked, cell, heading, fov, reach, near)


@settings(max_examples=examples("visibility"), deadline=None)
@given(grid=arrays(np.int8, (9, 9), elements=st.sampled_from([0, 0, 100])), data=st.data())
def test_sight_is_the_same_in_both_directions(grid, data):
    cell = st.tuples(st.integers(0, 8), st.integers(0, 8))
    a, b = data.draw(cell), data.draw(cell)
    seen = visible_cells(grid, [a, b], [0, 0], fov_rad=2 * math.pi, range_cells=20)
    assert (b[0] * 9 + b[1] in seen.of(0)) == (a[0] * 9 + a[1] in seen.of(1))


def test_a_wall_is_seen_and_hides_what_is_behind_it():
    grid = GRID.copy()
    grid[:, 3] = 100
    seen = visible_cells(grid, [(2, 0)], [0.0], near_cells=0)
    assert {2 * 7 + 3} <= set(seen.cells.tolist())
    assert not {2 * 7 + 4, 2 * 7 + 5} & set(seen.cells.tolist())


def test_heading_turns_from_columns_to_rows():
    below = visible_cells(GRID, [(2, 3)], [math.pi / 2], fov_rad=0.1, near_cells=0)
    assert below.cells.tolist() == [2 * 7 + 3, 3 * 7 + 3, 4 * 7 + 3]


def test_a_closed_diagonal_hides_and_a_single_corner_does_not():
    closed = np.array([[0, 100], [100, 0]], np.int8)
    half = np.array([[0, 100], [0, 0]], np.int8)
    around = {"fov_rad": 2 * math.pi}
    assert 3 not in visible_cells(closed, [(0, 0)], [0.0], **around).cells
    assert 3 in visible_cells(half, [(0, 0)], [0.0], **around).cells


def test_no_pose_sees_nothing():
    seen = visible_cells(GRID, [], [])
    assert (seen.cells.size, seen.offsets.tolist()) == (0, [0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"grid": GRID.astype(int)}, "grid must be int8"),
        ({"positions": [(5, 0)]}, r"positions must lie on the grid of 5 x 7 .*got \(5, 0\)"),
        ({"positions": [(0, -1)]}, "positions must lie on the grid"),
        ({"grid": GRID[:0]}, "positions must lie on the grid of 0 x 7"),
        ({"positions": [(0.5, 0)]}, r"positions must be int\[n, 2\]"),
        ({"positions": [0, 1]}, r"positions must be int\[n, 2\]"),
        ({"headings_rad": [0.0, 1.0]}, r"headings_rad must be float\[1\]"),
        ({"headings_rad": [math.nan]}, "headings_rad be finite, got .* nan"),
        ({"fov_rad": 0}, "fov_rad must lie in"),
        ({"fov_rad": 7.0}, "fov_rad must lie in"),
        ({"range_cells": math.inf}, "range_cells must be finite"),
        ({"near_cells": -1}, "near_cells >= 0"),
    ],
)
def test_bad_arguments_are_named(changes, message):
    arguments = {"grid": GRID, "positions": [(0, 0)], "headings_rad": [0.0], **changes}
    with pytest.raises(ValueError, match=message):
        visible_cells(**arguments)
