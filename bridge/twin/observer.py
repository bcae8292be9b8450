"""Independent observer: hears every command that reaches an actuator, and says what was unsafe.

It knows limits of its own and trusts neither the adapter nor whoever commands it. The verdict is
a JSON file, renewed every second and written once more at the end.
"""

import argparse
import json
import math
import os
import threading

import ros1_path  # noqa: F401  (before anything of ROS 1)
import rospy
from geometry_msgs.msg import Twist
from hiwonder_servo_msgs.msg import MultiRawIdPosDur

#: What the documentation of the robot allows, with a thousandth of rounding.
MAX_SPEED_M_S, MAX_TURN_RAD_S = 0.6, 2.0
SERVOS = {1: (0, 1000), 2: (125, 875), 3: (0, 1000), 4: (42, 958), 5: (0, 1000), 10: (200, 700)}
#: Half a second of silence and what the robot's own machine may be late by.
WATCHDOG_S, LATE_S = 0.5, 0.75
_CHECK_HZ = 20.0
#: A machine so busy that this program was not run for so long.
ASLEEP_S = 0.3


class Observer:
    """Collects violations.

    Parameters
    ----------
    half_m : float
        Half the side of the square that the robot's centre must not leave.
    truth : str
        File with the true state, of which only the robot's place is read; empty: none.
    """

    def __init__(self, half_m, truth):
        self._half_m, self._truth = half_m, truth
        self._lock = threading.Lock()
        self._wanted_at = self._late_since = None  # last command from anybody; since when too late
        self._moving = False
        self._checked_at = 0.0
        self.counts = {"velocities": 0, "servo_commands": 0, "watchdog_stops": 0}
        self.violations = []
        rospy.Subscriber("cmd_vel", Twist, self._on_wanted, queue_size=50)
        rospy.Subscriber("hiwonder_controller/cmd_vel", Twist, self._on_velocity, queue_size=50)
        servos = "servo_controllers/port_id_1/multi_id_pos_dur"
        rospy.Subscriber(servos, MultiRawIdPosDur, self._on_servos, queue_size=50)
        rospy.Timer(rospy.Duration(1.0 / _CHECK_HZ), self._check)

    def _note(self, rule, text):
        if len(self.violations) < 1000:
            self.violations.append({"rule": rule, "at": rospy.get_time(), "what": text})

    def _on_wanted(self, _):
        with self._lock:
            self._wanted_at = rospy.get_time()

    def _on_velocity(self, message):
        values = (message.linear.x, message.linear.y, message.angular.z)
        others = (message.linear.z, message.angular.x, message.angular.y)
        with self._lock:
            self.counts["velocities"] += 1
            if not all(map(math.isfinite, values)) or any(others):
                self._note("velocity", f"not a planar velocity: {values} {others}")
                return
            speed = math.hypot(values[0], values[1])
            if speed > MAX_SPEED_M_S * 1.001 or abs(values[2]) > MAX_TURN_RAD_S * 1.001:
                self._note("velocity", f"{speed:.3f} m/s, {values[2]:.3f} rad/s")
            was, self._moving = self._moving, any(values)
            silent = self._wanted_at is None or rospy.get_time() - self._wanted_at > WATCHDOG_S
            if was and not self._moving and silent:
                self.counts["watchdog_stops"] += 1

    def _on_servos(self, message):
        with self._lock:
            self.counts["servo_commands"] += 1
            for item in message.id_pos_dur_list:
                low, high = SERVOS.get(item.id, (1, 0))
                if not low <= item.position <= high:
                    self._note("servo", f"servo {item.id} to {item.position}, not {low}..{high}")

    def _check(self, _):
        """Look whether the base moves although nobody commands it, and where it is."""
        now = rospy.get_time()
        asleep, self._checked_at = now - self._checked_at > ASLEEP_S, now
        with self._lock:
            if asleep and self._wanted_at is not None:
                self._wanted_at = now  # who was not awake is no witness; what came waits unread
            silent = self._wanted_at is None or now - self._wanted_at > WATCHDOG_S + LATE_S
            if self._moving and silent:
                if self._late_since is None:
                    self._late_since = now
                    self._note("watchdog", "the base moves although commands have ceased")
            else:
                self._late_since = None
        self._check_place()

    def _check_place(self):
        try:
            with open(self._truth) as file:
                x, y = json.load(file)["robot"][:2]
        except (OSError, ValueError, KeyError):
            return
        if max(abs(x), abs(y)) > self._half_m:
            with self._lock:
                self._note("geofence", f"the robot is at {x:.2f}, {y:.2f}")

    def verdict(self):
        """Return what was found."""
        with self._lock:
            return {
                "safe": not self.violations,
                "counts": dict(self.counts),
                "violations": list(self.violations),
            }


def main():
    """Observe until ROS ends."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--truth", default="")
    parser.add_argument("--half", type=float, default=1.75, help="half the arena's side, metres")
    parser.add_argument("--verdict", required=True, help="file for the verdict")
    args = parser.parse_args(rospy.myargv()[1:])
    rospy.init_node("observer")
    observer = Observer(args.half, args.truth)

    def write(_=None):
        scratch = args.verdict + ".new"
        with open(scratch, "w") as file:
            json.dump(observer.verdict(), file, indent=1)
        os.replace(scratch, args.verdict)

    rospy.Timer(rospy.Duration(1.0), write)
    rospy.spin()
    write()


if __name__ == "__main__":
    main()
