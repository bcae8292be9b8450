"""A move_base whose topics have crossed the bridge, and help to wait for tasks."""

import time

import pytest
import rclpy
from actionlib_model import ActionServerModel
from actionlib_msgs.msg import GoalID, GoalStatus, GoalStatusArray
from adm_core.types import Pose2D
from adm_nodes.common import conversions, qos
from geometry_msgs.msg import PoseStamped
from move_base_msgs.msg import MoveBaseActionFeedback, MoveBaseActionGoal, MoveBaseActionResult


class BridgedMoveBase:
    """The model of an action server behind the topics of ROS 2."""

    def __init__(self, node):
        self.model = ActionServerModel()
        self.node = node
        self.goals = []  # messages
        self.cancels = []
        self.poses = {}
        self.running = True
        self._status = node.create_publisher(GoalStatusArray, "move_base/status", 10)
        self._result = node.create_publisher(MoveBaseActionResult, "move_base/result", 10)
        self._feedback = node.create_publisher(MoveBaseActionFeedback, "move_base/feedback", 10)
        self._current = node.create_publisher(PoseStamped, "move_base/current_goal", 10)
        node.create_subscription(MoveBaseActionGoal, "move_base/goal", self._on_goal, qos.FOREIGN)
        node.create_subscription(PoseStamped, "move_base_simple/goal", self._on_simple, qos.FOREIGN)
        node.create_subscription(GoalID, "move_base/cancel", self._on_cancel, qos.FOREIGN)
        node.create_timer(0.05, self._step)

    def _on_goal(self, message):
        self.goals.append(message)
        self.poses[message.goal_id.id] = message.goal.target_pose
        self.model.on_goal(message.goal_id.id, 0, time.monotonic())

    def _on_simple(self, message):
        self.goals.append(message)
        goal_id = f"/move_base-{len(self.goals)}-1.0"
        self.poses[goal_id] = message
        self.model.on_goal(goal_id, 0, time.monotonic())

    def _on_cancel(self, message):
        self.cancels.append(message)
        self.model.on_cancel(message.id, 0, time.monotonic())

    def _step(self):
        if not self.running:
            return
        now = time.monotonic()
        before = self.model.current
        self.model.step(now)
        if self.model.current not in (None, before):
            self._current.publish(self.poses[self.model.current])
        for item in self.model.results:
            message = MoveBaseActionResult(status=_to_msg(item))
            self._result.publish(message)
        self.model.results.clear()
        self._status.publish(
            GoalStatusArray(status_list=[_to_msg(item) for item in self.model.status(now)])
        )

    def report(self, x):
        """Say where the base is."""
        message = MoveBaseActionFeedback()
        message.status.goal_id.id = self.model.current
        message.feedback.base_position.pose = conversions.pose_to_ros(Pose2D(x, 0.0))
        self._feedback.publish(message)


def _to_msg(item):
    return GoalStatus(goal_id=GoalID(id=item.id), status=int(item.state), text=item.text)


@pytest.fixture
def move_base(spinning):
    """Yield a move_base on a node of its own."""
    node = rclpy.create_node("move_base", context=spinning.context)
    spinning.nodes.append(node)
    spinning.spinner.add(node)
    return BridgedMoveBase(node)
