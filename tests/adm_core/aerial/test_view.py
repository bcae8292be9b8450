import math

import numpy as np
import pytest
from adm_core.aerial.estimate import Pose3
from flights import camera
from hypothesis import given
from hypothesis import strategies as st

POSE = Pose3(1.0, 2.0, 1.5, 0.7)


def test_straight_down_the_middle_is_below_and_the_top_is_ahead():
    view = camera(321)
    model = view.model
    middle, top, right = view.on_floor(
        Pose3(1.0, 2.0, 1.5, math.pi / 2),
        [(model.cx, model.cy), (model.cx, 0), (model.width - 1, model.cy)],
    )
    assert middle == pytest.approx((1.0, 2.0))
    assert top[1] > 2.0 and top[0] == pytest.approx(1.0)
    assert right[0] > 1.0 and right[1] == pytest.approx(2.0)


@given(st.floats(20, 90), st.floats(-3, 3), st.floats(0, 319), st.floats(0, 239))
def test_projecting_what_was_seen_gives_the_pixel_again(tilt, yaw, column, row):
    view = camera(tilt_deg=tilt, range_m=20.0)
    pose = POSE._replace(yaw=yaw)
    (place,) = view.on_floor(pose, (column, row), 0.1)
    if not np.isfinite(place).all():
        return
    optical = view.mount(pose).to_optical([[*place, 0.1]])
    assert view.model.project(optical)[0] == pytest.approx((column, row), abs=1e-6)


def test_above_the_horizon_there_is_no_floor():
    view = camera(tilt_deg=10)
    assert np.isnan(view.on_floor(POSE, (160, 0))).all()
    assert np.isfinite(view.on_floor(POSE, (160, 239))).all()


@pytest.mark.parametrize("tilt", [90, 45, 12])
def test_the_footprint_holds_what_the_picture_shows_and_nothing_behind(tilt):
    view = camera(tilt_deg=tilt)
    area = view.footprint(POSE)
    rng = np.random.default_rng(0)
    pixels = rng.uniform((2, 2), (317, 237), (400, 2))
    places = view.on_floor(POSE, pixels)
    seen = [tuple(place) for place in places if np.isfinite(place).all()]
    away = [math.dist(place, POSE[:2]) for place in seen]
    near = [place for place, far in zip(seen, away, strict=True) if far < 0.9 * max(away)]
    assert near and all(area.covers(*place) for place in near)
    behind = (POSE.x - 3 * math.cos(POSE.yaw), POSE.y - 3 * math.sin(POSE.yaw))
    assert not area.covers(*behind)


def test_a_camera_that_sees_no_floor_is_refused():
    with pytest.raises(ValueError, match="no floor"):
        camera(tilt_deg=5, range_m=0.5).swath(3.0)
