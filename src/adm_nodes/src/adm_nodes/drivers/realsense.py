"""Depth camera node: containers in the arm's frame for the servo, in the map as evidence."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from adm_core.manipulation.arm import load_arm
from adm_core.manipulation.camera import Mount
from adm_core.manipulation.frames import FrameSource, RecordedFrames, RgbdFrame
from adm_core.manipulation.kinds import load_kinds
from adm_core.manipulation.kinematics import camera_in_base
from adm_core.manipulation.perception import Target, find_targets
from adm_core.manipulation.realsense import RealSenseCamera, RealSenseConfig
from adm_core.planning.onboard import OnboardSensor, RobotPlace
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from rclpy.time import Time as RosTime
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, JointState

import adm_interfaces.msg as msgs
from adm_nodes.common import conversions, params, qos, runner
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.drivers.config import DepthCameraConfig
from adm_nodes.drivers.frame_thread import FramePairs, FrameThread


class RealSenseNode(AdmNode):
    """Shell around perception. The camera is opened when activated.

    Parameters
    ----------
    * : see DepthCameraConfig
        Source, topics, frames, evidence.
    realsense.* : see RealSenseConfig
        The camera, where the source is ``device``.

    Topics
    ------
    colour, depth : CompressedImage or Image, info : CameraInfo, subscribed
        Where the source is ``topics``.
    joint states : JointState, pose : PoseStamped, mission : Mission, subscribed
        Where the camera and the robot are, and the map.
    targets : Sightings, published
        Containers in the arm's base frame, with covariances; empty if none is seen.
    robot_reports : RobotReport, published
        The same in the map, while the robot's pose is known.
    """

    def __init__(
        self,
        open_camera: Callable[[RealSenseConfig], FrameSource] | None = None,
        **kwargs: object,
    ) -> None:
        super().__init__("realsense", **kwargs)
        params.declare(self, DepthCameraConfig)
        params.declare(self, RealSenseConfig, "realsense")
        self._open_camera = open_camera or _realsense
        self._frames: FrameThread | FramePairs | None = None
        self.reset()

    def setup(self) -> None:
        """Read the parameters and subscribe; the camera stays closed."""
        self._config = config = params.read(self, DepthCameraConfig)
        self._camera = params.read(self, RealSenseConfig, "realsense")
        self._kinds = load_kinds(config.containers)
        self._sensor = OnboardSensor(
            config.source_id, config.confidence, config.place_tolerance_m, config.sight_m
        )
        self._arm = load_arm()
        self._publish_targets = self.add_publisher(msgs.Sightings, "targets", qos.STATUS)
        self._publish_report = self.add_publisher(msgs.RobotReport, "robot_reports", qos.STATUS)
        self.add_subscription(msgs.Mission, "mission", qos.LATCHED, self._on_mission)
        if config.joints_topic:
            self.add_subscription(JointState, config.joints_topic, qos.FOREIGN, self._on_joints)
        if config.pose_topic:
            self.add_subscription(PoseStamped, config.pose_topic, qos.FOREIGN, self._on_pose)
        if config.source == "topics":
            self._subscribe()
        self.add_timer(1.0 / config.rate_hz, self._look)

    def _subscribe(self) -> None:
        config = self._config
        for topic, take in (
            (config.colour_topic, self._on_colour),
            (config.depth_topic, self._on_depth),
        ):
            kind = CompressedImage if topic.rsplit("/", 1)[-1].startswith("compressed") else Image
            self.add_subscription(kind, topic, qos.FOREIGN, take)
        self.add_subscription(CameraInfo, config.info_topic, qos.FOREIGN, self._on_info)

    def start(self) -> None:
        """Open the source; CameraError if it cannot be."""
        config = self._config
        if config.source == "topics":
            self._frames = FramePairs(config.pair_s)
        else:
            source: FrameSource = (
                self._open_camera(self._camera)
                if config.source == "device"
                else RecordedFrames(config.source)
            )
            self._frames = FrameThread(source, 1 / config.rate_hz, self.get_logger().error)
        self._heard = time.monotonic()

    def stop(self) -> None:
        """Close the camera."""
        frames, self._frames = self._frames, None
        if frames is not None:
            frames.close()

    def reset(self) -> None:
        """Forget where everything was."""
        self._joints: tuple[float, list[float]] | None = None
        self._pose: tuple[float, PoseStamped] | None = None
        self._map_id, self._frame_id = "", "map"
        self._number = 0
        self._heard = 0.0

    # -- input ------------------------------------------------------------------------------

    def _on_mission(self, message: msgs.Mission) -> None:
        self._map_id, self._frame_id = message.map_id, message.frame_id

    def _on_joints(self, message: JointState) -> None:
        found = dict(zip(message.name, message.position, strict=False))
        names = [joint.name for joint in self._arm.joints]
        if all(name in found for name in names):
            self._joints = (time.monotonic(), [found[name] for name in names])

    def _on_pose(self, message: PoseStamped) -> None:
        self._pose = (time.monotonic(), message)

    def _on_colour(self, message: Image | CompressedImage) -> None:
        self._take(message, conversions.picture_from_msg, FramePairs.add_colour)

    def _on_depth(self, message: Image | CompressedImage) -> None:
        self._take(message, conversions.depth_from_msg, FramePairs.add_depth)

    def _take(self, message: Any, convert: Callable, add: Callable) -> None:
        if isinstance(self._frames, FramePairs):
            try:
                add(self._frames, _seconds(message.header.stamp), convert(message))
            except ValueError as err:
                self.get_logger().warning(str(err), throttle_duration_sec=5.0)

    def _on_info(self, message: CameraInfo) -> None:
        if isinstance(self._frames, FramePairs):
            self._frames.add_camera(conversions.camera_from_msg(message))

    # -- frames -----------------------------------------------------------------------------

    def _look(self) -> None:
        frame = None if self._frames is None else self._frames.take()
        if frame is None:
            self._tell_silence()
            return
        self._heard = time.monotonic()
        mount = self._mount()
        if mount is None:
            self.get_logger().warning("no joint states: where the camera is is not known",
                                      throttle_duration_sec=5.0)  # fmt: skip
            return
        targets = find_targets(frame.picture, frame.depth, frame.camera, mount, self._kinds)
        self._tell(frame, targets)

    def _tell_silence(self) -> None:
        silent = time.monotonic() - self._heard
        if self._frames is not None and silent > self._config.silent_s:
            self.get_logger().warning(f"no frame for {silent:.0f} s", throttle_duration_sec=5.0)

    def _mount(self) -> Mount | None:
        """Return where the camera is on the robot; None while the joints are not known."""
        if not self._config.joints_topic:
            return Mount(*camera_in_base(self._arm, self._arm.home))
        if self._joints is None or time.monotonic() - self._joints[0] > self._config.stale_s:
            return None
        return Mount(*camera_in_base(self._arm, self._joints[1]))

    def _tell(self, frame: RgbdFrame, targets: list[Target]) -> None:
        config = self._config
        stamp = self._stamp(frame)
        self._publish_targets(
            conversions.targets_to_msg(
                targets, stamp, config.frame_id, config.source_id, config.confidence
            )
        )
        if self._pose is None or time.monotonic() - self._pose[0] > config.stale_s:
            return
        robot = RobotPlace(
            conversions.pose_from_ros(self._pose[1].pose),
            config.pose_sigma_m,
            math.radians(config.pose_sigma_deg),
        )
        batch = self._sensor.report(
            targets, frame.camera, robot, _seconds(stamp), self._map_id, self._frame_id
        )
        self._number += 1
        self._publish_report(
            conversions.robot_report_to_msg(batch, self._number, stamp, config.pose_sigma_m)
        )

    def _stamp(self, frame: RgbdFrame) -> Time:
        """Return when a frame was taken: a driver's stamp, or now for a camera's own clock."""
        if self._config.source == "topics":
            return RosTime(nanoseconds=round(frame.stamp * 1e9)).to_msg()
        return self.get_clock().now().to_msg()


def _seconds(stamp: Time) -> float:
    return stamp.sec + stamp.nanosec * 1e-9


def _realsense(config: RealSenseConfig) -> FrameSource:
    return RealSenseCamera(config, time.monotonic)


def main() -> int:
    """Run the node."""
    return runner.main(RealSenseNode)


if __name__ == "__main__":
    raise SystemExit(main())
