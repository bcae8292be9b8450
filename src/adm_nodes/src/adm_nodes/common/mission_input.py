"""Mission and map from their latched topics, as on a robot."""

from __future__ import annotations

from collections.abc import Callable

from adm_core.grid.terrain import Terrain
from adm_core.memory.static import Mission
from nav_msgs.msg import OccupancyGrid

import adm_interfaces.msg as msgs
from adm_nodes.common import conversions, qos
from adm_nodes.common.lifecycle import AdmNode


class MissionInput:
    """Wait for a mission and its map, then hand both over, once.

    Parameters
    ----------
    node : AdmNode
        Owner; its subscriptions live until it is released.
    on_ready : callable
        Gets static memory and the terrain built from the map.
    """

    def __init__(self, node: AdmNode, on_ready: Callable[[Mission, Terrain], None]) -> None:
        self._node = node
        self._on_ready = on_ready
        self._mission: msgs.Mission | None = None
        self._grid: OccupancyGrid | None = None
        self._done = False
        node.add_subscription(msgs.Mission, "mission", qos.LATCHED, self._on_mission)
        node.add_subscription(OccupancyGrid, "map", qos.LATCHED, self._on_map)

    def _on_mission(self, message: msgs.Mission) -> None:
        if self._mission is None:
            self._mission = message
            self._try()
        elif message.run_id != self._mission.run_id:
            self._node.get_logger().error(
                f"mission {message.run_id} refused: {self._mission.run_id} is under way"
            )

    def _on_map(self, message: OccupancyGrid) -> None:
        if not self._done:
            self._grid = message
            self._try()

    def _try(self) -> None:
        if self._mission is None or self._grid is None:
            return
        grid_map = conversions.mission_map_from_msgs(self._mission, self._grid)
        mission = conversions.mission_from_msg(self._mission)
        self._done, self._grid = True, None
        terrain = Terrain.for_robot(grid_map, mission.robot_radius_m, mission.diagonal)
        self._on_ready(mission, terrain)
