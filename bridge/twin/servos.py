"""Bus servos of arm and gripper: pulses in, joint angles out, each move at its own pace."""

import math
import threading

#: The vendor's name of the gripper in joint_states; a pulse turns any servo by 0.24 degrees.
GRIPPER_JOINT = "r_joint"
_MIDDLE, _RAD_PER_PULSE = 500, math.radians(0.24)


class Servos:
    """State of all servos.

    Parameters
    ----------
    arm : ArmModel
        Servo ids, pulses and angles.
    """

    def __init__(self, arm):
        self._arm = arm
        self._lock = threading.Lock()
        pulses = [*arm.to_pulses(arm.home), arm.gripper.open_pulse]
        self._ids = [*(joint.servo for joint in arm.joints), arm.gripper.servo]
        self._moves = {
            number: (float(at), float(at), 0.0, 0.0)
            for number, at in zip(self._ids, pulses, strict=True)
        }

    def command(self, number, pulse, duration_s, now):
        """Let a servo go to a pulse within a duration; unknown ids are ignored, as on the bus."""
        with self._lock:
            if number in self._moves:
                here = self._at(number, now)
                self._moves[number] = (
                    here,
                    float(min(max(pulse, 0), 1000)),
                    now,
                    max(duration_s, 0.02),
                )

    def _at(self, number, now):
        start, end, since, duration = self._moves[number]
        share = 1.0 if duration <= 0 else min(max((now - since) / duration, 0.0), 1.0)
        return start + share * (end - start)

    def goal(self, now):
        """Return the angles and the gap that the servos are driving to now."""
        with self._lock:
            pulses = [self._at(number, now) for number in self._ids]
        return self._arm.from_pulses(pulses[:5]), self._arm.gripper.width(pulses[5])

    def joint_states(self, state):
        """Return names and angles as the vendor publishes them, from what is measured."""
        gripper = self._arm.gripper
        span = gripper.closed_pulse - gripper.open_pulse
        pulse = gripper.closed_pulse - span * state.width / gripper.open_width
        names = [joint.name for joint in self._arm.joints] + [GRIPPER_JOINT]
        return names, [*state.joints, (pulse - _MIDDLE) * _RAD_PER_PULSE]
