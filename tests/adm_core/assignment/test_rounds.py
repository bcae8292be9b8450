import math

import numpy as np
import pytest
from adm_core._kernels import reference_assignment as reference
from adm_core.assignment import assign_rounds
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linear_sum_assignment
from sizes import examples

# Few different whole costs: ties everywhere.
TIED = st.sampled_from([0.0, 1.0, 1.0, 2.0, 5.0, -1.0])
SHAPES = st.tuples(st.integers(0, 4), st.integers(0, 5))


def check(cost):
    got = assign_rounds(cost)
    owner, rounds = reference.assign_rounds(cost)
    assert got.owner.tolist() == owner
    assert got.round.tolist() == rounds


@settings(max_examples=examples("assignment"), deadline=None)
@given(cost=SHAPES.flatmap(lambda s: arrays(np.float64, s, elements=TIED)))
def test_rounds_equal_enumeration_with_ties_to_the_lowest_ids(cost):
    check(cost)


@settings(max_examples=examples("assignment"), deadline=None)
@given(
    cost=SHAPES.flatmap(
        lambda s: arrays(np.float64, s, elements=st.sampled_from([0.0, 1.0, 2.0, math.inf]))
    )
)
def test_impossible_pairs_are_left_out(cost):
    check(cost)


@settings(max_examples=examples("assignment"), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), robots=st.integers(1, 30), tasks=st.integers(1, 120))
def test_each_round_costs_as_little_as_scipy_finds(seed, robots, tasks):
    rng = np.random.default_rng(seed)
    points = [rng.random((count, 2)) * 100 for count in (robots, tasks)]
    cost = np.abs(points[0][:, None] - points[1][None]).sum(2)
    if seed % 2:
        cost = np.round(cost / 10) * 10.0
    owner, rounds = assign_rounds(cost)
    left = np.arange(tasks)
    for step in range(rounds.max() + 1):
        given = left[rounds[left] == step]
        rows, cols = linear_sum_assignment(cost[:, left])
        assert len(given) == len(rows)
        assert len(set(owner[given].tolist())) == len(given)
        got = cost[owner[given], given].sum()
        assert got == pytest.approx(cost[rows, left[cols]].sum(), rel=1e-9, abs=1e-9)
        left = left[rounds[left] != step]
    assert len(left) == 0


def test_a_robot_gets_one_task_a_round():
    cost = np.array([[1.0, 2.0, 3.0]])
    got = assign_rounds(cost)
    assert got.owner.tolist() == [0, 0, 0]
    assert got.round.tolist() == [0, 1, 2]


def test_more_robots_than_tasks():
    cost = np.array([[9.0], [3.0], [3.0]])
    assert assign_rounds(cost).owner.tolist() == [1]


def test_an_impossible_task_has_no_owner():
    cost = np.array([[1.0, math.inf], [2.0, math.inf]])
    got = assign_rounds(cost)
    assert got.owner.tolist() == [0, -1]
    assert got.round.tolist() == [0, -1]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_nothing_to_assign_is_an_empty_result(shape):
    got = assign_rounds(np.zeros(shape))
    assert got.owner.tolist() == [-1] * shape[1]


def test_equal_costs_everywhere():
    got = assign_rounds(np.ones((5, 23)))
    assert got.owner.tolist() == [task % 5 for task in range(23)]
    assert got.round.tolist() == [task // 5 for task in range(23)]


def test_views_with_strides_are_read_as_they_look():
    cost = np.random.default_rng(0).random((6, 40))
    want = assign_rounds(np.ascontiguousarray(cost[::-2, ::3]))
    assert assign_rounds(cost[::-2, ::3]).owner.tolist() == want.owner.tolist()


@pytest.mark.parametrize(
    "cost",
    [
        np.ones((2, 3), np.float32),
        np.ones((2, 3), np.int64),
        np.ones(3),
        [[1.0, 2.0]],
        np.array([[1.0, math.nan]]),
        np.array([[1.0, -math.inf]]),
    ],
)
def test_bad_cost_is_named(cost):
    with pytest.raises(ValueError, match="cost must"):
        assign_rounds(cost)
