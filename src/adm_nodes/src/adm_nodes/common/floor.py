"""The floor of a building that a team is still exploring, as the terrain of a mission."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from adm_core.grid.terrain import Terrain
from adm_core.memory.static import Mission
from adm_core.planning.ports import Command, WorldReport
from adm_core.search.known_terrain import KnownTerrain, floor_config
from adm_core.search.team_map import TeamMap
from adm_core.types import GridMap
from rclpy.task import Future

import adm_interfaces.msg as msgs
from adm_nodes.common.conversions import search as convert
from adm_nodes.common.errors import StoppedError
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.map_link import MapFollower
from adm_nodes.common.ports import RosWorld


class Floor:
    """Follows `floor` and says up to which step it is known.

    The step of a change is one more than that of the mission: 0 is what was known before it
    began.

    Parameters
    ----------
    node : AdmNode
        Owner, being set up.
    on_first : callable
        Called when the first map is there.
    """

    def __init__(self, node: AdmNode, on_first: Callable[[], None]) -> None:
        self._on_first = on_first
        self._whole: msgs.LabelledMap | None = None
        self._known: TeamMap | None = None
        self._terrain: KnownTerrain | None = None
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, Future]] = []
        self._follower = MapFollower(node, "floor", self._replace, self._apply)
        node.add_release(self._follower.close)

    @property
    def is_there(self) -> bool:
        """Whether there is a map to walk on."""
        return self._whole is not None

    def terrain(self, mission: Mission) -> Terrain:
        """Return the terrain of a mission; it grows with the floor."""
        assert self._whole is not None
        self._follower.open()
        content = convert.content_from_msg(self._whole)
        frame = content.frame
        config = floor_config(mission.robot_radius_m, frame.resolution)
        self._known = TeamMap(frame.shape, {}, config, frame.resolution, frame.origin)
        self._known.write(convert.whole_window(content))
        nobody_knows = np.full(frame.shape, -1, np.int8)
        place = GridMap(
            nobody_knows, frame.resolution, frame.origin, mission.frame_id, mission.map_id
        )
        self._terrain = KnownTerrain(place, self._known)
        return self._terrain

    def until(self, step: float) -> Future:
        """Return a future that is done once the floor of a step of the mission is known."""
        known = Future()
        with self._changed:
            if self._follower.step > step:
                known.set_result(None)
            else:
                self._waiting.append((int(step), known))
        return known

    def wait(self, step: int, stopped: Callable[[], bool]) -> None:
        """Block until the floor of a step is known; StoppedError if `stopped` says so before."""
        with self._changed:
            while self._follower.step <= step:
                if stopped():
                    raise StoppedError("floor")
                self._changed.wait(0.1)

    # -- input ------------------------------------------------------------------------------

    def _replace(self, message: msgs.LabelledMap) -> None:
        first, self._whole = self._whole is None, message
        if self._known is not None:
            self._known.write(convert.whole_window(convert.content_from_msg(message)))
        self._announce(message.step)
        if first:
            self._on_first()

    def _apply(self, message: msgs.MapUpdate) -> None:
        for item in message.windows:
            if self._known is not None:
                self._known.write(convert.window_from_msg(item))
        if message.last:
            self._announce(message.step)

    def _announce(self, step: int) -> None:
        """Let everybody go on who waited for this step."""
        if self._terrain is not None and self._known is not None:
            self._terrain.follow(self._known)
        with self._changed:
            self._follower.step = step
            ready = [item for item in self._waiting if item[0] < step]
            self._waiting = [item for item in self._waiting if item[0] >= step]
            self._changed.notify_all()
        for _, future in ready:
            future.set_result(None)


class FlooredWorld:
    """World whose answers are passed on once the floor that goes with them is known."""

    def __init__(self, world: RosWorld, floor: Floor) -> None:
        self._world, self._floor, self._closed = world, floor, False

    def start(self) -> WorldReport:
        """Publish the first evidence and return the state at step 0."""
        return self._with_floor(self._world.start())

    def act(self, command: Command) -> WorldReport:
        """Carry out one action."""
        return self._with_floor(self._world.act(command))

    def close(self) -> None:
        """Give up what is waited for."""
        self._closed = True
        self._world.close()

    def _with_floor(self, report: WorldReport) -> WorldReport:
        self._floor.wait(report.step, lambda: self._closed)
        return report
