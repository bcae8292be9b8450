"""Yaw and quaternion agree with transforms3d."""

import math

import pytest
from adm_nodes.common import geometry
from hypothesis import given
from hypothesis import strategies as st

euler = pytest.importorskip("transforms3d.euler")

PAIRS = [
    (geometry._quaternion_from_yaw, geometry._yaw_from_quaternion),
    (geometry.quaternion_from_yaw, geometry.yaw_from_quaternion),
]


@pytest.mark.parametrize("to_quaternion", [pair[0] for pair in PAIRS])
@given(st.floats(-10.0, 10.0))
def test_quaternion_from_yaw(to_quaternion, yaw):
    w, x, y, z = euler.euler2quat(0.0, 0.0, yaw)
    assert to_quaternion(yaw) == pytest.approx((x, y, z, w), abs=1e-12)


@pytest.mark.parametrize("to_yaw", [pair[1] for pair in PAIRS])
@given(st.floats(-math.pi, math.pi), st.floats(-0.7, 0.7), st.floats(-0.7, 0.7))
def test_yaw_from_quaternion(to_yaw, yaw, roll, pitch):
    w, x, y, z = euler.euler2quat(roll, pitch, yaw)
    expected = euler.quat2euler((w, x, y, z))[2]
    off = to_yaw(x, y, z, w) - expected
    assert math.remainder(off, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9)
