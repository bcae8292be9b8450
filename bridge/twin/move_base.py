"""move_base with a planner that behaves like TEB: coarse tolerances, aborts, texts.

A real actionlib server; the path is followed by the arena's own planner, ten times a second.
"""

import math
import threading

import actionlib
import rospy
from adm_core.simulation.rigid_body.navigation import follow
from adm_core.types import Pose2D
from geometry_msgs.msg import PoseStamped, Twist
from move_base_msgs.msg import (
    MoveBaseAction,
    MoveBaseActionGoal,
    MoveBaseFeedback,
    MoveBaseResult,
)

XY_TOLERANCE_M, YAW_TOLERANCE_RAD = 0.2, 0.2
PLANNER_PATIENCE_S, CONTROLLER_PATIENCE_S = 5.0, 15.0
ACCEL_M_S2, ACCEL_RAD_S2 = 0.5, 2.0
NO_PLAN = "Failed to find a valid plan. Even after executing recovery behaviors."
NO_CONTROL = "Failed to find a valid control. Even after executing recovery behaviors."
INVALID = "Aborting on goal because it was sent with an invalid quaternion"


def yaw_of(turn):
    """Return the yaw of a quaternion, or None if it is none that stands upright."""
    norm = math.sqrt(turn.x**2 + turn.y**2 + turn.z**2 + turn.w**2)
    if not 0.9 < norm < 1.1 or abs(turn.x) > 0.05 or abs(turn.y) > 0.05:
        return None
    return 2.0 * math.atan2(turn.z, turn.w)


class _Goal:
    """The goal under way."""

    def __init__(self, pose):
        self.pose = pose  # in the map's frame
        self.way = []
        self.done = threading.Event()
        self.text = ""
        self.last_plan = None  # when there was a way, and when the base last moved
        self.last_move = None
        self.place = None
        self.turning = False


class MoveBase:
    """The node's interface and its control loop.

    Parameters
    ----------
    navigator : Navigator
        Ways on the arena, by what the lidar sees.
    config : ArenaConfig
        Speeds.
    hector : Hector
        Frame of the goals.
    topic : str
        Where velocities go.
    """

    def __init__(self, navigator, config, hector, topic):
        self._navigator, self._config, self._hector = navigator, config, hector
        self._lock = threading.Lock()
        self._goal = None
        self._twist = (0.0, 0.0, 0.0)
        self._velocity = rospy.Publisher(topic, Twist, queue_size=1)
        self._current = rospy.Publisher("move_base/current_goal", PoseStamped, queue_size=1)
        self._goals = rospy.Publisher("move_base/goal", MoveBaseActionGoal, queue_size=1)
        self._server = actionlib.SimpleActionServer(
            "move_base", MoveBaseAction, execute_cb=self._execute, auto_start=False
        )
        rospy.Subscriber("move_base_simple/goal", PoseStamped, self._on_simple)
        self._server.start()

    def _on_simple(self, message):
        goal = MoveBaseActionGoal()
        goal.goal.target_pose = message
        self._goals.publish(goal)

    def _execute(self, action):
        """Follow one goal to its end (a thread of actionlib's)."""
        target = action.target_pose
        yaw = yaw_of(target.pose.orientation)
        if yaw is None:
            self._server.set_aborted(MoveBaseResult(), INVALID)
            return
        goal = _Goal(Pose2D(target.pose.position.x, target.pose.position.y, yaw))
        self._current.publish(target)
        with self._lock:
            self._goal = goal
        while not goal.done.wait(0.02):
            if self._server.is_preempt_requested() or rospy.is_shutdown():
                break
        with self._lock:
            self._goal = None
        self._stop()
        if not goal.done.is_set():
            self._server.set_preempted(MoveBaseResult())
        elif goal.text:
            self._server.set_aborted(MoveBaseResult(), goal.text)
        else:
            self._server.set_succeeded(MoveBaseResult(), "Goal reached.")

    def _stop(self):
        self._twist = (0.0, 0.0, 0.0)
        self._velocity.publish(Twist())

    def step(self, robot, now):
        """Control once; `robot` is the measured pose in the world, `now` in simulated seconds."""
        with self._lock:
            goal = self._goal
            if goal is None or goal.done.is_set():
                return
            target = self._hector.in_world(goal.pose)
            self._feedback(robot)
            twist = self._control(goal, target, robot, now)
            if twist is None:
                goal.done.set()
                self._stop()
            else:
                self._publish(twist)

    def _feedback(self, robot):
        pose = self._hector.in_map(robot)
        message = MoveBaseFeedback()
        message.base_position.header.frame_id = "map"
        message.base_position.header.stamp = rospy.Time.now()
        message.base_position.pose.position.x = pose.x
        message.base_position.pose.position.y = pose.y
        message.base_position.pose.orientation.z = math.sin(pose.yaw / 2)
        message.base_position.pose.orientation.w = math.cos(pose.yaw / 2)
        self._server.publish_feedback(message)

    def _control(self, goal, target, robot, now):
        """Return the velocity to drive, or None at an end."""
        if goal.last_plan is None:
            goal.last_plan = goal.last_move = now
            goal.place = robot
        if self._is_stuck(goal, robot, now):
            goal.text = NO_CONTROL
            return None
        away = math.hypot(target.x - robot.x, target.y - robot.y)
        turn = math.remainder(target.yaw - robot.yaw, 2 * math.pi)
        goal.turning = goal.turning or away < XY_TOLERANCE_M
        if goal.turning:
            if abs(turn) < YAW_TOLERANCE_RAD:
                return None
            limit = self._config.turn_rad_s
            return (0.0, 0.0, max(-limit, min(limit, 2.0 * turn)))
        goal.way = self._navigator.way_to_one(robot, [(target.x, target.y)], now)
        if not goal.way:
            if now - goal.last_plan > PLANNER_PATIENCE_S:
                goal.text = NO_PLAN
                return None
            return (0.0, 0.0, 0.0)
        goal.last_plan = now
        return tuple(follow(robot, goal.way, self._config))

    @staticmethod
    def _is_stuck(goal, robot, now):
        moved = math.hypot(robot.x - goal.place.x, robot.y - goal.place.y) > 0.05
        turned = abs(math.remainder(robot.yaw - goal.place.yaw, 2 * math.pi)) > 0.2
        if moved or turned:
            goal.place, goal.last_move = robot, now
        return now - goal.last_move > CONTROLLER_PATIENCE_S

    def _publish(self, twist):
        steps = (0.1 * ACCEL_M_S2, 0.1 * ACCEL_M_S2, 0.1 * ACCEL_RAD_S2)
        self._twist = tuple(
            last + max(-step, min(step, wanted - last))
            for last, wanted, step in zip(self._twist, twist, steps, strict=True)
        )
        message = Twist()
        message.linear.x, message.linear.y, message.angular.z = self._twist
        self._velocity.publish(message)
