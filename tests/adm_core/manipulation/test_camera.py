import math

import numpy as np
import pytest
from adm_core.manipulation.camera import Intrinsics, Mount
from hypothesis import given
from hypothesis import strategies as st

CAMERA = Intrinsics(640, 480, 615.0, 612.0, 321.5, 238.0)


@given(st.floats(0, 639), st.floats(0, 479), st.floats(0.1, 10))
def test_a_pixel_comes_back_through_its_point(column, row, depth):
    point = CAMERA.back_project(np.array([column]), np.array([row]), np.array([depth]))
    assert point[0, 2] == depth
    assert CAMERA.project(point)[0] == pytest.approx([column, row], abs=1e-6)


def test_the_view_angle_is_that_of_the_outer_edges():
    camera = Intrinsics.from_view(160, 120, math.radians(90))
    edge = camera.back_project(np.array([-0.5]), np.array([59.5]), np.array([1.0]))[0]
    assert edge == pytest.approx([-1.0, 0.0, 1.0])


def test_a_mount_goes_there_and_back():
    rotation = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    mount = Mount(rotation, np.array([0.1, 0.2, 0.3]))
    assert mount.to_frame([0.0, 0.0, 1.0]) == pytest.approx([1.1, 0.2, 0.3])  # ahead is x
    points = np.random.default_rng(0).normal(size=(5, 3))
    assert mount.to_optical(mount.to_frame(points)) == pytest.approx(points)


@pytest.mark.parametrize(
    "values",
    [(0, 480, 600, 600, 0, 0), (640, -1, 600, 600, 0, 0), (640, 480, 0, 600, 0, 0),
     (640, 480, 600, math.nan, 0, 0), (640, 480, 600, 600, math.inf, 0)],
)  # fmt: skip
def test_senseless_intrinsics_are_refused(values):
    with pytest.raises(ValueError, match="must be"):
        Intrinsics(*values)


@pytest.mark.parametrize("angle", [0.0, math.pi, -1.0, math.nan])
def test_a_senseless_view_is_refused(angle):
    with pytest.raises(ValueError, match="horizontal_rad"):
        Intrinsics.from_view(10, 10, angle)
