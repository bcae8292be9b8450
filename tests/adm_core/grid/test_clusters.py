import numpy as np
import pytest
from adm_core._kernels import clusters as kernel
from adm_core._kernels import reference
from adm_core.grid.clusters import cluster_frontiers
from grids import checkerboard, grids, odd_grids, patchy
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import FULL, examples

FIELDS = ["cells", "owner", "seeds", "sizes", "centroids", "representatives"]
GRID = np.array([[0, 0, -1], [0, 100, 0]], np.int8)


def check(grid, c_max, **options):
    got, want = cluster_frontiers(grid, c_max=c_max, **options), None
    want = reference.clusters(grid, c_max, **options)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(got, name), want[name], err_msg=name)


@settings(max_examples=examples("clusters"), deadline=None)
@given(
    grid=grids(),
    c_max=st.one_of(st.integers(0, 12), st.sampled_from([15, 16, 31])),
    border=st.booleans(),
    free_max=st.sampled_from([0, 0, 7]),
)
def test_clusters_equal_reference(grid, c_max, border, free_max):
    check(grid, c_max, border_is_unknown=border, free_max=free_max)


@settings(max_examples=examples("clusters_deep"), deadline=None)
@given(grid=patchy(60, 150), c_max=st.sampled_from([10, 20, 30, 31, 32, 40, 90, 10**9]))
def test_deep_searches_equal_reference(grid, c_max):
    check(grid, c_max)


@pytest.mark.parametrize("c_max", [0, 1, 10, 31, 32])
@pytest.mark.parametrize("name", odd_grids())
def test_odd_grids_equal_reference(name, c_max):
    check(odd_grids()[name], c_max)


def run_kernel(grid, c_max, wide):
    planes = kernel.Planes(grid, 0, False, wide)
    return [planes.size, *planes.cluster(c_max)[:-1]]


@settings(max_examples=examples("clusters") // 3, deadline=None)
@given(
    grid=grids(max_cols=400).filter(lambda g: g.size),
    c_max=st.sampled_from([0, 3, 4, 7, 8, 10, 15, 16, 31]),
)
def test_variant_without_wide_instructions_gives_the_same_answer(grid, c_max):
    for plain, wide in zip(*(run_kernel(grid, c_max, w) for w in (False, True)), strict=True):
        np.testing.assert_array_equal(plain, wide)


def test_more_than_65535_clusters():
    n = 520 if FULL else 370
    grid = checkerboard(n, n)
    found = cluster_frontiers(grid, c_max=3)
    assert len(found.sizes) == n * n // 2 > 65_535
    np.testing.assert_array_equal(found.owner, np.arange(n * n // 2))
    np.testing.assert_array_equal(found.representatives, found.cells)


def test_ties_of_the_representative_go_to_the_first_cell():
    grid = np.array([[-1, 0, 0, 0, -1], [100, 100, 0, 100, 100]], np.int8)
    found = cluster_frontiers(grid, c_max=2)  # centroid (0, 2)
    assert found.representatives.tolist() == [2]
    grid = np.array([[-1, 0, 100, 0, -1], [100, 0, 0, 0, 100]], np.int8)
    assert cluster_frontiers(grid, c_max=4).representatives.tolist() == [1]


def test_a_wall_keeps_clusters_apart():
    grid = np.array([[-1, -1, -1], [0, 100, 0], [0, 100, 0]], np.int8)
    assert cluster_frontiers(grid).owner.tolist() == [0, 1]


@settings(max_examples=examples("clusters") // 3, deadline=None)
@given(grid=grids(), min_size=st.integers(1, 5))
def test_min_size_drops_small_clusters_and_renumbers_the_rest(grid, min_size):
    every, kept = (
        cluster_frontiers(grid, c_max=2),
        cluster_frontiers(grid, c_max=2, min_size=min_size),
    )
    large = np.flatnonzero(every.sizes >= min_size)
    for name in ("sizes", "centroids", "representatives", "seeds"):
        np.testing.assert_array_equal(getattr(kept, name), getattr(every, name)[large])
    number = {old: new for new, old in enumerate(large.tolist())}
    assert kept.owner.tolist() == [number.get(k, -1) for k in every.owner.tolist()]


@settings(max_examples=examples("clusters") // 3, deadline=None)
@given(grid=grids(), data=st.data())
def test_reachable_means_that_free_space_joins_a_robot(grid, data):
    rows, cols = grid.shape
    cell = st.tuples(st.integers(0, max(rows - 1, 0)), st.integers(0, max(cols - 1, 0)))
    robots = data.draw(st.lists(cell, max_size=3)) if grid.size else []
    found = cluster_frontiers(grid, robots=robots)
    free, joined = reference.is_free(grid), set()
    for row, col in robots:
        if free[row, col]:
            joined |= reference.within(free, row * cols + col, grid.size)
    assert found.reachable.tolist() == [seed in joined for seed in found.seeds.tolist()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"grid": GRID.astype(float)}, "grid must be int8"),
        ({"grid": GRID, "c_max": -1}, "c_max must be >= 0"),
        ({"grid": GRID, "min_size": 0}, "min_size >= 1"),
        ({"grid": GRID, "robots": [(2, 0)]}, r"robots must lie on the grid of 2 x 3, got \(2, 0\)"),
        ({"grid": GRID, "robots": [(0, -1)]}, "robots must lie on the grid"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        cluster_frontiers(**arguments)


def test_nothing_found_is_empty():
    found = cluster_frontiers(np.zeros((4, 4), np.int8), robots=[(0, 0)])
    assert [len(part) for part in found] == [0] * 7
    assert found.centroids.shape == (0, 2)
