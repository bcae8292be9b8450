"""Viewer node: what a mission's nodes tell, as markers and paths for RViz and Foxglove."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from adm_core.config import Config, param
from adm_core.memory.dynamic import MemoryConfig
from adm_core.memory.records import Record
from adm_core.memory.static import Mission
from adm_core.planning.progress import Snapshot
from adm_core.types import Pose2D
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from visualization_msgs.msg import MarkerArray

import adm_interfaces.msg as msgs
from adm_nodes.common import conversions, params, qos, runner
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.markers.board import MarkerBoard
from adm_nodes.markers.memory import entity_markers, mission_markers
from adm_nodes.markers.plan import plan_markers


@dataclass(frozen=True)
class ViewerConfig(Config):
    """Parameters of the viewer."""

    size_m: float = param(0.3, "diameter of a drawn entity", unit="m", min=0.01, max=10.0)
    most_entities: int = param(500, "entities that are drawn at most", min=1, max=5000)
    path_poses: int = param(5000, "poses of the robot's way that are kept", min=2, max=100_000)
    period_s: float = param(0.2, "time between two pictures", unit="s", min=0.02, max=10.0)


class ViewerNode(AdmNode):
    """Draw memory, exposure, plan and its reasons; no node depends on it.

    Parameters
    ----------
    size_m, most_entities, path_poses, period_s : see ViewerConfig
    memory.report_sigma_m : float
        Standard deviation of a reported position: two of them are drawn around an entity.

    Topics
    ------
    mission : Mission, records : EntityRecords, mission_status : MissionStatus, subscribed
    markers/mission, markers/entities, markers/plan : MarkerArray, published, latched
    robot_pose : PoseStamped, robot_path : Path, published, latched
    """

    def __init__(self, **kwargs: object) -> None:
        super().__init__("viewer", **kwargs)
        params.declare(self, ViewerConfig)
        params.declare(self, MemoryConfig, "memory", names=["report_sigma_m"])
        self.reset()

    def setup(self) -> None:
        """Listen to the mission."""
        self._config = params.read(self, ViewerConfig)
        memory = params.read(self, MemoryConfig, "memory", names=["report_sigma_m"])
        self._sigma_m = memory.report_sigma_m
        self._way: deque[PoseStamped] = deque(maxlen=self._config.path_poses)
        self._show_mission = self.add_publisher(MarkerArray, "markers/mission", qos.LATCHED)
        self._show_entities = self.add_publisher(MarkerArray, "markers/entities", qos.LATCHED)
        self._show_plan = self.add_publisher(MarkerArray, "markers/plan", qos.LATCHED)
        self._show_pose = self.add_publisher(PoseStamped, "robot_pose", qos.LATCHED)
        self._show_path = self.add_publisher(Path, "robot_path", qos.LATCHED)
        self.add_subscription(msgs.Mission, "mission", qos.LATCHED, self._on_mission)
        self.add_subscription(msgs.EntityRecords, "records", qos.LATCHED, self._on_records)
        self.add_subscription(msgs.MissionStatus, "mission_status", qos.STATUS, self._on_status)
        self.add_timer(self._config.period_s, self._draw)

    def reset(self) -> None:
        """Forget the mission."""
        self._mission: Mission | None = None
        self._records: tuple[Record, ...] = ()
        self._snapshot: Snapshot | None = None
        self._changed = self._is_new = False  # the picture; the mission, which is drawn once

    # -- input ------------------------------------------------------------------------------

    def _on_mission(self, message: msgs.Mission) -> None:
        self._mission = conversions.mission_from_msg(message)
        self._boards = [MarkerBoard(self._mission.frame_id) for _ in range(3)]
        self._way.clear()
        self._changed = self._is_new = True

    def _on_records(self, message: msgs.EntityRecords) -> None:
        self._records = tuple(conversions.record_from_msg(item) for item in message.records)
        self._changed = True

    def _on_status(self, message: msgs.MissionStatus) -> None:
        self._snapshot = conversions.snapshot_from_msg(message)
        self._way.append(self._stamped(self._snapshot.robot))
        self._changed = True

    # -- pictures ---------------------------------------------------------------------------

    def _draw(self) -> None:
        """Publish everything if something is new; a mission without news costs nothing."""
        if not (self._changed and self._mission and self.is_active):
            return
        self._changed = False
        fixed, entities, plan = self._boards
        if self._is_new:
            self._is_new = False
            self._show_mission(fixed.replace(mission_markers(self._mission, self._config.size_m)))
        self._show_entities(entities.replace(self._entities()))
        if self._snapshot is not None:
            shown = plan_markers(self._snapshot, self._places(), self._config.size_m)
            self._show_plan(plan.replace(shown))
            self._show_pose(self._way[-1])
            self._show_path(Path(header=self._way[-1].header, poses=list(self._way)))

    def _entities(self) -> list:
        exposed = self._snapshot.exposed if self._snapshot else ()
        scores = {item.id: item.score for item in exposed}
        config = self._config
        return entity_markers(
            self._records, scores, self._sigma_m, config.size_m, config.most_entities
        )

    def _places(self) -> dict[str, Pose2D]:
        assert self._mission is not None
        places = {item.id: item.pose for item in self._mission.stations}
        return places | {item.id: item.pose for item in self._records}

    def _stamped(self, pose: Pose2D) -> PoseStamped:
        message = PoseStamped(pose=conversions.pose_to_ros(pose))
        message.header.frame_id = self._mission.frame_id if self._mission else "map"
        return message


def main() -> int:
    """Run the node."""
    return runner.main(ViewerNode)


if __name__ == "__main__":
    raise SystemExit(main())
