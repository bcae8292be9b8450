import math

import numpy as np
import pytest
from adm_core.aerial.estimate import (
    Pose3,
    Whereabouts,
    corrected,
    hovered,
    moved,
    standing,
)
from hypothesis import given
from hypothesis import strategies as st

START = standing(1.0, 2.0, math.pi / 2, 0.05, 0.02)
short = st.floats(-2, 2)


def test_motion_is_in_the_drones_own_frame():
    there = moved(START, 1.0, 0.5, 0.05, 0.0)
    assert there.pose == pytest.approx((0.5, 3.0, 0.0, math.pi / 2))


def test_uncertainty_is_that_of_many_drones_that_flew():
    rng = np.random.default_rng(3)
    error, turn = 0.08, 0.03
    known = START
    x, y, yaw = (rng.normal(mean, 0.05, 40_000) for mean in (1.0, 2.0, 0.0))
    yaw = math.pi / 2 + rng.normal(0, 0.02, 40_000)
    for ahead, left in [(1.0, 0.0), (0.0, 1.0), (1.0, 0.5)]:
        known = moved(known, ahead, left, error, turn)
        length = math.hypot(ahead, left)
        x = x + np.cos(yaw) * ahead - np.sin(yaw) * left + rng.normal(0, error * length, len(x))
        y = y + np.sin(yaw) * ahead + np.cos(yaw) * left + rng.normal(0, error * length, len(x))
        yaw = yaw + rng.normal(0, turn * length, len(x))
    sample = np.cov(np.stack([x, y, yaw]))
    assert known.covariance == pytest.approx(sample, abs=0.03 * sample[0, 0])


def test_an_unanswered_motion_may_have_ended_anywhere_on_its_way():
    unsure = moved(START, 1.2, 0.0, 0.0, 0.0, unsure=True)
    assert unsure.pose[:2] == pytest.approx((1.0, 2.6))
    assert unsure.doubt_m == pytest.approx(0.6)
    twice = moved(unsure, 1.0, 0.0, 0.0, 0.0, unsure=True)
    assert twice.doubt_m == pytest.approx(1.1)  # both may have happened: no square root
    assert corrected(twice, standing(1.0, 4.2, math.pi / 2, 0.02, 0.02)).doubt_m == 0.0
    assert corrected(twice, standing(1.0, 4.2, math.pi / 2, 0.02, 0.02)).pose.y > 4.1
    grown = unsure.covariance - START.covariance
    assert grown[1, 1] == pytest.approx(1.2**2 / 12, rel=0.01)


def test_hovering_spreads_the_place_and_never_sharpens_it():
    assert hovered(START, 4.0, 0.1).sigma_m == pytest.approx(math.hypot(0.05, 0.2))
    assert hovered(START, -1.0, 0.1).sigma_m == START.sigma_m


@given(short, short, st.floats(-3, 3))
def test_a_correction_lies_between_and_is_never_less_certain(dx, dy, turn):
    seen = Whereabouts(
        Pose3(1.0 + dx, 2.0 + dy, 0.0, math.pi / 2 + turn), np.diag([0.01, 0.01, 0.001])
    )
    after = corrected(START, seen)
    assert np.linalg.eigvalsh(after.covariance)[0] > 0
    assert after.sigma_m <= min(START.sigma_m, seen.sigma_m) + 1e-12
    assert math.dist(after.pose[:2], (1, 2)) <= math.hypot(dx, dy) + 1e-9


def test_a_correction_goes_the_short_way_round():
    known = standing(0, 0, math.pi - 0.05, 0.1, 0.1)
    seen = standing(0, 0, -math.pi + 0.05, 0.1, 0.1)
    assert abs(corrected(known, seen).pose.yaw) == pytest.approx(math.pi)
