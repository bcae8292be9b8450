import numpy as np
import pytest
from adm_core.experiments.statistics import paired_difference, wilson
from hypothesis import given
from hypothesis import strategies as st

# From the closed form, evaluated independently.
KNOWN = [
    (62, 100, 0.5221, 0.7090),
    (97, 100, 0.9155, 0.9897),
    (100, 100, 0.9630, 1.0),
    (0, 10, 0.0, 0.2775),
]


@pytest.mark.parametrize(("successes", "trials", "low", "high"), KNOWN)
def test_wilson_gives_the_known_intervals(successes, trials, low, high):
    estimate = wilson(successes, trials)
    assert estimate.value == successes / trials
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=6e-5)


@given(st.integers(1, 500), st.data())
def test_wilson_holds_the_share_and_stays_within_0_and_1(trials, data):
    estimate = wilson(data.draw(st.integers(0, trials)), trials)
    assert 0.0 <= estimate.low <= estimate.value <= estimate.high <= 1.0


@pytest.mark.parametrize(("successes", "trials"), [(-1, 5), (6, 5), (0, 0)])
def test_impossible_counts_are_refused(successes, trials):
    with pytest.raises(ValueError, match="trials"):
        wilson(successes, trials)


def test_the_bootstrap_interval_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(200):
        sample = rng.normal(0.3, 1.0, 60)
        estimate = paired_difference(sample, np.zeros(60), rng, resamples=500)
        hits += estimate.low <= 0.3 <= estimate.high
    assert 0.88 <= hits / 200 <= 0.99


def test_pairs_are_kept_together():
    level = np.arange(50.0)
    estimate = paired_difference(level + 2.0, level, np.random.default_rng(0))
    assert tuple(estimate) == (2.0, 2.0, 2.0)


def test_the_same_generator_gives_the_same_interval():
    a, b = np.random.default_rng(5).random((2, 300))
    first, second = (paired_difference(a, b, np.random.default_rng(7)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("a", "b"), [([], []), ([1.0], [1.0, 2.0])])
def test_unpaired_values_are_refused(a, b):
    with pytest.raises(ValueError, match="a and b"):
        paired_difference(a, b, np.random.default_rng(0))
