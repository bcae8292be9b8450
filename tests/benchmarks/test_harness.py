"""The harness must notice a kernel that is wrong by one, and a case that nobody plugged in."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MODULES = [path.stem for path in BENCHMARKS.glob("*.py")]


@pytest.fixture
def bench_modules(monkeypatch):
    """Import the benchmark scripts with every optional peer left out."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    run = importlib.import_module("run")
    run.without_peers()
    yield SimpleNamespace(
        **{name: importlib.import_module(name) for name in MODULES if name in sys.modules}
    )
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.fixture
def x():
    rng = np.random.default_rng(3)
    grid = np.kron(rng.choice([-1, 0, 0, 0, 100], (12, 12)), np.ones((8, 8))).astype(np.int8)
    labels = np.kron(rng.integers(1, 4, (12, 12)), np.ones((8, 8))).astype(np.uint8)
    return SimpleNamespace(grid=grid, labels=labels, sources=np.flatnonzero(grid == 0)[:2])


def one_depth_more(m, right):
    return lambda x, c_max: right(x, c_max + 1)


def last_cell_lost(m, right):
    return lambda x: right(x)[:-1]


def one_column_over(m, right):
    return lambda x: np.roll(right(x), 1, axis=1)


def one_step_more(m, right):
    return lambda x: np.where(right(x) > 0, right(x) + 1, right(x))


def one_edge_lost(m, right):
    return lambda x: (*right(x)[:2], right(x)[2][1:])


def rooms_split_by_a_column(m, right):
    def wrong(x):
        labels, count, edges = right(x)
        return np.where(np.arange(labels.shape[1]) > 50, labels, 0), count, edges

    return wrong


CASES = [
    ("case_rooms", "rooms", one_edge_lost),
    ("case_rooms", "rooms", rooms_split_by_a_column),
    ("case_mask", "mask", one_column_over),
    ("case_list", "cells", last_cell_lost),
    ("case_clusters", "clusters", one_depth_more),
    ("case_distance", "distance", one_step_more),
]


def run_case(m, case, x):
    bench = m.harness.Bench(repeat=1, budget=0.1)
    depth = (3,) if case == "case_clusters" else ()
    getattr(m.cases_map, case)(bench, "small", x, 1, *depth)
    return bench


@pytest.mark.parametrize(("case", "name", "break_it"), CASES)
def test_a_kernel_that_is_wrong_by_one_is_reported(
    bench_modules, x, monkeypatch, case, name, break_it
):
    m = bench_modules
    right = run_case(m, case, x)
    assert right.checks and not right.different() and not right.unchecked()
    monkeypatch.setattr(m.adm, name, break_it(m, getattr(m.adm, name)))
    wrong = run_case(m, case, x)
    assert any(peer == m.harness.OURS for _, _, peer in wrong.different())
    assert m.run.verdict(wrong) == 1


def test_a_ranking_that_is_off_by_one_is_reported(bench_modules, monkeypatch):
    m = bench_modules
    right = m.adm.top_k
    monkeypatch.setattr(m.adm, "top_k", lambda x: right(x) + 1)
    bench = m.harness.Bench(repeat=1, budget=0.1)
    m.cases_lists.case_top_k(bench, 100, 1)
    assert bench.different() == [("D", "100", m.harness.OURS)]


def test_an_assignment_to_the_next_robot_is_reported(bench_modules, monkeypatch):
    m = bench_modules
    right = m.adm.assign
    monkeypatch.setattr(m.adm, "assign", lambda x: ((right(x)[0] + 1) % 3, None))
    bench = m.harness.Bench(repeat=1, budget=0.1)
    m.cases_lists.case_assign(bench, 3, 9, 1)
    assert bench.different() == [("E", "3x9", m.harness.OURS)]


def test_a_tracker_that_misses_a_change_is_reported(bench_modules, x, monkeypatch):
    m = bench_modules
    tracker = m.adm.load("I")(x.grid, x.labels, c_max=20)
    assert m.case_window.same_state(tracker, x.grid, x.labels, 20)
    grid = x.grid.copy()
    grid[40, 40] = 100 if grid[40, 40] == 0 else 0
    assert not m.case_window.same_state(tracker, grid, x.labels, 20)


def test_a_case_without_a_row_of_ours_fails_the_run(bench_modules, x, monkeypatch):
    m = bench_modules
    monkeypatch.setattr(m.adm, "has_adm", lambda case: False)
    bench = run_case(m, "case_list", x)
    assert bench.unchecked() == [("A-list", "small")]
    assert m.run.verdict(bench) == 1


def test_every_case_is_plugged_in(bench_modules):
    missing = [case for case in bench_modules.adm.NEEDS if not bench_modules.adm.has_adm(case)]
    assert missing == []


def test_a_path_that_misses_its_start_is_reported(bench_modules, monkeypatch):
    m = bench_modules
    right = m.adm.order
    monkeypatch.setattr(m.adm, "order", lambda x: right(x)[::-1])
    bench = m.harness.Bench(repeat=1, budget=0.1)
    monkeypatch.setattr(m.cases_lists, "order_peers", lambda dist, n: [("start", lambda: range(n))])
    m.cases_lists.case_order(bench, 9, 1)
    assert bench.different() == [("E2", "9", m.harness.OURS)]
