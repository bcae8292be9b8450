import math

import numpy as np
import pytest
from adm_core._kernels import reference_assignment as reference
from adm_core.assignment import order_open_path
from adm_core.assignment.tours import EXACT
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import examples


def distances(size, seed, whole=False):
    points = np.random.default_rng(seed).random((size, 2)) * 100
    points = np.round(points / 20) * 20 if whole else points
    return np.abs(points[:, None] - points[None]).sum(2)


def assert_path(order, size, start):
    assert order[0] == start
    assert sorted(order.tolist()) == list(range(size))


@settings(max_examples=examples("tours"), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 8), whole=st.booleans())
def test_short_paths_are_the_shortest(seed, size, whole):
    dist = distances(size, seed, whole)
    start = seed % size
    order = order_open_path(dist, start)
    assert_path(order, size, start)
    best = reference.shortest_open_path(dist, start)
    assert reference.open_path_length(dist, order) == pytest.approx(best, rel=1e-12, abs=1e-12)


@settings(max_examples=examples("tours"), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 60), whole=st.booleans())
def test_every_point_is_visited_once_and_trials_never_lengthen_the_path(seed, size, whole):
    dist = distances(size, seed, whole)
    start = seed % size
    lengths = []
    for trials in (0, 20, 200):
        order = order_open_path(dist, start, trials=trials)
        assert_path(order, size, start)
        lengths.append(reference.open_path_length(dist, order) + 1e-6)
    assert lengths[1] <= lengths[0] + 1e-6
    assert lengths[2] <= lengths[1] + 1e-6


@pytest.mark.parametrize("seed", range(6))
def test_search_finds_what_enumeration_proves(seed):
    """Twelve points in a row of clusters: exact, and again by the search of larger problems."""
    dist = distances(EXACT, seed)
    exact = reference.open_path_length(dist, order_open_path(dist, 3))
    # One more point beside the last one makes it a job for the local search.
    far = np.zeros((EXACT + 1, EXACT + 1))
    far[:EXACT, :EXACT] = dist
    far[EXACT, :EXACT] = far[:EXACT, EXACT] = dist[3]
    found = order_open_path(far, 3, trials=500)
    assert reference.open_path_length(far, found) == pytest.approx(exact)


def test_points_on_a_line_are_visited_in_order():
    at = np.random.default_rng(1).permutation(60).astype(np.float64)
    order = order_open_path(np.abs(at[:, None] - at[None]), int(np.argmin(at)))
    assert at[order].tolist() == sorted(at.tolist())


def test_a_start_in_the_middle_takes_the_short_arm_first():
    at = np.arange(-10.0, 31.0)
    dist = np.abs(at[:, None] - at[None])
    order = order_open_path(dist, 10)
    assert reference.open_path_length(dist, order) == 10 + 40


def test_two_hundred_points_come_within_two_percent_of_a_long_search():
    dist = distances(200, 7)
    quick = reference.open_path_length(dist, order_open_path(dist))
    long = reference.open_path_length(dist, order_open_path(dist, trials=8000))
    assert quick <= 1.02 * long


def test_the_same_input_gives_the_same_path():
    dist = distances(90, 3, whole=True)
    np.testing.assert_array_equal(order_open_path(dist), order_open_path(dist.copy()))


def test_points_in_one_place():
    assert_path(order_open_path(np.zeros((30, 30)), 4), 30, 4)


def test_no_points_is_an_empty_path():
    assert order_open_path(np.zeros((0, 0))).tolist() == []


SQUARE = distances(5, 0)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"dist": SQUARE.astype(np.float32)}, "dist"),
        ({"dist": SQUARE[:3]}, "dist .*square"),
        ({"dist": SQUARE[0]}, "dist"),
        ({"dist": SQUARE.tolist()}, "dist"),
        ({"dist": SQUARE * np.arange(5)}, "dist .*symmetric"),
        ({"dist": SQUARE * math.nan}, "dist .*NaN"),
        ({"dist": -SQUARE}, "dist .*>= 0"),
        ({"dist": SQUARE + np.full((5, 5), math.inf)}, "dist .*finite"),
        ({"start": 5}, "start"),
        ({"start": -1}, "start"),
        ({"trials": -1}, "trials"),
    ],
)
def test_bad_argument_is_named(arguments, named):
    with pytest.raises(ValueError, match=named):
        order_open_path(**{"dist": SQUARE, **arguments})
