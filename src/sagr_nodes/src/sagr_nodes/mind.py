"""A node that decides on the fused map, with the room ids that the whole team shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from adm_core.rooms.instances import RoomInstances
from adm_core.search.config import SearchConfig
from adm_nodes.common.map_link import MapFollower

from sagr_nodes.fused_map import FusedMap
from sagr_nodes.room_ids import AskedRoomIds
from sagr_nodes.worker import WorkerNode


class MindNode(WorkerNode):
    """Worker that follows the fused map while it is active.

    Subclasses call :meth:`follow_map` when they are set up.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self._follower: MapFollower | None = None
        self._room_ids: AskedRoomIds | None = None

    def follow_map(self, config: SearchConfig, common_frame: str, ids_s: float) -> None:
        """Listen to the fused map; room ids are waited for `ids_s` seconds."""
        self._map = FusedMap(config, common_frame, self._ids)
        self._ids_s = ids_s
        self._follower = MapFollower(
            self, "fused_map", self._map.replace, self._map.apply, self.mail.to
        )

    def start(self) -> None:
        """Begin to ask for what was missed, and to decide."""
        assert self._follower is not None
        self._room_ids = AskedRoomIds(self, self._follower, self._ids_s)
        self._follower.open()
        super().start()

    def stop(self) -> None:
        """Cease to decide."""
        super().stop()
        for item in (self._follower, self._room_ids):
            if item is not None:
                item.close()
        self._room_ids = None

    def reset(self) -> None:
        """Let go of the map."""
        self._follower = None

    def _ids(self, rooms: RoomInstances) -> npt.NDArray[np.int64]:
        assert self._room_ids is not None
        return self._room_ids(rooms)
