"""The simulated JetRover: PyBullet's arena behind the names of the vendor's ROS 1 stack.

Run it with the Python of the workspace on a machine with ROS 1 (see docs/twin.md)::

    python bridge/twin/jetrover.py --seed 3 --rate 1 --truth truth.json

As on the robot, the last velocity stays in force: nothing here stops when commands cease.
"""

import argparse
import json
import math
import os
import threading
import time

import ros1_path  # noqa: F401  (before anything of ROS 1)
import rospy
from adm_core.manipulation.servo import Twist as Velocity
from adm_core.missions.twin import prepare_twin
from adm_core.simulation.rigid_body.arena import Arena
from adm_core.simulation.rigid_body.cameras import wrist_intrinsics
from adm_core.simulation.rigid_body.config import CONTROL_HZ
from adm_core.simulation.rigid_body.navigation import Navigator
from adm_core.types import Pose2D
from geometry_msgs.msg import PoseWithCovarianceStamped, Twist
from hector import Hector
from hiwonder_servo_msgs.msg import MultiRawIdPosDur
from move_base import MoveBase, yaw_of
from publishing import Publisher
from servos import Servos
from std_msgs.msg import String
from std_srvs.srv import Trigger, TriggerResponse

_TEN_HZ, _MAP_TICKS, _TRUTH_TICKS = CONTROL_HZ // 10, 2 * CONTROL_HZ, CONTROL_HZ // 4
_MOST_BEHIND_S = 0.5  # what the machine cannot keep up with is dropped, not caught up in a burst


class JetRover:
    """One simulated robot; everything of the physics happens in the thread that calls `run`."""

    def __init__(self, args):
        self._twin = prepare_twin(args.seed)
        self._arena = Arena(self._twin.arena, self._twin.places, args.seed)
        self._rate, self._truth = args.rate, args.truth
        self._hector = Hector()
        self._navigator = Navigator(self._twin.arena, self._twin.places)
        self._servos = Servos(self._arena.arm)
        self._publisher = Publisher(wrist_intrinsics(self._twin.arena), args.camera)
        self._velocity = Velocity()
        self._wishes = []  # what callbacks want from the physics thread
        self._lock = threading.Lock()
        self._base = MoveBase(
            self._navigator,
            self._twin.arena,
            self._hector,
            rospy.get_param("~nav_cmd_vel", "cmd_vel"),
        )
        self._picture_ticks = max(1, CONTROL_HZ // self._twin.arena.camera_mode[2])
        self._subscribe()

    def _subscribe(self):
        rospy.Subscriber("hiwonder_controller/cmd_vel", Twist, self._on_velocity, queue_size=1)
        servos = "servo_controllers/port_id_1/multi_id_pos_dur"
        rospy.Subscriber(servos, MultiRawIdPosDur, self._on_servos, queue_size=10)
        rospy.Subscriber("syscommand", String, self._on_syscommand)
        rospy.Subscriber("initialpose", PoseWithCovarianceStamped, self._on_initial_pose)
        rospy.Service("reset_map", Trigger, self._on_reset)

    # -- commands ---------------------------------------------------------------------------------

    def _on_velocity(self, message):
        self._velocity = Velocity(message.linear.x, message.linear.y, message.angular.z)

    def _on_servos(self, message):
        now = self._arena.now
        for item in message.id_pos_dur_list:
            self._servos.command(item.id, item.position, item.duration / 1000.0, now)

    def _on_syscommand(self, message):
        if message.data == "reset":
            self._wish(lambda robot: self._hector.reset(robot))

    def _on_reset(self, _):
        self._wish(lambda robot: self._hector.reset(robot))
        return TriggerResponse(True, "map and pose are reset")

    def _on_initial_pose(self, message):
        at = message.pose.pose
        pose = Pose2D(at.position.x, at.position.y, yaw_of(at.orientation) or 0.0)
        self._wish(lambda robot: self._hector.set_pose(pose, robot))

    def _wish(self, action):
        with self._lock:
            self._wishes.append(action)

    # -- time -------------------------------------------------------------------------------------

    def run(self):
        """Advance the arena at `rate` times real time until ROS ends."""
        period = 1.0 / (CONTROL_HZ * self._rate)
        due = time.monotonic()
        while not rospy.is_shutdown():
            self._tick()
            due = max(due + period, time.monotonic() - _MOST_BEHIND_S)
            time.sleep(max(0.0, due - time.monotonic()))
        self._arena.close()

    def _tick(self):
        arena = self._arena
        arena.robot.drive(self._velocity)
        arena.command_arm(*self._servos.goal(arena.now))
        arena.tick()
        stamp = rospy.Time.from_sec(_EPOCH + arena.now)
        if arena.ticks % 2 == 0:
            self._publisher.joints(*self._servos.joint_states(arena.robot.state()), stamp)
        if arena.ticks % _TEN_HZ == 0:
            self._localise(stamp)
        if arena.ticks % self._picture_ticks == 0:
            self._publisher.picture(arena.look(), stamp)
        if arena.ticks % _MAP_TICKS == 1:
            self._publisher.map(self._hector.grid(), stamp)
        if arena.ticks % _TRUTH_TICKS == 0 and self._truth:
            self._write_truth()

    def _localise(self, stamp):
        arena = self._arena
        robot = arena.measured_pose()
        with self._lock:
            wishes, self._wishes = self._wishes, []
        for wish in wishes:
            wish(arena.robot.pose())
        self._navigator.note_scan(arena.lidar, arena.lidar_pose, arena.now)
        self._hector.note_scan(arena.lidar, self._hector.in_map(arena.lidar_pose))
        self._publisher.scan(arena.lidar, stamp)
        self._publisher.pose(self._hector.in_map(robot), stamp)
        self._base.step(robot, arena.now)

    # -- truth ------------------------------------------------------------------------------------

    def _write_truth(self):
        """Write what only a simulator knows, for the judge and the drone's camera."""
        arena = self._arena
        content = {
            "now": arena.now,
            "robot": list(arena.robot.pose()),
            "held": [item.id for item in arena.things if arena.is_held(item)],
            "delivered": [item.id for item in arena.things if arena.is_delivered(item)],
            "resets": self._hector.resets,
            "containers": {
                item.id: [item.label, *(round(float(v), 4) for v in arena.place_of(item))]
                for item in arena.things
            },
        }
        scratch = self._truth + ".new"
        with open(scratch, "w") as file:
            json.dump(content, file)
        os.replace(scratch, self._truth)


#: A robot's clock that nobody has set.
_EPOCH = 1_500_000_000.0


def main():
    """Run the robot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=1.0, help="times real time")
    parser.add_argument("--truth", default="", help="file that is kept up to date with the truth")
    parser.add_argument("--camera", default="/throttled/camera", help="prefix of camera topics")
    args = parser.parse_args(rospy.myargv()[1:])
    rospy.init_node("jetrover")
    if not math.isfinite(args.rate) or args.rate <= 0:
        parser.error("--rate must be finite and > 0")
    JetRover(args).run()


if __name__ == "__main__":
    main()
