"""Whether the robot's poses mean anything, and what is done when they do not.

A localisation like HECTOR can be reset: map and pose are gone, and every place that the mission
knows means another one. The robot then stands still and tells it the last pose of the old map.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from adm_core.memory.records import FailureReason
from adm_core.planning.handling import RobotError
from adm_core.types import Pose2D

from adm_nodes.robot.config import RobotConfig
from adm_nodes.robot.link import RobotLink

_NEAR_M, _NEAR_RAD = 0.15, 0.2
_ASK_S, _SURE = 0.5, 4  # how often the pose is told, and how often it must then be near


class Whereabouts:
    """Watches poses and epoch of one robot.

    Parameters
    ----------
    link : RobotLink
        Its topics.
    config : RobotConfig
        Patience.
    frame_id : str
        Frame of the mission.
    log : callable
        Gets a line when the map was begun anew.
    """

    def __init__(
        self, link: RobotLink, config: RobotConfig, frame_id: str, log: Callable[[str], None]
    ) -> None:
        self._link, self._config, self._frame_id, self._log = link, config, frame_id, log

    @property
    def is_lost(self) -> bool:
        """Whether poses are those of another map."""
        return self._link.is_lost

    @property
    def pose(self) -> Pose2D | None:
        """The last pose that can be relied on."""
        if self.is_lost or self._link.pose is None:
            return self._link.trusted
        return self._link.pose[1]

    def check(self) -> None:
        """Raise RobotError if the robot must not drive."""
        if self.is_lost:
            raise RobotError(FailureReason.NO_POSE, "the map was begun anew")

    def await_ready(self) -> None:
        """Wait until the robot speaks and knows where it is; raise RobotError if it does not."""
        link, limit = self._link, self._config.pose_stale_s

        def speaks() -> bool:
            pose = link.pose
            return (
                pose is not None
                and link.now - pose[0] <= limit
                and link.arm is not None
                and link.camera is not None
                and link.grid_map() is not None
            )

        if not link.wait_for(speaks, self._config.link_wait_s):
            raise RobotError(FailureReason.NO_LINK, "the robot is silent: no pose, map or joints")
        if self.is_lost:
            self._begin_again()

    def _begin_again(self) -> None:
        """Tell the localisation the last pose of the old map until it agrees."""
        trusted = self._link.carry_on()  # it may have rolled on before its goal was cancelled
        if trusted is None:
            raise RobotError(FailureReason.NO_POSE, "no pose of the old map")
        self._log("the map was begun anew: telling the localisation the last pose of the old one")
        sure, ends = 0, self._link.now + self._config.link_wait_s
        while self._link.now < ends:
            near = self._agrees(trusted)
            sure = sure + 1 if near else 0
            if sure >= _SURE:
                self._link.rely_on_present_map()
                self._log("localised again")
                return
            if not near:
                self._link.tell_pose(trusted, self._frame_id)
            self._link.pause(_ASK_S)
        raise RobotError(FailureReason.NO_POSE, "the localisation does not take the old pose")

    def _agrees(self, trusted: Pose2D) -> bool:
        if self._link.pose is None:
            return False
        pose = self._link.pose[1]
        turn = math.remainder(pose.yaw - trusted.yaw, 2 * math.pi)
        away = math.hypot(pose.x - trusted.x, pose.y - trusted.y)
        return away <= _NEAR_M and abs(turn) <= _NEAR_RAD
