"""The team's map in a node: the core's team map, kept up to date from the fused one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from adm_core.grid.frames import GridFrame
from adm_core.grid.windows import GridWindow, MapContent
from adm_core.rooms.instances import RoomInstances
from adm_core.search.config import SearchConfig
from adm_core.search.team_map import TeamMap
from adm_nodes.common.conversions import search as convert

import adm_interfaces.msg as msgs

#: Gives the lasting id of each room of the present map, label 1 first.
RoomIds = Callable[[RoomInstances], npt.NDArray[np.int64]]


class SharedMap(TeamMap):
    """A team map whose rooms have ids that others share, if there is somebody to ask."""

    def __init__(
        self, content: MapContent, config: SearchConfig, room_ids: RoomIds | None = None
    ) -> None:
        frame = content.frame
        super().__init__(frame.shape, content.names, config, frame.resolution, frame.origin)
        self._shared_ids = room_ids
        self.write(GridWindow(0, 0, content.occupancy, content.labels))

    def room_ids(self) -> npt.NDArray[np.int64]:
        """Return the lasting id of each room instance, label 1 first."""
        ask = self._shared_ids
        return self._keep("room_ids", lambda: ask(self.rooms())) if ask else super().room_ids()


class FusedMap:
    """What a node knows of the fused map.

    Parameters
    ----------
    config : SearchConfig
        Of the team map.
    common_frame : str
        Frame that the map must be in.
    room_ids : callable, optional
        Who gives rooms their ids; default: this map alone.

    Attributes
    ----------
    team_map : SharedMap or None
        None before the first map.
    frame : GridFrame or None
        Where it lies.
    replaced : int
        How often the map got another size or place: cells mean something else then.
    """

    def __init__(
        self, config: SearchConfig, common_frame: str, room_ids: RoomIds | None = None
    ) -> None:
        self.team_map: SharedMap | None = None
        self.frame: GridFrame | None = None
        self.replaced = 0
        self._config, self._common_frame, self._room_ids = config, common_frame, room_ids

    def replace(self, message: msgs.LabelledMap) -> None:
        """Take a whole map over.

        Raises
        ------
        ValueError
            It is in another frame, or its parts do not fit.
        """
        if message.header.frame_id != self._common_frame:
            raise ValueError(
                f"fused map must be in frame {self._common_frame!r}, "
                f"got {message.header.frame_id!r}"
            )
        content = convert.content_from_msg(message)
        if self.team_map is not None and content.frame == self.frame:
            self.team_map.names = dict(content.names)
            self.team_map.write(GridWindow(0, 0, content.occupancy, content.labels))
            return
        self.team_map = SharedMap(content, self._config, self._room_ids)
        self.frame = content.frame
        self.replaced += 1

    def apply(self, message: msgs.MapUpdate) -> None:
        """Take a change over."""
        assert self.team_map is not None  # the stream brings a whole map first
        for window in message.windows:
            self.team_map.write(convert.window_from_msg(window))

    @property
    def known_share(self) -> float:
        """Share of the cells that are known."""
        if self.team_map is None or not self.team_map.grid.size:
            return 0.0
        return float(np.count_nonzero(self.team_map.grid >= 0) / self.team_map.grid.size)
