"""How much of the fused map is known, and which room types it may hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from adm_nodes.common.conversions import search as convert
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.map_link import MapFollower

import adm_interfaces.msg as msgs


class KnownShare:
    """Follows the fused map and counts.

    Parameters
    ----------
    node : AdmNode
        Owner, being set up.
    topic : str
        The map.

    Attributes
    ----------
    room_types : tuple of str
        Names of the room types.
    share : float
        Share of the cells that are known.
    """

    def __init__(self, node: AdmNode, topic: str) -> None:
        self.room_types: tuple[str, ...] = ()
        self.share = 0.0
        self._known: npt.NDArray[np.bool_] = np.zeros((0, 0), bool)
        self._count = 0
        follower = MapFollower(node, topic, self._replace, self._apply)
        self.open, self.close = follower.open, follower.close

    def _replace(self, message: msgs.LabelledMap) -> None:
        content = convert.content_from_msg(message)
        self.room_types = tuple(content.names.values())
        self._known = content.occupancy >= 0
        self._count = int(np.count_nonzero(self._known))
        self._divide()

    def _apply(self, message: msgs.MapUpdate) -> None:
        for item in message.windows:
            window = convert.window_from_msg(item)
            before = self._known[window.place]
            after = window.occupancy >= 0
            self._count += int(np.count_nonzero(after)) - int(np.count_nonzero(before))
            before[...] = after
        self._divide()

    def _divide(self) -> None:
        self.share = self._count / self._known.size if self._known.size else 0.0
