import itertools

import numpy as np
import pytest
from adm_core.search.baselines.pair_routing import measure, route_pair
from adm_core.search.baselines.pair_search import PairSearch
from hypothesis import given, settings
from hypothesis import strategies as st


def make_problem(seed, size):
    rng = np.random.default_rng(seed)
    points = rng.uniform(0, 80, (size + 2, 2))
    ways = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    return ways[size:, :size].copy(), ways[:size, :size].copy(), rng.integers(1, 99, size) * 1.0


def all_divisions(start, link, demand, capacity):
    tasks = range(len(demand))
    for order in itertools.permutations(tasks):
        for cut in range(len(demand) + 1):
            parts = (np.array(order[:cut], np.int64), np.array(order[cut:], np.int64))
            yield measure(parts, start, link, demand, capacity)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 5), st.sampled_from([0.5, 0.6, 0.75, 1.0]))
def test_small_divisions_are_the_best_of_all(seed, size, share):
    start, link, demand = make_problem(seed, size)
    capacity = share * demand.sum()
    found = route_pair(start, link, demand, capacity)
    best = min((r.excess, r.cost) for r in all_divisions(start, link, demand, capacity))
    assert (found.excess, found.cost) == pytest.approx(best, abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(11, 40))
def test_large_divisions_hold_every_task_once_and_keep_the_capacity(seed, size):
    start, link, demand = make_problem(seed, size)
    found = route_pair(start, link, demand, 0.75 * demand.sum())
    assert sorted(np.concatenate(found[:2]).tolist()) == list(range(size))
    assert found.excess == 0.0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(11, 25))
def test_a_large_division_is_never_worse_than_the_one_before(seed, size):
    start, link, demand = make_problem(seed, size)
    capacity = 0.75 * demand.sum()
    order = np.random.default_rng(seed).permutation(size)
    previous = order[: size // 3], order[size // 3 :]
    before = measure(previous, start, link, demand, capacity)
    found = route_pair(start, link, demand, capacity, previous)
    assert (found.excess, found.cost) <= (before.excess + 1e-9, before.cost + 1e-9) or (
        found.excess < before.excess
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_every_move_of_the_local_search_gains_what_it_says(seed):
    start, link, demand = make_problem(seed, 9)
    search = PairSearch(start, link, demand, 0.6 * demand.sum())
    order = np.random.default_rng(seed).permutation(9)
    routes = [search._route(0, order[:5]), search._route(1, order[5:])]
    moves = [search._relocation(routes), search._exchange(routes)]
    moves += [search._reversal(routes, robot) for robot in (0, 1)]
    for gain, changed in moves:
        assert search._value(changed) - search._value(routes) == pytest.approx(gain, abs=1e-6)


def test_the_local_search_comes_close_to_the_best():
    ratios = []
    for seed in range(20):
        start, link, demand = make_problem(seed, 9)
        capacity = 0.75 * demand.sum()
        best = route_pair(start, link, demand, capacity)
        routes = PairSearch(start, link, demand, capacity).run(None)
        ratios.append(measure(routes, start, link, demand, capacity).cost / best.cost)
    assert np.mean(ratios) < 1.05


def test_a_single_task_goes_to_the_nearer_robot():
    found = route_pair(np.array([[5.0], [3.0]]), np.zeros((1, 1)), np.ones(1), 0.75)
    assert found.first.tolist() == [] and found.second.tolist() == [0]


def test_no_task_gives_empty_routes():
    found = route_pair(np.zeros((2, 0)), np.zeros((0, 0)), np.zeros(0), 0.0)
    assert [len(part) for part in found[:2]] == [0, 0] and found.cost == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": np.zeros((3, 2))}, "start"),
        ({"link": np.zeros((2, 3))}, "link"),
        ({"link": np.array([[0.0, 1.0], [2.0, 0.0]])}, "symmetric"),
        ({"demand": np.array([1.0, -1.0])}, "demand"),
        ({"demand": np.array([1.0, np.nan])}, "finite"),
        ({"capacity": -1.0}, "capacity"),
        ({"previous": (np.array([0]), np.array([0]))}, "previous"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    arguments = {
        "start": np.ones((2, 2)), "link": np.zeros((2, 2)), "demand": np.ones(2), "capacity": 2.0,
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        route_pair(**{**arguments, **change})
