import math

import numpy as np
import pytest
from adm_core._kernels import reference_distance as reference
from adm_core.grid.distance import descend, distance_field, reachable, shortest_path
from adm_core.types import Cell
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sizes import examples

MODES = [False, "unit", "metric"]
GRID = np.zeros((3, 4), np.int8)


def options(mode):
    return {"diagonal": bool(mode), "metric": mode == "metric"}


def as_float(field):
    return np.where(field < 0, math.inf, field) if field.dtype == np.int32 else field


@st.composite
def scenes(draw):
    shape = draw(st.tuples(st.integers(1, 9), st.integers(1, 9)))
    values = st.sampled_from([0, 0, 0, 0, 1, 50, 100, -1])
    grid = draw(hnp.arrays(np.int8, shape, elements=values))
    cell = st.tuples(st.integers(0, shape[0] - 1), st.integers(0, shape[1] - 1))
    return grid, draw(st.lists(cell, min_size=1, max_size=4)), draw(cell)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=examples("distance"), deadline=None)
@given(scene=scenes(), limit=st.sampled_from([math.inf, 0, 1, 2.5, 7]), top=st.sampled_from([0, 1]))
def test_field_equals_reference(mode, scene, limit, top):
    grid, sources, _ = scene
    got = distance_field(grid, sources, max_distance=limit, diagonal=mode, free_max=top)
    want = reference.distance_field(grid, sources, limit, free_max=top, **options(mode))
    np.testing.assert_array_equal(as_float(got), want)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=examples("distance"), deadline=None)
@given(scene=scenes())
def test_path_equals_reference_walked_back_from_the_goal(mode, scene):
    grid, sources, goal = scene
    got = shortest_path(grid, sources[0], goal, diagonal=mode)
    field = reference.distance_field(grid, sources[:1], **options(mode))
    want = reference.descend(grid, field, goal, **options(mode))
    assert list(map(tuple, got.tolist())) == want[::-1]


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=examples("distance"), deadline=None)
@given(scene=scenes())
def test_descend_equals_reference(mode, scene):
    grid, sources, start = scene
    field = distance_field(grid, sources, diagonal=mode)
    got = descend(grid, field, start, diagonal=mode)
    want = reference.descend(grid, as_float(field), start, **options(mode))
    assert list(map(tuple, got.tolist())) == want


@pytest.mark.parametrize("mode", MODES)
def test_field_equals_reference_on_a_cluttered_map(mode):
    rng = np.random.default_rng(3)
    grid = np.where(rng.random((61, 83)) < 0.35, 100, 0).astype(np.int8)
    got = distance_field(grid, [(0, 0), (30, 40)], diagonal=mode)
    want = reference.distance_field(grid, [(0, 0), (30, 40)], **options(mode))
    np.testing.assert_array_equal(as_float(got), want)


def test_metric_length_is_straight_plus_diagonal_moves():
    field = distance_field(np.zeros((400, 600), np.int8), [(0, 0)], diagonal="metric")
    assert field[399, 599] == 200 + 399 * math.sqrt(2)


def test_a_diagonal_needs_both_cells_it_passes_between():
    grid = np.array([[0, 100], [0, 0]], np.int8)
    assert distance_field(grid, [(0, 0)], diagonal="unit").tolist() == [[0, -1], [1, 2]]
    assert distance_field(grid[::-1], [(0, 0)], diagonal="unit").tolist() == [[0, 1], [1, -1]]


def test_a_blocked_source_can_be_left_but_not_entered():
    grid = np.array([[0, 100, 0]], np.int8)
    assert distance_field(grid, [(0, 1)]).tolist() == [[1, 0, 1]]
    assert shortest_path(grid, (0, 1), (0, 2)).tolist() == [[0, 1], [0, 2]]
    assert shortest_path(grid, (0, 0), (0, 2)).shape == (0, 2)
    assert shortest_path(grid, (0, 0), (0, 1)).shape == (0, 2)


def test_sources_may_be_cells_indices_or_one_cell():
    want = distance_field(GRID, [(1, 2)])
    np.testing.assert_array_equal(distance_field(GRID, [6]), want)
    np.testing.assert_array_equal(distance_field(GRID, Cell(1, 2)), want)
    np.testing.assert_array_equal(distance_field(GRID, np.array([[1, 2]], np.uint8)), want)


@pytest.mark.parametrize("mode", MODES)
def test_no_source_reaches_nothing(mode):
    assert not reachable(GRID, [], diagonal=mode).any()


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
@pytest.mark.parametrize("mode", MODES)
def test_an_empty_grid_gives_an_empty_field(shape, mode):
    assert distance_field(np.zeros(shape, np.int8), [], diagonal=mode).shape == shape


def test_start_equal_to_goal_is_a_path_of_one_cell():
    assert shortest_path(GRID, (1, 1), (1, 1), diagonal="metric").tolist() == [[1, 1]]


def test_a_view_with_strides_is_read_as_it_looks():
    grid = np.where(np.arange(80).reshape(8, 10) % 7 == 3, 100, 0).astype(np.int8)[::-2, ::3]
    np.testing.assert_array_equal(
        distance_field(grid, [0]), distance_field(np.ascontiguousarray(grid), [0])
    )


def test_output_array_is_filled_and_returned():
    out = np.full(GRID.shape, 7, np.int32)
    assert distance_field(GRID, [0], out=out) is out
    assert out[2, 3] == 5


@pytest.mark.parametrize("mode", MODES)
def test_reachable_respects_the_limit(mode):
    assert reachable(GRID, [0], max_distance=1, diagonal=mode)[:2, :2].tolist() == [
        [True, True],
        [True, mode == "unit"],
    ]


READ_ONLY = np.zeros(GRID.shape, np.int32)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"grid": GRID.astype(np.int16)}, "grid"),
        ({"grid": GRID[0]}, "grid"),
        ({"grid": GRID.tolist()}, "grid"),
        ({"sources": [12]}, "sources"),  # past the last cell
        ({"sources": [-1]}, "sources"),
        ({"sources": [(3, 0)]}, "sources"),  # below the last row
        ({"sources": [(0, -1)]}, "sources"),
        ({"sources": [0.0]}, "sources"),
        ({"sources": [(0, 0, 0)]}, "sources"),
        ({"sources": [(math.nan, 0)]}, "sources"),
        ({"max_distance": -1}, "max_distance"),
        ({"max_distance": math.nan}, "max_distance"),
        ({"diagonal": "octile"}, "diagonal"),
        ({"diagonal": None}, "diagonal"),
        ({"out": np.zeros(GRID.shape, np.int64)}, "out"),
        ({"out": np.zeros((4, 3), np.int32)}, "out"),
        ({"out": np.zeros((3, 8), np.int32)[:, ::2]}, "out"),
        ({"out": READ_ONLY}, "out"),
        ({"out": np.zeros(GRID.shape, np.int32), "diagonal": "metric"}, "out"),
        ({"free_max": 65}, "free_max"),
        ({"free_max": -1}, "free_max"),
        ({"occupied_min": 128}, "occupied_min"),
    ],
)
def test_bad_argument_is_named(arguments, named):
    with pytest.raises(ValueError, match=named):
        distance_field(**{"grid": GRID, "sources": [0], **arguments})


@pytest.mark.parametrize(
    ("start", "goal", "named"), [((3, 0), (0, 0), "start"), ((0, 0), (0, 4), "goal")]
)
def test_a_cell_off_the_grid_is_named(start, goal, named):
    with pytest.raises(ValueError, match=named):
        shortest_path(GRID, start, goal)


def test_field_of_the_wrong_kind_is_named():
    with pytest.raises(ValueError, match="field"):
        descend(GRID, distance_field(GRID, [0]), (0, 0), diagonal="metric")


def test_a_long_winding_way_equals_reference():
    """A board of 8 x 8 cells is crossed at times far apart, more than a byte can tell."""
    grid = np.zeros((63, 200), np.int8)
    grid[1::2] = 100
    grid[1::4, -1] = grid[3::4, 0] = 0
    got = distance_field(grid, [0])
    assert got.max() == 32 * 199 + 62
    np.testing.assert_array_equal(as_float(got), reference.distance_field(grid, [(0, 0)]))


def test_sizes_around_a_board_equal_reference():
    rng = np.random.default_rng(8)
    for shape in [(8, 8), (40, 33), (33, 129), (257, 130)]:
        grid = np.where(rng.random(shape) < 0.3, 100, rng.integers(-2, 3, shape)).astype(np.int8)
        got = distance_field(grid, [0, grid.size - 1], free_max=1)
        want = reference.distance_field(grid, [(0, 0), (shape[0] - 1, shape[1] - 1)], free_max=1)
        np.testing.assert_array_equal(as_float(got), want)
