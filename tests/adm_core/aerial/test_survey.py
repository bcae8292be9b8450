import math
from itertools import pairwise

import pytest
from adm_core.aerial.geofence import Geofence
from adm_core.aerial.survey import lawn_mower, split_leg
from hypothesis import given
from hypothesis import strategies as st

SQUARE = Geofence(((0, 0), (3, 0), (3, 3), (0, 3)), 2.0)
LONG = Geofence(((0, 0), (1.2, 0), (1.2, 6), (0, 6)), 2.0)
U = Geofence(((0, 0), (5, 0), (5, 3), (4, 3), (4, 1), (1, 1), (1, 3), (0, 3)), 2.0)


@pytest.mark.parametrize("fence", [SQUARE, LONG, U])
def test_every_place_a_camera_can_reach_is_near_a_way_point(fence):
    places = lawn_mower(fence, 0.3, 0.7, 0.7)
    assert places
    x0, x1, y0, y1 = fence.box
    for i in range(40):
        for j in range(40):
            at = (x0 + (x1 - x0) * i / 39, y0 + (y1 - y0) * j / 39)
            if fence.clearance(at) >= 0.3:
                assert min(math.dist(at, place) for place in places) <= 0.7


@pytest.mark.parametrize("fence", [SQUARE, LONG, U])
def test_way_points_keep_the_margin(fence):
    assert min(fence.clearance(at) for at in lawn_mower(fence, 0.3, 0.6, 0.6)) >= 0.3 - 1e-6


def test_rows_are_flown_to_and_fro_along_the_longer_side():
    places = lawn_mower(LONG, 0.2, 0.8, 1.0)
    steps = [math.dist(a, b) for a, b in pairwise(places)]
    assert max(steps) <= 1.0 + 1e-9
    assert {round(x, 3) for x, _ in places} == {0.2, 1.0}


def test_a_fence_without_room_gives_no_way_points():
    assert lawn_mower(SQUARE, 2.0, 0.5, 0.5) == ()


@pytest.mark.parametrize(("row", "step"), [(0.0, 1.0), (1.0, -1.0), (float("nan"), 1.0)])
def test_distances_must_be_positive(row, step):
    with pytest.raises(ValueError, match="must be > 0"):
        lawn_mower(SQUARE, 0.1, row, step)


@given(st.floats(-5, 5), st.floats(-5, 5), st.floats(0.3, 2.0))
def test_a_leg_is_split_into_equal_parts_that_end_at_its_end(x, y, longest):
    parts = split_leg((0.0, 0.0), (x, y), longest, 0.2)
    if math.hypot(x, y) < 0.2:
        assert parts == ()
        return
    assert parts[-1] == pytest.approx((x, y))
    lengths = [math.dist(a, b) for a, b in zip(((0.0, 0.0), *parts), parts, strict=False)]
    assert max(lengths) <= longest + 1e-9
    assert max(lengths) - min(lengths) < 1e-9


def test_the_longest_part_may_not_be_shorter_than_the_shortest():
    with pytest.raises(ValueError, match="max_leg_m"):
        split_leg((0, 0), (1, 0), 0.1, 0.2)
