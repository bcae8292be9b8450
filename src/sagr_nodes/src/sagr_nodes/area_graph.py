"""Area graph node: rooms, frontiers and what touches what, with ids that last."""

from __future__ import annotations

import time

import numpy as np
from adm_core.search.config import SearchConfig
from adm_core.types import Cell
from adm_nodes.common import params, qos, runner
from adm_nodes.common.conversions import search as convert
from adm_nodes.common.errors import NotActiveError
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.map_link import MapFollower
from rclpy.task import Future

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from sagr_nodes.config import TeamConfig
from sagr_nodes.fused_map import FusedMap

_CHECK_S = 0.1
#: A map that an asker has is waited for so long, then the one at hand must do.
_WAIT_S = 1.0
#: Without lockstep a new graph is shown so often.
_SHOW_S = 1.0


class AreaGraphNode(AdmNode):
    """Keep the semantic area graph of the fused map.

    It alone gives rooms their ids, so that coordinator and explorers speak of the same rooms. In
    lockstep that happens only when somebody asks, as in a search without ROS: ids depend on the
    maps that were looked at.

    Parameters
    ----------
    robots, lockstep, common_frame, ... : see TeamConfig
    search.* : see SearchConfig
        How frontiers are clustered.

    Topics
    ------
    fused_map, fused_map_updates : LabelledMap, MapUpdate, subscribed
    reports : SearcherReport, subscribed
        Which room each robot is in.
    area_graph : AreaGraph, published, latched
        For viewers: every graph that was asked for, and one a second without lockstep.

    Services
    --------
    get_area_graph : GetAreaGraph
    """

    def __init__(self, **kwargs: object) -> None:
        super().__init__("area_graph", **kwargs)
        params.declare(self, TeamConfig)
        params.declare(self, SearchConfig, "search")
        self._follower: MapFollower | None = None
        self.reset()

    def setup(self) -> None:
        """Follow the fused map."""
        team = params.read(self, TeamConfig)
        search = params.read(self, SearchConfig, "search")
        self._map: FusedMap | None = FusedMap(search, team.common_frame)
        self._cells: list[Cell | None] = [None] * team.robots
        self._publish = self.add_publisher(msgs.AreaGraph, "area_graph", qos.LATCHED)
        self._follower = MapFollower(self, "fused_map", self._map.replace, self._on_change)
        self.add_subscription(msgs.SearcherReport, "reports", qos.TEAM, self._on_report)
        self.add_service(srvs.GetAreaGraph, "get_area_graph", self._on_get, kept=0)
        self.add_timer(_CHECK_S, self._let_go)
        if not team.lockstep:
            self.add_timer(_SHOW_S, self._show)

    def start(self) -> None:
        """Begin to ask for maps that were missed."""
        assert self._follower is not None
        self._follower.open()

    def stop(self) -> None:
        """Let go of requests that wait for a map."""
        if self._follower is not None:
            self._follower.close()
        for _, _, future in self._waiting:
            future.set_exception(NotActiveError("the area graph was deactivated"))
        self._waiting.clear()

    def reset(self) -> None:
        """Drop the map."""
        self._map = self._follower = None
        self._waiting: list[tuple[tuple[int, int], float, Future]] = []
        self._made: tuple[tuple[int, int], msgs.AreaGraph] | None = None

    # -- input ------------------------------------------------------------------------------

    def _on_change(self, message: msgs.MapUpdate) -> None:
        assert self._map is not None
        self._map.apply(message)

    def _on_report(self, message: msgs.SearcherReport) -> None:
        if self._map is None or self._map.frame is None or message.robot >= len(self._cells):
            return
        pose = convert.checked_pose(message.pose, f"pose of robot {message.robot}")
        self._cells[message.robot] = convert.cell_of(self._map.frame, pose)

    # -- output -----------------------------------------------------------------------------

    async def _on_get(
        self, request: srvs.GetAreaGraph.Request, response: srvs.GetAreaGraph.Response
    ) -> None:
        assert self._follower is not None
        wanted = (request.epoch, request.seq)
        if self._follower.numbers < wanted:
            arrived = Future()
            self._waiting.append((wanted, time.monotonic() + _WAIT_S, arrived))
            await arrived
        response.graph = self._graph()

    def _let_go(self) -> None:
        """Let requests go on whose map has come, or comes too late."""
        if self._follower is None:
            return
        now = time.monotonic()
        for item in list(self._waiting):
            wanted, until, future = item
            if self._follower.numbers >= wanted or now > until:
                self._waiting.remove(item)
                future.set_result(None)
        if self._waiting:
            self._follower.ask()

    def _graph(self) -> msgs.AreaGraph:
        """Return the graph of the present map; each is made, and its ids given, once."""
        assert self._map is not None and self._follower is not None
        known, frame = self._map.team_map, self._map.frame
        if known is None or frame is None:
            raise NotActiveError("no map yet")
        numbers = self._follower.numbers
        if self._made is None or self._made[0] != numbers:
            cols = known.shape[1]
            inside = [
                cell.row * cols + cell.col
                for cell in self._cells
                if cell is not None and known.contains(cell)
            ]
            graph = known.graph(np.array(inside, np.int64))
            message = convert.graph_to_msg(graph, frame)
            message.header.frame_id = self._common_frame()
            message.header.stamp = self.get_clock().now().to_msg()
            message.epoch, message.seq = numbers
            message.step = max(self._follower.step, 0)
            self._made = (numbers, message)
            self._publish(message)
        return self._made[1]

    def _common_frame(self) -> str:
        return str(self.get_parameter("common_frame").value)

    def _show(self) -> None:
        if self.is_active and self._map is not None and self._map.team_map is not None:
            self._graph()


def main() -> int:
    """Run the node."""
    return runner.main(AreaGraphNode)


if __name__ == "__main__":
    raise SystemExit(main())
