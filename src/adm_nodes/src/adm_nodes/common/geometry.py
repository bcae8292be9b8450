"""Yaw and quaternion: tf_transformations where it is installed, else two functions of ours."""

from __future__ import annotations

import math


def _quaternion_from_yaw(yaw: float) -> tuple[float, float, float, float]:
    """Return the quaternion (x, y, z, w) of a rotation by `yaw` radians about z."""
    return 0.0, 0.0, math.sin(yaw / 2.0), math.cos(yaw / 2.0)


def _yaw_from_quaternion(x: float, y: float, z: float, w: float) -> float:
    """Return the yaw in radians, in [-pi, pi], of a quaternion of any length but zero."""
    return math.atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z)


try:
    import tf_transformations as _tf
except ImportError:
    quaternion_from_yaw = _quaternion_from_yaw
    yaw_from_quaternion = _yaw_from_quaternion
else:

    def quaternion_from_yaw(yaw: float) -> tuple[float, float, float, float]:
        """Return the quaternion (x, y, z, w) of a rotation by `yaw` radians about z."""
        x, y, z, w = _tf.quaternion_from_euler(0.0, 0.0, yaw)
        return float(x), float(y), float(z), float(w)

    def yaw_from_quaternion(x: float, y: float, z: float, w: float) -> float:
        """Return the yaw in radians, in [-pi, pi], of a quaternion of any length but zero."""
        return float(_tf.euler_from_quaternion((x, y, z, w))[2])
