import math

import numpy as np
import pytest
from adm_core.aerial.geofence import Geofence, parse_corners
from hypothesis import given
from hypothesis import strategies as st

SQUARE = Geofence(((0, 0), (3, 0), (3, 3), (0, 3)), 2.0)
ELL = Geofence(((0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)), 2.0)
inside = st.floats(0.01, 3.99)


@pytest.mark.parametrize(
    ("corners", "ceiling"),
    [
        (((0, 0), (1, 0)), 2.0),  # no area
        (((0, 0), (1, 0), (float("nan"), 1)), 2.0),  # not finite
        (((0, 0), (1, 1), (1, 0), (0, 1)), 2.0),  # crosses itself
        (((0, 0), (1, 0), (1, 1)), 0.0),  # no height
        (((0, 0, 0), (1, 0, 0), (1, 1, 0)), 2.0),  # not planar
    ],
)
def test_what_is_no_fence_is_refused(corners, ceiling):
    with pytest.raises(ValueError, match="corners"):
        Geofence(corners, ceiling)


def test_clearance_is_the_distance_to_the_nearest_side_and_negative_outside():
    assert SQUARE.clearance((1.0, 1.5)) == pytest.approx(1.0)
    assert SQUARE.clearance((4.0, 4.0)) == pytest.approx(-math.sqrt(2))
    assert ELL.clearance((2.0, 2.0)) == pytest.approx(-1.0)


def test_the_ceiling_counts():
    assert SQUARE.contains((1, 1), 2.0)
    assert not SQUARE.contains((1, 1), 2.1)
    assert not SQUARE.contains((0.1, 1), 1.0, margin_m=0.2)


def test_a_leg_across_a_corner_is_not_held_though_both_ends_are_inside():
    assert not ELL.holds((0.5, 3.5), (3.5, 0.5), 0.1)
    assert ELL.holds((0.5, 3.5), (0.5, 0.5), 0.1)


def test_a_leg_may_lead_away_from_a_fence_that_is_too_near():
    assert SQUARE.holds((0.1, 1.0), (1.0, 1.0), 0.5)
    assert not SQUARE.holds((0.1, 1.0), (0.05, 1.0), 0.5)


@given(inside, inside, inside, inside, st.floats(0.0, 0.4))
def test_a_held_leg_keeps_its_margin_all_the_way(ax, ay, bx, by, margin):
    if not ELL.holds((ax, ay), (bx, by), margin):
        return
    least = min(margin, ELL.clearance((ax, ay)))
    for share in np.linspace(0, 1, 41):
        at = (ax + share * (bx - ax), ay + share * (by - ay))
        assert ELL.clearance(at) >= least - 1e-6


@given(inside, inside, st.floats(0.0, 0.45))
def test_a_place_that_is_drawn_in_keeps_the_margin_and_outside_there_is_none(x, y, margin):
    spot = ELL.drawn_in((x, y), margin)
    if ELL.clearance((x, y)) < -1e-6:
        assert spot is None or margin == 0
    elif spot is not None:
        assert ELL.clearance(spot) >= margin - 1e-6


def test_a_place_far_inside_is_not_moved():
    assert SQUARE.drawn_in((1.0, 1.2), 0.5) == (1.0, 1.2)
    assert SQUARE.drawn_in((0.1, 2.9), 0.5) == pytest.approx((0.5, 2.5), abs=1e-5)


def test_corners_are_read_from_text():
    assert parse_corners("0,0 3,0.5 3,3") == ((0.0, 0.0), (3.0, 0.5), (3.0, 3.0))
    with pytest.raises(ValueError, match="fence"):
        parse_corners("0 1 2")
