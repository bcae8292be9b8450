import math

import pytest
from adm_core.memory.footprint import WHOLE_FIELD, Footprint
from hypothesis import given
from hypothesis import strategies as st

FINITE = st.floats(-50, 50)


@given(FINITE, FINITE)
def test_the_whole_field_covers_everything(x, y):
    assert WHOLE_FIELD.covers(x, y)


@given(FINITE, FINITE, st.floats(0, 20))
def test_a_disc_covers_what_is_within_its_radius(x, y, radius):
    assert Footprint(1.0, 2.0, radius).covers(x, y) == (math.hypot(x - 1, y - 2) <= radius)


@given(FINITE, FINITE)
def test_a_square_covers_its_inside(x, y):
    square = Footprint(corners=((-10, -20), (30, -20), (30, 5), (-10, 5)))
    if abs(x + 10) > 1e-9 and abs(x - 30) > 1e-9 and abs(y + 20) > 1e-9 and abs(y - 5) > 1e-9:
        assert square.covers(x, y) == (-10 < x < 30 and -20 < y < 5)


def test_a_polygon_may_be_concave():
    bay = Footprint(corners=((0, 0), (4, 0), (4, 4), (2, 1), (0, 4)))
    assert bay.covers(2, 0.5)
    assert not bay.covers(2, 2)


@pytest.mark.parametrize("fields", [{"corners": ((0, 0), (1, 1))}, {"radius_m": -1.0}])
def test_an_impossible_footprint_is_refused(fields):
    with pytest.raises(ValueError, match="must be"):
        Footprint(**fields)
