"""A robot behind a bridge, as :class:`~adm_core.planning.handling.Handling` needs it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from adm_core.manipulation.arm import ArmModel
from adm_core.manipulation.camera import Intrinsics, Mount
from adm_core.manipulation.kinematics import camera_in_base
from adm_core.manipulation.perception import Frame
from adm_core.manipulation.planar import Point, bearing_to, in_robot_frame
from adm_core.manipulation.sequence import ArmState
from adm_core.manipulation.servo import Twist
from adm_core.memory.records import FailureReason
from adm_core.planning.handling import RobotError
from adm_core.types import Pose2D

from adm_nodes.robot import pictures
from adm_nodes.robot.config import RobotConfig
from adm_nodes.robot.link import RawPicture, RobotLink

T = TypeVar("T")

_GAIN, _TURN_GAIN = 1.2, 1.8
_FRESH_S = 0.25  # an unseen picture of this age is as good as a new one
_STAND_TOLERANCE_M, _STAND_S = 0.03, 20.0
_BACK_M, _BACK_M_S = 0.16, 0.15
_ARM_SENDS = 5


class BridgedRobot:
    """Moves the robot by topics; used by one thread at a time.

    Parameters
    ----------
    link : RobotLink
        Its topics.
    config : RobotConfig
        Speeds and patience.
    arm : ArmModel
        Kinematics.
    is_put_away : callable
        Tells whether a point of the map is on a station's plate.
    may_go_on : callable
        Raises RobotError when the robot must not drive any more.

    While the robot is silent it is waited for, standing still, and its time does not go on: what
    was under way, an arm with a container above all, continues where it was.
    """

    def __init__(
        self,
        link: RobotLink,
        config: RobotConfig,
        arm: ArmModel,
        is_put_away: Callable[[Point], bool],
        may_go_on: Callable[[], None],
    ) -> None:
        self.arm = arm
        self.link = link
        self.is_put_away = is_put_away
        self._config = config
        self._may_go_on = may_go_on
        self._period = 1.0 / config.control_hz
        self._silent_s = 0.0  # time in which nothing went on
        self._seen = -math.inf  # stamp of the last picture that was looked at
        self.pose_of_picture = Pose2D(0.0, 0.0)  # where the last picture was taken, and when:
        self.time_of_picture = -math.inf  # in the time of the link
        self._arm_goal: tuple[Sequence[float], float] | None = None
        self._arm_sends = 0

    @property
    def camera(self) -> Intrinsics:
        """The wrist camera's model."""
        if self.link.camera is None:
            raise RobotError(FailureReason.NO_PICTURES, "no camera_info yet")
        return self.link.camera

    # -- state ----------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Seconds in the robot's time, without those in which it was silent."""
        return self.link.now - self._silent_s

    def pose(self) -> Pose2D:
        """Return the pose of the localisation; waits for one if the last is too old."""
        self._may_go_on()
        limit = self._config.pose_stale_s
        found = self._fresh(lambda: self.link.pose, limit)
        if found is None:
            raise RobotError(FailureReason.NO_POSE, f"no pose for {self._config.link_wait_s:g} s")
        self._may_go_on()
        return found

    def arm_state(self) -> ArmState:
        """Return what the servos measure; waits for it if the last word is too old."""
        limit = self._config.joints_stale_s
        found = self._fresh(lambda: self.link.arm, limit)
        if found is None:
            text = f"no joint states for {self._config.link_wait_s:g} s"
            raise RobotError(FailureReason.NO_LINK, text)
        return found

    def _fresh(self, source: Callable[[], tuple[float, T] | None], limit_s: float) -> T | None:
        """Return the newest word of a source; if it is too old, stand still and wait for one."""

        def newest() -> tuple[float, T] | None:
            found = source()
            return found if found is not None and self.link.now - found[0] <= limit_s else None

        found = newest()
        if found is None:
            began = self.link.now
            self.stop()
            found = self.link.wait_for(newest, self._config.link_wait_s)
            self._silent_s += self.link.now - began
        return None if not found else found[1]

    # -- pictures -------------------------------------------------------------------------------

    def picture_due(self) -> bool:
        """Tell whether there is a picture that nobody has looked at."""
        picture = self.link.picture
        return picture is not None and picture.stamp > self._seen

    def look(self) -> Frame:
        """Return the newest picture, or wait for the next one."""
        self.arm_state()  # waits while the robot is silent
        earliest = max(self._seen, self.link.now - _FRESH_S)

        def is_new() -> bool:
            return self.link.picture is not None and self.link.picture.stamp > earliest

        self.link.wait_for(is_new, self._config.picture_wait_s)
        picture = self.link.picture
        if picture is None or not is_new():
            text = f"no picture for {self._config.picture_wait_s:g} s"
            raise RobotError(FailureReason.NO_PICTURES, text)
        self._seen = self.time_of_picture = picture.stamp
        self.pose_of_picture = picture.robot
        return self._decode(picture)

    def _decode(self, raw: RawPicture) -> Frame:
        colour, depth = pictures.colour_from_msg(raw.colour), pictures.depth_from_msg(raw.depth)
        shape = (self.camera.height, self.camera.width)
        if colour is None or depth is None or not colour.shape[:2] == depth.shape == shape:
            raise RobotError(FailureReason.NO_PICTURES, "a picture cannot be decoded")
        mount = Mount(*camera_in_base(self.arm, raw.arm.joints))
        return Frame(raw.stamp - self._silent_s, colour, depth, mount)

    # -- base -----------------------------------------------------------------------------------

    def step(self, twist: Twist) -> None:
        """Drive for one control period."""
        if any(twist):
            self._may_go_on()
        self.link.drive(twist)
        if self._arm_goal is not None and self._arm_sends > 0:  # commands may be lost on the way
            self._arm_sends -= 1
            self.link.command_arm(*self._arm_goal)
        self.link.pause(self._period)

    def stop(self) -> None:
        """Stand still."""
        self.link.drive(Twist())

    def turn_to(self, point: Point, within: float = 0.06, seconds: float = 5.0) -> None:
        """Turn on the spot until a point of the map is ahead."""
        ends = self.now + seconds
        while self.now < ends:
            bearing = bearing_to(self.pose(), point)
            if abs(bearing) <= within:
                break
            self.step(Twist(turn=_clamped(_TURN_GAIN * bearing, self._config.turn_rad_s)))
        self.stop()

    def stand_before(self, slot: Pose2D) -> bool:
        """Drive to where a place of a station is straight ahead at arm's length.

        The base slides: it is near already, and nothing stands between a robot and a plate.
        """
        far = self._config.stand_m
        place = (slot.x - far * math.cos(slot.yaw), slot.y - far * math.sin(slot.yaw))
        ends = self.now + _STAND_S
        settled = 0
        while self.now < ends and settled < 3:
            robot = self.pose()
            ahead, left = in_robot_frame(robot, place)
            turn = math.remainder(slot.yaw - robot.yaw, 2 * math.pi)
            there = math.hypot(ahead, left) <= _STAND_TOLERANCE_M and abs(turn) <= 0.05
            settled = settled + 1 if there else 0
            self.step(self._towards(ahead, left, turn))
        self.stop()
        return settled >= 3

    def _towards(self, ahead: float, left: float, turn: float) -> Twist:
        away = math.hypot(ahead, left)
        share = _GAIN * min(1.0, self._config.speed_m_s / max(_GAIN * away, 1e-9))
        return Twist(
            share * ahead, share * left, _clamped(_TURN_GAIN * turn, self._config.turn_rad_s)
        )

    def back_off(self) -> None:
        """Drive a little backwards."""
        ends = self.now + _BACK_M / _BACK_M_S
        while self.now < ends:
            self.step(Twist(-_BACK_M_S, 0.0, 0.0))
        self.stop()

    # -- arm ------------------------------------------------------------------------------------

    def command_arm(self, joints: Sequence[float], width: float) -> None:
        """Set angles and gap to go to."""
        self._arm_goal, self._arm_sends = (joints, width), _ARM_SENDS
        self.link.command_arm(joints, width)


def _clamped(value: float, limit: float) -> float:
    return max(-limit, min(limit, value))
