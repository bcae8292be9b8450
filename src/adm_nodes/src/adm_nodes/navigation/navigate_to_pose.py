"""Any navigator as a server of NavigateToPose, so that clients of Nav2 can drive it."""

from __future__ import annotations

from collections.abc import Callable

from builtin_interfaces.msg import Duration
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.task import Future

from adm_nodes.common import conversions
from adm_nodes.navigation.codes import fill_result
from adm_nodes.navigation.protocol import (
    NavFeedback,
    NavGoal,
    Navigator,
    NavOutcome,
    NavResult,
    NavTask,
)

_RCLError = rclpy_implementation.RCLError


class NavigateToPoseServer:
    """Action server in front of a navigator.

    A goal that is malformed, or comes while the gate is shut, is rejected; every other is accepted
    and ends with a reason in ``error_msg``. A newer goal preempts the older one, which is aborted.

    Parameters
    ----------
    node : Node
        Owner; its executor must spin.
    navigator : Navigator
        What drives.
    action : str
        Name of the action.
    is_open : callable
        The gate: whether goals are taken now.
    """

    def __init__(
        self,
        node: Node,
        navigator: Navigator,
        action: str = "navigate_to_pose",
        is_open: Callable[[], bool] = lambda: True,
    ) -> None:
        self._node = node
        self._navigator = navigator
        self._is_open = is_open
        self._tasks: dict[bytes, NavTask] = {}
        self._server = ActionServer(
            node,
            NavigateToPose,
            action,
            execute_callback=self._execute,
            goal_callback=self._on_goal,
            cancel_callback=self._on_cancel,
            callback_group=ReentrantCallbackGroup(),
        )

    def cancel_all(self) -> None:
        """Cancel what is under way; the goals end when the navigator says so."""
        for task in list(self._tasks.values()):
            task.cancel()

    def close(self) -> None:
        """Release the ROS handles."""
        self._server.destroy()

    # -- callbacks ------------------------------------------------------------------------------

    def _on_goal(self, request: NavigateToPose.Goal) -> GoalResponse:
        fault = _goal(request).fault()
        if fault:
            self._node.get_logger().warning(f"goal rejected: {fault}")
        return GoalResponse.REJECT if fault or not self._is_open() else GoalResponse.ACCEPT

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        task = self._tasks.get(bytes(handle.goal_id.uuid))
        if task is not None:
            task.cancel()
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle) -> NavigateToPose.Result:
        key = bytes(handle.goal_id.uuid)
        ended = Future(executor=self._node.executor)
        ended.add_done_callback(lambda _: None)  # becomes a task there, which ends its sleep
        task = self._tasks[key] = self._navigator.send(_goal(handle.request))
        task.on_feedback(lambda feedback: self._report(handle, task.goal, feedback))
        task.add_done_callback(ended.set_result)
        if handle.is_cancel_requested:
            task.cancel()  # asked for before there was anything to cancel
        try:
            return _conclude(handle, await ended)
        finally:
            del self._tasks[key]

    def _report(self, handle: ServerGoalHandle, goal: NavGoal, feedback: NavFeedback) -> None:
        message = NavigateToPose.Feedback(
            navigation_time=_duration(feedback.elapsed_s),
            number_of_recoveries=feedback.recoveries,
            distance_remaining=feedback.distance_m,
        )
        message.current_pose.header.frame_id = goal.frame_id
        message.current_pose.header.stamp = self._node.get_clock().now().to_msg()
        if feedback.pose is not None:
            message.current_pose.pose = conversions.pose_to_ros(feedback.pose)
        try:
            handle.publish_feedback(message)
        except (InvalidHandle, _RCLError):
            return  # released meanwhile


def _goal(request: NavigateToPose.Goal) -> NavGoal:
    pose = request.pose
    return NavGoal(conversions.pose_from_ros(pose.pose), pose.header.frame_id)


def _conclude(handle: ServerGoalHandle, ended: NavResult) -> NavigateToPose.Result:
    if ended.succeeded:
        handle.succeed()
    elif ended.outcome is NavOutcome.CANCELLED and handle.is_cancel_requested:
        handle.canceled()
    else:
        handle.abort()
    text = ended.text or ("" if ended.succeeded else ended.outcome.value)
    return fill_result(NavigateToPose.Result(), ended.outcome, text)


def _duration(seconds: float) -> Duration:
    whole = int(seconds)
    return Duration(sec=whole, nanosec=int((seconds - whole) * 1e9))
