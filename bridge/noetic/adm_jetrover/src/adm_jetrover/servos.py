"""Angles to servo pulses, within the limits of joints and speed."""

from __future__ import division

import math


class ServoGuard(object):
    """Turns joint angles into pulses; what is no number or no joint of ours is refused.

    Parameters
    ----------
    joints : dict
        By joint name: ``id``, ``zero`` and ``per_pulse`` (angle = zero + per_pulse * pulse),
        ``min`` and ``max``; degrees.
    max_speed : float
        Radians a second.
    """

    def __init__(self, joints, max_speed):
        self._joints = joints
        self._max_speed = max_speed
        self._at = {}  # last commanded angles

    def pulses(self, names, angles, seconds):
        """Return ``(id, pulse, seconds)`` for each joint, angles limited, durations stretched.

        Raises
        ------
        ValueError
            If a name is unknown, or a number is none; nothing is to be sent then.
        """
        if len(names) != len(angles):
            raise ValueError("%d joints, %d angles" % (len(names), len(angles)))
        numbers = list(angles) + [seconds]
        if any(math.isnan(item) or math.isinf(item) for item in numbers):
            raise ValueError("an angle or the duration is no number")
        unknown = [name for name in names if name not in self._joints]
        if unknown:
            raise ValueError("unknown joints: %s" % ", ".join(unknown))
        return [self._one(name, angle, seconds) for name, angle in zip(names, angles)]

    def _one(self, name, angle, seconds):
        joint = self._joints[name]
        low, high = math.radians(joint["min"]), math.radians(joint["max"])
        angle = max(low, min(high, angle))
        way = abs(angle - self._at.get(name, angle))
        self._at[name] = angle
        pulse = (math.degrees(angle) - joint["zero"]) / joint["per_pulse"]
        pulse = int(max(0, min(1000, round(pulse))))
        return joint["id"], pulse, max(seconds, way / self._max_speed)
