"""Lasting room ids from the one node that gives them."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
from adm_core.errors import MissionError
from adm_core.rooms.instances import RoomInstances
from adm_nodes.common.client import ResendingClient
from adm_nodes.common.map_link import MapFollower

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs

#: After the area graph has not answered it is left alone for so long.
_REST_S = 5.0


class AskedRoomIds:
    """Asks the area graph for the ids of the rooms of a map.

    Parameters
    ----------
    node : AdmNode
        Owner; its executor must spin in another thread than the one that asks.
    follower : MapFollower
        Of the map that is asked about.
    timeout_s : float
        How long an answer is waited for. Without one, rooms get negative numbers that mean
        nothing to others.
    """

    def __init__(self, node: Any, follower: MapFollower, timeout_s: float) -> None:
        self._node, self._follower, self._timeout_s = node, follower, timeout_s
        self._client = ResendingClient(node, srvs.GetAreaGraph, "get_area_graph")
        self._rests_until = 0.0
        self.close = self._client.close

    def __call__(self, rooms: RoomInstances) -> npt.NDArray[np.int64]:
        """Return the id of each room, label 1 first."""
        ids = -np.arange(1, len(rooms) + 1)
        graph = self._ask()
        if graph is None:
            return ids
        rows, cols = rooms.shape
        found = [room for room in graph.rooms if room.first_row < rows and room.first_col < cols]
        cells = np.array([room.first_row * cols + room.first_col for room in found], np.int64)
        labels = rooms.labels_at(cells)
        kept = labels > 0
        ids[labels[kept] - 1] = np.array([room.room_id for room in found], np.int64)[kept]
        return ids

    def _ask(self) -> msgs.AreaGraph | None:
        if time.monotonic() < self._rests_until:
            return None
        epoch, seq = self._follower.numbers
        request = srvs.GetAreaGraph.Request(epoch=max(epoch, 0), seq=max(seq, 0))
        try:
            return self._client.call(request, self._timeout_s).graph
        except (TimeoutError, MissionError) as err:
            self._rests_until = time.monotonic() + _REST_S
            self._node.get_logger().warning(f"no room ids: {err}")
            return None
