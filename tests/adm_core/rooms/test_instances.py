import numpy as np
import pytest
from adm_core._kernels import reference_rooms as reference
from adm_core.rooms.instances import label_rooms, room_edges
from grids import checkerboard, grids, odd_grids, spiral
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import examples


def typed(grid, seed, dtype=np.uint8, count=3):
    """Return room types in patches, so that runs of several lengths occur."""
    rng = np.random.default_rng(seed)
    height, width = max(1, grid.shape[0] // 4), max(1, grid.shape[1] // 5)
    coarse = rng.integers(0, count + 1, (grid.shape[0] // height + 1, grid.shape[1] // width + 1))
    fine = np.kron(coarse, np.ones((height, width), int))[: grid.shape[0], : grid.shape[1]]
    noise = rng.random(grid.shape) < rng.choice([0.0, 0.02, 0.5])
    values = np.where(noise, rng.integers(0, count + 1, grid.shape), fine)
    return (values * (300 if dtype == np.uint16 else 1)).astype(dtype)


def check(grid, room_type, **options):
    got = label_rooms(grid, room_type, **options)
    want = reference.label_rooms(grid, room_type, **options)
    np.testing.assert_array_equal(got.labels, want)
    np.testing.assert_array_equal(got.edges, reference.room_edges(want))
    measured = zip(got.areas.tolist(), got.first_cells.tolist(), got.boxes.tolist(), strict=True)
    assert [(a, f, tuple(b)) for a, f, b in measured] == reference.measures(want)
    np.testing.assert_array_equal(got.types, room_type.ravel()[got.first_cells])
    np.testing.assert_array_equal(got.labels_at(np.arange(grid.size)), want.ravel())


@settings(max_examples=examples("rooms"), deadline=None)
@given(
    grid=grids(),
    seed=st.integers(0, 2**32 - 1),
    dtype=st.sampled_from([np.uint8, np.uint16]),
    untyped=st.booleans(),
    free_max=st.sampled_from([0, 0, 7]),
)
def test_instances_equal_reference(grid, seed, dtype, untyped, free_max):
    check(grid, typed(grid, seed, dtype), untyped=untyped, free_max=free_max)


@pytest.mark.parametrize("untyped", [False, True])
@pytest.mark.parametrize("name", odd_grids())
def test_odd_grids_equal_reference(name, untyped):
    grid = odd_grids()[name]
    check(grid, typed(grid, 4), untyped=untyped)


def test_each_cell_of_a_checkerboard_of_types_is_a_room():
    grid = np.zeros((300, 301), np.int8)
    found = label_rooms(grid, checkerboard(300, 301, 1, 2).astype(np.uint8))
    assert len(found) == 300 * 301 > 65_535
    np.testing.assert_array_equal(found.labels.ravel(), np.arange(1, grid.size + 1))
    assert len(found.edges) == 300 * 300 + 299 * 301


def test_more_components_than_a_short_label_can_hold():
    grid = checkerboard(400, 400, 0, 100)
    check_count = label_rooms(grid, np.ones(grid.shape, np.uint8), labels=False)
    assert len(check_count) == 80_000
    assert check_count.labels is None
    assert (check_count.areas == 1).all()


def test_a_spiral_is_one_room():
    grid = spiral(101)
    assert len(label_rooms(grid, np.full(grid.shape, 9, np.uint8))) == 1


def test_a_comb_joins_late():
    grid = np.full((40, 99), 100, np.int8)
    grid[:, ::2] = 0
    grid[-1] = 0
    assert len(label_rooms(grid, np.ones(grid.shape, np.uint8))) == 1


def test_views_with_strides_are_read_as_they_look():
    rng = np.random.default_rng(2)
    grid = rng.choice([0, 0, 0, 100], (40, 90)).astype(np.int8)[::-2, ::3]
    room_type = rng.integers(0, 3, (40, 90)).astype(np.uint8)[::-2, 1::3]
    check(grid, room_type)


def test_output_array_is_filled_and_returned():
    grid = np.array([[0, 0, 100, 0]], np.int8)
    out = np.full((1, 4), 7, np.int32)
    found = label_rooms(grid, np.ones((1, 4), np.uint8), out=out, labels=False)
    assert found.labels is out
    assert out.tolist() == [[1, 1, 0, 2]]


def test_room_edges_are_those_of_the_instances():
    grid = np.zeros((20, 20), np.int8)
    room_type = typed(grid, 1)
    np.testing.assert_array_equal(room_edges(grid, room_type), label_rooms(grid, room_type).edges)


@settings(max_examples=examples("rooms"), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    shift=st.tuples(st.integers(-6, 6), st.integers(-6, 6)),
    shapes=st.tuples(*[st.integers(1, 12)] * 4),
)
def test_overlaps_equal_a_count_of_cells(seed, shift, shapes):
    rng = np.random.default_rng(seed)
    first, second = (
        rng.choice([0, 0, 0, 100], shape).astype(np.int8) for shape in (shapes[:2], shapes[2:])
    )
    a, b = (label_rooms(g, typed(g, seed), untyped=True) for g in (first, second))
    want = {}
    for row, col in np.ndindex(*first.shape):
        there = (row + shift[0], col + shift[1])
        if 0 <= there[0] < second.shape[0] and 0 <= there[1] < second.shape[1]:
            pair = (int(a.labels[row, col]), int(b.labels[there]))
            if all(pair):
                want[pair] = want.get(pair, 0) + 1
    got = {(p, q): n for p, q, n in a.overlaps(b, shift).tolist()}
    assert got == want


GRID = np.zeros((3, 4), np.int8)
TYPES = np.ones((3, 4), np.uint8)
READ_ONLY = np.zeros((3, 4), np.int32)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"grid": GRID.astype(np.uint8)}, "grid"),
        ({"grid": GRID[0]}, "grid"),
        ({"room_type": TYPES[:2]}, "room_type"),
        ({"room_type": TYPES.astype(np.int32)}, "room_type"),
        ({"room_type": TYPES.tolist()}, "room_type"),
        ({"room_type": 1}, "room_type"),
        ({"out": np.zeros((3, 4), np.int64)}, "out"),
        ({"out": np.zeros((4, 3), np.int32)}, "out"),
        ({"out": np.zeros((3, 8), np.int32)[:, ::2]}, "out"),
        ({"out": READ_ONLY}, "out"),
        ({"free_max": 70}, "free_max"),
        ({"occupied_min": 0}, "occupied_min"),
    ],
)
def test_bad_argument_is_named(arguments, named):
    with pytest.raises(ValueError, match=named):
        label_rooms(**{"grid": GRID, "room_type": TYPES, **arguments})


@pytest.mark.parametrize("cell", [-1, 12])
def test_a_cell_off_the_grid_is_refused(cell):
    with pytest.raises(ValueError, match="cells"):
        label_rooms(GRID, TYPES).labels_at([cell])
