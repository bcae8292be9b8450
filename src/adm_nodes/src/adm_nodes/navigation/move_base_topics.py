"""move_base behind a bridge, as a navigator: topics around the dialogue in :mod:`.move_base`."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from actionlib_msgs.msg import GoalID, GoalStatusArray
from adm_core.types import Pose2D
from geometry_msgs.msg import PoseStamped
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node

from adm_nodes.common import conversions, qos
from adm_nodes.common.clocks import STEADY
from adm_nodes.navigation.addressing import AdoptedIds, GoalState, GoalStatus, OwnIds
from adm_nodes.navigation.config import MoveBaseConfig
from adm_nodes.navigation.localisation import Localisation
from adm_nodes.navigation.move_base import Effect, Ended, MoveBase, News, SendCancel, SendGoal
from adm_nodes.navigation.protocol import NavGoal, NavTask

try:
    import move_base_msgs.msg as _action_msgs
except ImportError:  # a ROS 2 without our package: only the simple goal crosses
    _action_msgs = None

_TICK_S = 0.1
_LAST_WORDS, _LAST_WORDS_S = 3, 0.03
_STATES = frozenset(map(int, GoalState))


class MoveBaseNavigator:
    """Navigator over the topics of a move_base of ROS 1.

    Topics
    ------
    move_base/goal, move_base/cancel, published
        Goals with ids of ours; cancels by id.
    move_base_simple/goal, published
        Goals, where action messages do not cross.
    move_base/status, move_base/result, move_base/feedback, move_base/current_goal, subscribed
        Whatever of these comes.

    Parameters
    ----------
    node : Node
        Owner; its executor must spin.
    config : MoveBaseConfig
        Parameters.
    localisation : Localisation, optional
        Where poses, scans and maps are heard of; without it they are not watched.
    """

    def __init__(
        self,
        node: Node,
        config: MoveBaseConfig | None = None,
        localisation: Localisation | None = None,
    ) -> None:
        self._node = node
        self._config = _watching(config or MoveBaseConfig(), localisation)
        self._simple = _is_simple(self._config)
        name = node.get_fully_qualified_name()
        ids = AdoptedIds() if self._simple else OwnIds(name, secrets.token_hex(4))
        self._machine = MoveBase(self._config, ids)
        self._lock = threading.Lock()
        self._group = MutuallyExclusiveCallbackGroup()
        self._destroy: list[Callable[[], object]] = []
        self._open_topics()
        if localisation is not None:
            self._hear(localisation)

    # -- the interface ------------------------------------------------------------------------

    def problem(self) -> str:
        """Return why a goal sent now would not get through; empty if nothing speaks against it."""
        with self._lock:
            return self._machine.problem(time.monotonic())

    def send(self, goal: NavGoal) -> NavTask:
        """Send a goal; see Navigator."""
        task = NavTask(goal, lambda: self._do(lambda now: self._machine.cancel(task, now)))
        self._do(lambda now: self._machine.send(task, now))
        return task

    def halt(self) -> None:
        """Stop the base whoever drives it: for emergencies only."""
        self._do(lambda now: self._machine.halt())

    def close(self) -> None:
        """Cancel what is under way and release the ROS handles; safe to repeat."""
        self._do(self._close_machine)
        while self._destroy:
            self._destroy.pop()()

    def _close_machine(self, now: float) -> list[Effect]:
        """Say the last cancel a few times: nobody is left to hear whether it arrived."""
        effects = self._machine.close(now)
        for effect in effects:
            for _ in range(_LAST_WORDS if isinstance(effect, SendCancel) else 0):
                self._publish(effect)
                time.sleep(_LAST_WORDS_S)
        return effects

    # -- topics -------------------------------------------------------------------------------

    def _open_topics(self) -> None:
        self._cancels = self._publisher(GoalID, "move_base/cancel")
        self._subscribe(GoalStatusArray, "move_base/status", self._on_status)
        self._subscribe(PoseStamped, "move_base/current_goal", self._on_current_goal)
        if self._simple:
            self._goals = self._publisher(PoseStamped, "move_base_simple/goal")
        else:
            self._goals = self._publisher(_action_msgs.MoveBaseActionGoal, "move_base/goal")
            self._subscribe(_action_msgs.MoveBaseActionResult, "move_base/result", self._on_result)
            self._subscribe(
                _action_msgs.MoveBaseActionFeedback, "move_base/feedback", self._on_feedback
            )
        timer = self._node.create_timer(
            _TICK_S, self._on_tick, callback_group=self._group, clock=STEADY
        )
        self._destroy.append(lambda: self._node.destroy_timer(timer))

    def _publisher(self, msg_type: Any, topic: str) -> Any:
        publisher = self._node.create_publisher(msg_type, topic, qos.COMMAND)
        self._destroy.append(lambda: self._node.destroy_publisher(publisher))
        return publisher

    def _subscribe(self, msg_type: Any, topic: str, take: Callable[[Any], None]) -> None:
        subscription = self._node.create_subscription(
            msg_type, topic, take, qos.FOREIGN, callback_group=self._group
        )
        self._destroy.append(lambda: self._node.destroy_subscription(subscription))

    def _hear(self, localisation: Localisation) -> None:
        def on_epoch(map_id: str, now: float) -> None:
            self._do(lambda _: self._machine.on_map(map_id, now))

        localisation.listen(
            lambda pose, stamp, now: self._do(lambda _: self._machine.on_pose(pose, stamp, now)),
            lambda stamp, now: self._do(lambda _: self._machine.on_scan(stamp, now)),
            lambda epoch, now: on_epoch(epoch.map_id, now),
        )
        on_epoch(localisation.epoch.map_id, time.monotonic())

    # -- the dialogue -------------------------------------------------------------------------

    def _on_status(self, message: GoalStatusArray) -> None:
        statuses = [_status(item) for item in message.status_list if item.status in _STATES]
        self._do(lambda now: self._machine.on_status(statuses, now))

    def _on_result(self, message: Any) -> None:
        if message.status.status in _STATES:
            self._do(lambda now: self._machine.on_result(_status(message.status), now))

    def _on_feedback(self, message: Any) -> None:
        pose = conversions.pose_from_ros(message.feedback.base_position.pose)
        goal_id = message.status.goal_id.id
        self._do(lambda now: self._machine.on_feedback(goal_id, pose, now))

    def _on_current_goal(self, message: PoseStamped) -> None:
        pose = conversions.pose_from_ros(message.pose)
        self._do(lambda now: self._machine.on_current_goal(pose))

    def _on_tick(self) -> None:
        self._do(self._machine.tick)

    def _do(self, event: Callable[[float], list[Effect]]) -> None:
        """Put an event to the machine and carry its effects out; users are called without lock."""
        with self._lock:
            effects = event(time.monotonic())
            for effect in effects:
                self._publish(effect)
        for effect in effects:
            if isinstance(effect, Ended):
                effect.task.finish(effect.outcome, effect.text)
            elif isinstance(effect, News):
                effect.task.report(effect.feedback)

    def _publish(self, effect: Effect) -> None:
        try:
            if isinstance(effect, SendGoal):
                self._publish_goal(effect.id, effect.pose)
            elif isinstance(effect, SendCancel):
                self._cancels.publish(GoalID(id=effect.id))  # stamp 0: only this goal
        except InvalidHandle:
            pass  # closed meanwhile

    def _publish_goal(self, goal_id: str, pose: Pose2D) -> None:
        """Publish with all stamps zero: the newest transform, and no clock against another."""
        target = PoseStamped(pose=conversions.pose_to_ros(pose))
        target.header.frame_id = self._config.robot_frame_id
        if self._simple:
            self._goals.publish(target)
            return
        message = _action_msgs.MoveBaseActionGoal(goal_id=GoalID(id=goal_id))
        message.header.frame_id = self._config.robot_frame_id
        message.goal.target_pose = target
        self._goals.publish(message)


def _watching(config: MoveBaseConfig, localisation: Localisation | None) -> MoveBaseConfig:
    """Return the parameters without watches over what nobody tells."""
    if localisation is None:
        return replace(config, pose_stale_s=0.0, scan_stale_s=0.0)
    return config if localisation.has_pose else replace(config, pose_stale_s=0.0)


def _is_simple(config: MoveBaseConfig) -> bool:
    if config.protocol == "action" and _action_msgs is None:
        raise ValueError("protocol must be simple or auto: the package move_base_msgs is missing")
    return config.protocol == "simple" or _action_msgs is None


def _status(message: Any) -> GoalStatus:
    return GoalStatus(message.goal_id.id, GoalState(message.status), message.text)
