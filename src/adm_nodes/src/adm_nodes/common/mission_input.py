"""Mission and map from their latched topics, as on a robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from adm_core.grid.terrain import Terrain
from adm_core.memory.static import Mission
from nav_msgs.msg import OccupancyGrid

import adm_interfaces.msg as msgs
from adm_nodes.common import conversions, qos
from adm_nodes.common.floor import Floor
from adm_nodes.common.lifecycle import AdmNode


@dataclass(frozen=True)
class Announced:
    """A mission as it was announced.

    Attributes
    ----------
    run_id : str
        Name of the run.
    mission, terrain : Mission, Terrain
        Static memory, and the map with the robot on it.
    floor : Floor or None
        Of a mission whose building is still being explored; the terrain grows with it.
    """

    run_id: str
    mission: Mission
    terrain: Terrain
    floor: Floor | None = None

    async def floor_at(self, now: float) -> None:
        """Wait until what can be walked on at a time of the mission is known."""
        if self.floor is not None:
            await self.floor.until(now)


class MissionInput:
    """Wait for a mission and its map, then hand both over.

    One mission is known at a time: another one is refused, unless it says that it replaces it.
    A map of other content or size than the mission's is refused too: poses, path lengths and
    records belong to the map that the mission began with.

    A mission whose building is still being explored has no map; its terrain is the floor that
    comes on `floor`, and grows with it.

    Parameters
    ----------
    node : AdmNode
        Owner; its subscriptions live until it is released.
    on_ready : callable
        Gets each mission that is accepted.
    """

    def __init__(self, node: AdmNode, on_ready: Callable[[Announced], None]) -> None:
        self._node = node
        self._on_ready = on_ready
        self._mission: msgs.Mission | None = None
        self._grid: OccupancyGrid | None = None
        self._waiting = False  # for the map of the mission
        node.add_subscription(msgs.Mission, "mission", qos.LATCHED, self._on_mission)
        node.add_subscription(OccupancyGrid, "map", qos.LATCHED, self._on_map)
        self._floor = Floor(node, self._try)

    def _on_mission(self, message: msgs.Mission) -> None:
        known = self._mission
        if known is not None and message.run_id == known.run_id:
            return
        if known is not None and message.replaces != known.run_id:
            self._node.get_logger().error(
                f"mission {message.run_id} refused: {known.run_id} is under way"
            )
            return
        self._mission, self._waiting = message, True
        self._try()

    def _on_map(self, message: OccupancyGrid) -> None:
        self._grid = message
        if self._waiting or self._mission is None:
            self._try()
        elif self._mission.floor_grows:
            return  # for viewers only
        elif conversions.grid_from_msg(message).map_id != self._mission.map_id:
            rows, cols = message.info.height, message.info.width
            self._node.get_logger().error(
                f"map of {rows} x {cols} cells refused: the mission goes on with its own, "
                f"{self._mission.map_id}"
            )

    def _try(self) -> None:
        if self._mission is not None and self._mission.floor_grows:
            self._try_floor(self._mission)
            return
        if self._mission is None or self._grid is None:
            return
        grid_map = conversions.mission_map_from_msgs(self._mission, self._grid)
        mission = conversions.mission_from_msg(self._mission)
        self._waiting, self._grid = False, None
        terrain = Terrain.for_robot(grid_map, mission.robot_radius_m, mission.diagonal)
        self._on_ready(Announced(self._mission.run_id, mission, terrain))

    def _try_floor(self, message: msgs.Mission) -> None:
        if not (self._waiting and self._floor.is_there):
            return
        self._waiting = False
        mission = conversions.mission_from_msg(message)
        terrain = self._floor.terrain(mission)
        self._on_ready(Announced(message.run_id, mission, terrain, self._floor))
