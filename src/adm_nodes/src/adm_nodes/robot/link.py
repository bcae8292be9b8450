"""Everything that comes from the robot and goes to it, with how old it is. Thread-safe."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from adm_core.manipulation.arm import ArmModel
from adm_core.manipulation.camera import Intrinsics
from adm_core.manipulation.sequence import ArmState
from adm_core.manipulation.servo import Twist
from adm_core.types import GridMap, Pose2D
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped
from geometry_msgs.msg import Twist as TwistMsg
from nav_msgs.msg import OccupancyGrid
from rclpy.duration import Duration
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, CompressedImage, JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from adm_nodes.common import conversions, qos
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.robot import pictures
from adm_nodes.robot.clock import RobotClock
from adm_nodes.robot.config import RobotConfig, TopicConfig
from adm_nodes.robot.trust import Trust

#: Of a velocity only the newest counts, but that one must arrive.
_COMMAND = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
_RAD_PER_PULSE, _MIDDLE = math.radians(0.24), 500.0
_ARM_S = 0.12  # time a servo is given for a command: a little more than until the next one


class RawPicture(NamedTuple):
    """A picture as it arrived: when it was taken, its data, arm and robot at that time."""

    stamp: float
    colour: CompressedImage
    depth: CompressedImage
    arm: ArmState
    robot: Pose2D


class RobotLink:
    """Topics of the robot.

    Parameters
    ----------
    node : AdmNode
        Owner; what is made here is released with it.
    topics, config : TopicConfig, RobotConfig
        Names and patience.
    arm : ArmModel
        Kinematics.
    """

    def __init__(
        self, node: AdmNode, topics: TopicConfig, config: RobotConfig, arm: ArmModel
    ) -> None:
        self._config, self._arm = config, arm
        self.scale = config.time_scale
        self._started = time.monotonic()
        self.news = threading.Condition()
        self._clock = RobotClock()
        self._pose: tuple[float, Pose2D] | None = None
        self._way: deque[tuple[float, Pose2D]] = deque(maxlen=20)  # by the robot's own clock
        self._joints: deque[tuple[float, float, ArmState]] = deque(maxlen=40)
        self._halves: dict[tuple[int, int], dict[str, CompressedImage]] = {}
        self._picture: RawPicture | None = None
        self._grid: OccupancyGrid | None = None
        self._grid_map: GridMap | None = None
        self.camera: Intrinsics | None = None
        self._trust = Trust()
        self._subscribe(node, topics)
        self._velocity = node.add_publisher(TwistMsg, topics.cmd_vel, _COMMAND)
        self._arm_goal = node.add_publisher(JointTrajectory, topics.arm, _COMMAND)
        self._initial = node.add_publisher(PoseWithCovarianceStamped, topics.initial_pose, _COMMAND)

    def _subscribe(self, node: AdmNode, topics: TopicConfig) -> None:
        def picture(half: str) -> Callable[[CompressedImage], None]:
            return lambda message: self._on_half(half, message)

        for kind, topic, profile, callback in (
            (PoseStamped, topics.pose, qos.FOREIGN, self._on_pose),
            (OccupancyGrid, topics.map, qos.LATCHED, self._on_map),
            (JointState, topics.joints, qos.FOREIGN, self._on_joints),
            (CompressedImage, topics.colour, qos.FOREIGN, picture("colour")),
            (CompressedImage, topics.depth, qos.FOREIGN, picture("depth")),
            (CameraInfo, topics.camera_info, qos.FOREIGN, self._on_camera),
        ):
            node.add_subscription(kind, topic, profile, callback)

    # -- time -----------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Seconds since this link was made, in the robot's time."""
        return (time.monotonic() - self._started) * self.scale

    def pause(self, seconds: float) -> None:
        """Wait for some of the robot's seconds."""
        time.sleep(max(0.0, seconds) / self.scale)

    def wait_for(self, condition: Callable[[], Any], seconds: float) -> Any:
        """Wait until news make `condition` true, or for some of the robot's seconds."""
        with self.news:
            return self.news.wait_for(condition, seconds / self.scale)

    def _local(self, header: Any) -> float:
        return self._clock.local(_seconds(header), self.now)

    # -- what comes -------------------------------------------------------------------------------

    def _on_pose(self, message: PoseStamped) -> None:
        pose = conversions.pose_from_ros(message.pose)
        if all(map(math.isfinite, pose)):
            with self.news:
                self._pose = (self._local(message.header), pose)
                self._way.append((_seconds(message.header), pose))
                self._trust.note(pose, _seconds(message.header))
                self.news.notify_all()

    def _on_map(self, message: OccupancyGrid) -> None:
        with self.news:
            self._grid, self._grid_map = message, None
            self.news.notify_all()

    def _on_joints(self, message: JointState) -> None:
        angles = dict(zip(message.name, message.position, strict=False))
        try:
            first, second, third, fourth, fifth = (angles[item.name] for item in self._arm.joints)
            gripper = angles[self._config.gripper_joint]
        except KeyError:
            return  # another robot's, or half a message
        width = self._arm.gripper.width(_MIDDLE + gripper / _RAD_PER_PULSE)
        state = ArmState((first, second, third, fourth, fifth), width)
        with self.news:
            self._joints.append((_seconds(message.header), self._local(message.header), state))
            self.news.notify_all()

    def _on_camera(self, message: CameraInfo) -> None:
        if self.camera is None or (message.width, message.height) != (
            self.camera.width,
            self.camera.height,
        ):
            self.camera = pictures.camera_from_msg(message)

    def _on_half(self, half: str, message: CompressedImage) -> None:
        """Keep a colour or depth picture until the other of the same time is there."""
        key = (message.header.stamp.sec, message.header.stamp.nanosec)
        with self.news:
            halves = self._halves.setdefault(key, {})
            halves[half] = message
            if len(halves) < 2:
                while len(self._halves) > 4:
                    del self._halves[min(self._halves)]
                return
            del self._halves[key]
            if not self._joints or not self._way:
                return
            taken = key[0] + 1e-9 * key[1]
            arm = min(self._joints, key=lambda item: abs(item[0] - taken))[2]
            self._picture = RawPicture(
                self._local(message.header),
                halves["colour"],
                halves["depth"],
                arm,
                _pose_at(self._way, taken),
            )
            self.news.notify_all()

    # -- localisation -----------------------------------------------------------------------------

    @property
    def is_lost(self) -> bool:
        """Whether the localisation has begun anew: its poses are those of another map."""
        return self._trust.is_lost

    @property
    def trusted(self) -> Pose2D | None:
        """The last pose of the map that is relied on."""
        return self._trust.pose

    @property
    def travelled_m(self) -> float:
        """Way in the map that is relied on, metres."""
        return self._trust.travelled_m

    def carry_on(self) -> Pose2D | None:
        """Add the motion since the map was begun anew to the trusted pose; return that."""
        with self.news:
            return self._trust.carry_on()

    def note_new_map(self) -> None:
        """Take note that the localisation has begun a new map."""
        with self.news:
            self._trust.lose()
            self.news.notify_all()

    def rely_on_present_map(self) -> None:
        """Take the present map for the one that the mission is about."""
        with self.news:
            stamp = self._way[-1][0] if self._way else 0.0
            self._trust.rely_on(self._pose[1] if self._pose else None, stamp)

    # -- what is known ----------------------------------------------------------------------------

    @property
    def pose(self) -> tuple[float, Pose2D] | None:
        """When the robot was where; None before the first pose."""
        return self._pose

    @property
    def arm(self) -> tuple[float, ArmState] | None:
        """When the servos were where; None before the first word."""
        return self._joints[-1][1:] if self._joints else None

    @property
    def picture(self) -> RawPicture | None:
        """The newest picture."""
        return self._picture

    def grid_map(self) -> GridMap | None:
        """Return the robot's present map; None before the first, or if it is malformed."""
        with self.news:
            if self._grid_map is None and self._grid is not None:
                try:
                    self._grid_map = conversions.grid_from_msg(self._grid)
                except ValueError:
                    self._grid = None
            return self._grid_map

    # -- what goes --------------------------------------------------------------------------------

    def drive(self, twist: Twist) -> None:
        """Command a velocity."""
        message = TwistMsg()
        message.linear.x, message.linear.y, message.angular.z = map(float, twist)
        self._velocity(message)

    def command_arm(self, joints: Sequence[float], width: float) -> None:
        """Command angles and gap; the gap is limited to what the gripper can do."""
        gripper = self._arm.gripper
        pulse = gripper.pulse(min(max(width, 0.0), gripper.open_width))
        names = [item.name for item in self._arm.joints] + [self._config.gripper_joint]
        point = JointTrajectoryPoint()
        point.positions = [*map(float, joints), (pulse - _MIDDLE) * _RAD_PER_PULSE]
        point.time_from_start = Duration(seconds=_ARM_S).to_msg()
        self._arm_goal(JointTrajectory(joint_names=names, points=[point]))

    def tell_pose(self, pose: Pose2D, frame_id: str) -> None:
        """Tell the localisation where the robot is."""
        message = PoseWithCovarianceStamped()
        message.header.frame_id = frame_id
        message.pose.pose = conversions.pose_to_ros(pose)
        self._initial(message)


def _seconds(header: Any) -> float:
    return header.stamp.sec + 1e-9 * header.stamp.nanosec


def _pose_at(way: Sequence[tuple[float, Pose2D]], stamp: float) -> Pose2D:
    """Return where the robot was at a time between two poses; the nearest one outside."""
    for (start, a), (end, b) in pairwise(way):
        if start <= stamp <= end and end > start:
            share = (stamp - start) / (end - start)
            turn = math.remainder(b.yaw - a.yaw, 2 * math.pi)
            return Pose2D(
                a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.yaw + share * turn
            )
    return min(way, key=lambda item: abs(item[0] - stamp))[1]
