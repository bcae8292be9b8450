import threading

import numpy as np
import pytest
from adm_core.grid import _threads, cluster_frontiers, find_frontiers, frontier_cells
from adm_core.rooms import build_area_graph, label_rooms
from grids import grids
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sizes import examples


@pytest.fixture(autouse=True)
def threads_pay_on_small_grids(monkeypatch):
    monkeypatch.setattr(_threads, "CELLS_PER_THREAD", 1)
    monkeypatch.setattr(_threads, "LIGHT_CELLS_PER_THREAD", 1)


def same(one, many):
    for a, b in zip(one, many, strict=True):
        np.testing.assert_array_equal(a, b)


@settings(
    max_examples=examples("rooms") // 5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    grid=grids(),
    threads=st.integers(2, 5),
    border=st.booleans(),
    kinds=st.integers(1, 3),
    c_max=st.sampled_from([0, 3, 10, 20]),
    wide=st.sampled_from([np.uint8, np.uint16]),
)
def test_threads_change_nothing(grid, threads, border, kinds, c_max, wide):
    options = {"border_is_unknown": border}
    same([find_frontiers(grid, **options)], [find_frontiers(grid, threads=threads, **options)])
    same([frontier_cells(grid, **options)], [frontier_cells(grid, threads=threads, **options)])
    one = cluster_frontiers(grid, c_max=c_max, **options)
    same(one[:-1], cluster_frontiers(grid, c_max=c_max, threads=threads, **options)[:-1])
    cells = np.arange(grid.size).reshape(grid.shape)
    types = (cells * 7919 % 11 % (kinds + 1)).astype(wide)
    one, many = (label_rooms(grid, types, threads=n) for n in (1, threads))
    for name in ("labels", "types", "areas", "first_cells", "boxes", "edges"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name), err_msg=name)
    shared = many.overlaps(one)
    assert shared[:, 0].tolist() == shared[:, 1].tolist() == list(range(1, len(one) + 1))


def test_the_graph_is_the_same_with_threads():
    rng = np.random.default_rng(0)
    grid = np.kron(rng.choice([-1, 0, 0, 100], (9, 9)), np.ones((7, 7))).astype(np.int8)
    types = np.kron(rng.integers(0, 3, (9, 9)), np.ones((7, 7))).astype(np.uint8)
    one, many = (build_area_graph(grid, types, threads=n) for n in (1, 4))
    assert one.nodes == many.nodes


@pytest.mark.parametrize(
    ("shape", "threads", "want"),
    [
        ((10, 4), 1, [(0, 10)]),
        ((10, 4), 3, [(0, 3), (3, 6), (6, 10)]),
        ((2, 4), 8, [(0, 1), (1, 2)]),
        ((0, 4), 2, [(0, 0)]),
        ((4, 0), 2, [(0, 4)]),
    ],
)
def test_strips_cover_the_rows(shape, threads, want):
    assert _threads.strips(shape, threads) == want


def test_small_grids_get_one_thread(monkeypatch):
    monkeypatch.setattr(_threads, "CELLS_PER_THREAD", 1 << 20)
    assert len(_threads.strips((1000, 1000), 8)) == 1
    assert len(_threads.strips((4000, 4000), 8)) == 8


def test_an_error_in_any_strip_is_raised_after_all_have_ended():
    ended = threading.Event()

    def call(first, end):
        if first == 2:
            raise MemoryError("out")
        ended.set()

    with pytest.raises(MemoryError, match="out"):
        _threads.run_strips(call, [(0, 2), (2, 4)])
    assert ended.is_set()


@pytest.mark.parametrize("function", [find_frontiers, frontier_cells, cluster_frontiers])
@pytest.mark.parametrize("threads", [0, -1, 1.5, None])
def test_bad_numbers_of_threads_are_named(function, threads):
    with pytest.raises(ValueError, match=r"threads must be a whole number >= 1, got"):
        function(np.zeros((3, 3), np.int8), threads=threads)
