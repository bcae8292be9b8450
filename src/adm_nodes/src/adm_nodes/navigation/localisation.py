"""Pose, scan and map of a robot as topics, and the life of its map."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from adm_core.types import Pose2D
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped
from nav_msgs.msg import OccupancyGrid
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import LaserScan
from std_msgs.msg import String

from adm_nodes.common import conversions, qos
from adm_nodes.navigation.config import LocalisationConfig
from adm_nodes.navigation.frames import FrameTree
from adm_nodes.navigation.map_watch import MapEpoch, MapWatch, MapWatchConfig

PoseListener = Callable[[Pose2D, Hashable, float], object]
ScanListener = Callable[[Hashable, float], object]
EpochListener = Callable[[MapEpoch, float], object]


class Localisation:
    """What the localisation of a robot says, for whoever listens.

    Topics
    ------
    slam_out_pose, poseupdate or tf, subscribed
        The pose, from the source that is chosen.
    scan : LaserScan, map : OccupancyGrid, syscommand : String, subscribed
        Signs of life, and signs that the map was begun anew.

    Parameters
    ----------
    node : Node
        Owner; its executor must spin.
    config, watch : LocalisationConfig, MapWatchConfig
        Parameters.
    """

    def __init__(
        self,
        node: Node,
        config: LocalisationConfig | None = None,
        watch: MapWatchConfig | None = None,
    ) -> None:
        self._node = node
        self._config = config or LocalisationConfig()
        self._watch = MapWatch(watch or MapWatchConfig(), secrets.token_hex(4))
        self._tree = FrameTree()
        self._latest: tuple[Pose2D, float] | None = None
        self._on_pose: list[PoseListener] = []
        self._on_scan: list[ScanListener] = []
        self._on_epoch: list[EpochListener] = []
        self._group = MutuallyExclusiveCallbackGroup()
        self._subscriptions: list[Any] = []
        self._subscribe_pose()
        self._subscribe(LaserScan, "scan", qos.FOREIGN, self._take_scan)
        if self._config.watch_map:
            self._subscribe(OccupancyGrid, "map", qos.LATCHED, self._take_map)
            self._subscribe(String, "syscommand", qos.FOREIGN, self._take_command)

    # -- for users --------------------------------------------------------------------------

    @property
    def epoch(self) -> MapEpoch:
        """The present life of the map."""
        return self._watch.epoch

    @property
    def has_pose(self) -> bool:
        """Whether there is a source of poses at all."""
        return self._config.source != "none"

    def pose(self, max_age_s: float = float("inf")) -> Pose2D | None:
        """Return where the base is; None if nobody said so within `max_age_s`."""
        latest = self._latest
        if latest is None or time.monotonic() - latest[1] > max_age_s:
            return None
        return latest[0]

    def listen(
        self,
        on_pose: PoseListener | None = None,
        on_scan: ScanListener | None = None,
        on_epoch: EpochListener | None = None,
    ) -> None:
        """Call back with poses, scans and new lives of the map, in the executor's thread.

        Times are those of arrival on the steady clock; stamps only tell messages apart.
        """
        if on_pose is not None:
            self._on_pose.append(on_pose)
        if on_scan is not None:
            self._on_scan.append(on_scan)
        if on_epoch is not None:
            self._on_epoch.append(on_epoch)

    def close(self) -> None:
        """Release the ROS handles; safe to repeat."""
        while self._subscriptions:
            self._node.destroy_subscription(self._subscriptions.pop())

    # -- input ------------------------------------------------------------------------------

    def _subscribe(self, msg_type: Any, topic: str, profile: Any, take: Callable) -> None:
        self._subscriptions.append(
            self._node.create_subscription(
                msg_type, topic, take, profile, callback_group=self._group
            )
        )

    def _subscribe_pose(self) -> None:
        source = self._config.source
        if source == "slam_out_pose":
            self._subscribe(PoseStamped, source, qos.FOREIGN, self._take_stamped)
        elif source == "poseupdate":
            self._subscribe(PoseWithCovarianceStamped, source, qos.FOREIGN, self._take_covariant)
        elif source == "tf":
            kind = _tf_message()
            self._subscribe(kind, "tf", qos.FOREIGN, self._take_tf)
            self._subscribe(kind, "tf_static", qos.LATCHED_MANY, self._take_tf)

    def _take_stamped(self, message: PoseStamped) -> None:
        self._take_pose(message.header, message.pose)

    def _take_covariant(self, message: PoseWithCovarianceStamped) -> None:
        self._take_pose(message.header, message.pose.pose)

    def _take_tf(self, message: Any) -> None:
        for item in message.transforms:
            turn, place = item.transform.rotation, item.transform.translation
            parent = item.header.frame_id.lstrip("/")
            pose = conversions.planar(place, turn)
            self._tree.put(parent, item.child_frame_id, pose)
            if parent == self._config.map_frame:
                base = self._tree.find(parent, self._config.base_frame)
                if base is not None:
                    self._spread(base, _stamp(item.header))

    def _take_pose(self, header: Any, pose: Any) -> None:
        if header.frame_id.lstrip("/") == self._config.map_frame:
            self._spread(conversions.planar(pose.position, pose.orientation), _stamp(header))

    def _spread(self, pose: Pose2D, stamp: Hashable) -> None:
        if not all(map(math.isfinite, pose)):
            return
        now = time.monotonic()
        if self._config.watch_map:
            self._announce(self._watch.on_pose(pose, now), now)
        self._latest = pose, now
        for listener in self._on_pose:
            listener(pose, stamp, now)

    def _take_scan(self, message: LaserScan) -> None:
        now = time.monotonic()
        for listener in self._on_scan:
            listener(_stamp(message.header), now)

    def _take_map(self, message: OccupancyGrid) -> None:
        """Only look: a map has millions of cells, and nothing here needs a copy of them."""
        now, info = time.monotonic(), message.info
        extent = (info.height, info.width, info.resolution, conversions.pose_from_ros(info.origin))
        known = int(np.count_nonzero(np.frombuffer(message.data, dtype=np.int8) >= 0))
        self._announce(self._watch.on_map(extent, known, now), now)

    def _take_command(self, message: String) -> None:
        if message.data == "reset":
            now = time.monotonic()
            self._announce(self._watch.on_reset("reset by syscommand", now), now)

    def _announce(self, epoch: MapEpoch | None, now: float) -> None:
        if epoch is not None:
            self._node.get_logger().warning(f"new map {epoch.map_id}: {epoch.reason}")
            for listener in self._on_epoch:
                listener(epoch, now)


def _tf_message() -> Any:
    try:
        from tf2_msgs.msg import TFMessage  # not among the wheels: built beside them
    except ImportError as err:
        raise ValueError("source must not be tf: the package tf2_msgs is missing") from err
    return TFMessage


def _stamp(header: Any) -> Hashable:
    return header.stamp.sec, header.stamp.nanosec
