"""Viewer node of a search: area graph, team and assignments for RViz and Foxglove."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from adm_core.config import Config, param
from adm_core.types import Pose2D
from adm_nodes.common import params, qos, runner
from adm_nodes.common.conversions import search as convert
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.markers.board import MarkerBoard
from visualization_msgs.msg import MarkerArray

import adm_interfaces.msg as msgs
from sagr_nodes.config import TeamConfig
from sagr_nodes.markers import graph_markers, team_markers, track_markers


@dataclass(frozen=True)
class ViewerConfig(Config):
    """Parameters of the viewer."""

    size_m: float = param(0.3, "diameter of a drawn robot", unit="m", min=0.01, max=10.0)
    track_poses: int = param(5000, "poses of a robot's way that are kept", min=2, max=100_000)
    period_s: float = param(0.2, "time between two pictures", unit="s", min=0.02, max=10.0)


class SearchViewerNode(AdmNode):
    """Draw what a team knows and does; no node depends on it.

    The fused map itself is drawn from the topic `map` of map fusion.

    Parameters
    ----------
    common_frame : see TeamConfig
    size_m, track_poses, period_s : see ViewerConfig

    Topics
    ------
    search : SearchOrder, area_graph : AreaGraph, assignments : RoomAssignments,
    reports : SearcherReport, subscribed
    markers/area_graph, markers/team, markers/tracks : MarkerArray, published, latched
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("search_viewer", **kwargs)
        params.declare(self, TeamConfig)
        params.declare(self, ViewerConfig)
        self.reset()

    def setup(self) -> None:
        """Listen to the team."""
        self._config = params.read(self, ViewerConfig)
        frame_id = params.read(self, TeamConfig).common_frame
        self._boards = [MarkerBoard(frame_id) for _ in range(3)]
        self._show_graph = self.add_publisher(MarkerArray, "markers/area_graph", qos.LATCHED)
        self._show_team = self.add_publisher(MarkerArray, "markers/team", qos.LATCHED)
        self._show_tracks = self.add_publisher(MarkerArray, "markers/tracks", qos.LATCHED)
        self.add_subscription(msgs.SearchOrder, "search", qos.LATCHED, self._on_order)
        self.add_subscription(msgs.AreaGraph, "area_graph", qos.LATCHED, self._on_graph)
        self.add_subscription(
            msgs.RoomAssignments, "assignments", qos.LATCHED, self._on_assignments
        )
        self.add_subscription(msgs.SearcherReport, "reports", qos.TEAM, self._on_report)
        self.add_timer(self._config.period_s, self._draw)

    def reset(self) -> None:
        """Forget the search."""
        self._run_id = ""
        self._graph = msgs.AreaGraph()
        self._assignments = msgs.RoomAssignments()
        self._reports: dict[int, msgs.SearcherReport] = {}
        self._tracks: dict[int, deque[Pose2D]] = {}
        self._changed = False

    # -- input ------------------------------------------------------------------------------

    def _on_order(self, message: msgs.SearchOrder) -> None:
        if message.active and message.run_id != self._run_id:
            self.reset()
            self._run_id = message.run_id

    def _on_graph(self, message: msgs.AreaGraph) -> None:
        self._graph, self._changed = message, True

    def _on_assignments(self, message: msgs.RoomAssignments) -> None:
        self._assignments, self._changed = message, True

    def _on_report(self, message: msgs.SearcherReport) -> None:
        pose = convert.checked_pose(message.pose, f"pose of robot {message.robot}")
        self._reports[message.robot] = message
        track = self._tracks.setdefault(message.robot, deque(maxlen=self._config.track_poses))
        if not track or track[-1][:2] != pose[:2]:
            track.append(pose)
        self._changed = True

    # -- pictures ---------------------------------------------------------------------------

    def _draw(self) -> None:
        """Publish everything if something is new."""
        if not (self._changed and self.is_active):
            return
        self._changed = False
        size_m = self._config.size_m
        graph, team, tracks = self._boards
        self._show_graph(graph.replace(graph_markers(self._graph, size_m)))
        members = team_markers(self._reports, self._graph, self._assignments, size_m)
        self._show_team(team.replace(members))
        self._show_tracks(tracks.replace(track_markers(self._tracks, size_m)))


def main() -> int:
    """Run the node."""
    return runner.main(SearchViewerNode)


if __name__ == "__main__":
    raise SystemExit(main())
