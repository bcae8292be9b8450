"""Simulated robots as topics: driver, mapping and detector of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from adm_core.grid.frames import GridFrame, frame_of
from adm_core.grid.windows import MapContent, changed_windows
from adm_core.search.explorer import Move
from adm_core.search.team_map import TeamMap
from adm_core.simulation.search.scenario import SearchScenario
from adm_core.simulation.search.world import SearchWorld
from adm_core.types import Pose2D
from adm_nodes.common import qos
from adm_nodes.common.cells import pose_of
from adm_nodes.common.conversions import pose_to_msg
from adm_nodes.common.conversions import search as convert
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.map_link import MapSender

import adm_interfaces.msg as msgs
from sagr_nodes.config import TeamConfig

#: Gets the number of a robot, the step of the state that it was decided on, and the move.
OnMove = Callable[[int, int, Move], None]


class SharedMapOf:
    """A team map that is sent as it grows.

    Parameters
    ----------
    node : AdmNode
        Owner, being set up.
    topic, frame, frame_id : str, GridFrame, str
        Name and place of the map.
    """

    def __init__(self, node: AdmNode, topic: str, frame: GridFrame, frame_id: str) -> None:
        self._frame, self._frame_id = frame, frame_id
        self._map: TeamMap | None = None
        self._grid = np.empty((0, 0), np.int8)  # as they were sent last
        self._types = np.empty((0, 0), np.uint16)
        self._sender = MapSender(node, topic, self._content)

    def show(self, known: TeamMap, step: int) -> None:
        """Send what changed; the whole map if it is another one than before."""
        if known is not self._map:
            self._map = known
            self._sender.whole(step)
        else:
            windows = changed_windows(self._grid, known.grid, self._types, known.room_type)
            self._sender.change(windows, step)
        self._grid, self._types = known.grid.copy(), known.room_type.copy()

    def _content(self) -> MapContent | None:
        known = self._map
        if known is None:
            return None
        return MapContent(self._frame, known.grid, known.room_type, known.names, self._frame_id)


class SimulatedRobots:
    """Tells every robot what it knows of itself, and takes its moves.

    Each robot's map frame begins where the robot began.

    Parameters
    ----------
    node : AdmNode
        Owner, being set up.
    team : TeamConfig
    scenario : SearchScenario
        Where the robots begin.
    on_move : OnMove
        Gets moves that can be carried out.
    """

    def __init__(
        self, node: AdmNode, team: TeamConfig, scenario: SearchScenario, on_move: OnMove
    ) -> None:
        if len(scenario.starts) != team.robots:
            raise ValueError(
                f"robots must be {len(scenario.starts)} in this world, got {team.robots}"
            )
        self._node, self._team, self._on_move = node, team, on_move
        self._frame = frame_of(scenario.truth)
        self._placings = placings_of(scenario)
        self._world: SearchWorld | None = None
        self._step = 0
        self._maps = [
            SharedMapOf(node, f"{name}/labelled_map", self._own_frame(number), team.frame_of(name))
            for number, name in enumerate(team.names)
        ]
        self._publish_state = [
            node.add_publisher(msgs.SearcherState, f"{name}/state", qos.LATCHED)
            for name in team.names
        ]
        for number, name in enumerate(team.names):
            node.add_subscription(
                msgs.SearcherMove, f"{name}/move", qos.STATUS, partial(self._take, number)
            )

    def _own_frame(self, robot: int) -> GridFrame:
        own = self._placings[robot].to_own(self._frame.origin)
        return GridFrame(self._frame.shape, self._frame.resolution, own)

    def tell(self, world: SearchWorld, maps: Sequence[TeamMap], step: int) -> None:
        """Tell every robot where it is and what it has seen; the finder, where the target is."""
        self._world, self._step = world, step
        for sender, known in zip(self._maps, maps, strict=True):
            sender.show(known, step)
        for robot, publish in enumerate(self._publish_state):
            publish(self._state(world, robot, step))

    def _state(self, world: SearchWorld, robot: int, step: int) -> msgs.SearcherState:
        placing = self._placings[robot]
        pose = pose_of(self._frame, world.cells[robot], world.headings_rad[robot])
        message = msgs.SearcherState(step=step, pose=pose_to_msg(placing.to_own(pose)))
        message.header.frame_id = self._team.frame_of(self._team.names[robot])
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.found = world.found == robot
        target = convert.NOWHERE
        if message.found and world.found_cell is not None:
            target = placing.to_own(pose_of(self._frame, world.found_cell))
        message.target = pose_to_msg(target)
        return message

    def _take(self, robot: int, message: msgs.SearcherMove) -> None:
        try:
            self._on_move(robot, message.step, self._checked(robot, message))
        except ValueError as err:
            if message.step < self._step:
                return  # decided on where the robot was: it has gone on since
            name = self._team.names[robot]
            self._node.get_logger().error(f"move of {name} refused: {err}")

    def _checked(self, robot: int, message: msgs.SearcherMove) -> Move:
        if self._world is None:
            raise ValueError("the robots have not begun")
        own = self._team.frame_of(self._team.names[robot])
        if message.frame_id != own:
            raise ValueError(f"it must be in frame {own!r}, got {message.frame_id!r}")
        goal = convert.checked_pose(message.goal, "goal")
        place = convert.report_of(self._frame, self._placings[robot].to_common(goal))
        here = self._world.cells[robot]
        if max(abs(place.cell[0] - here[0]), abs(place.cell[1] - here[1])) > 1:
            raise ValueError(f"goal must be next to {tuple(here)}, got {tuple(place.cell)}")
        return Move(place.cell, place.heading_rad)


def placings_of(scenario: SearchScenario) -> list[convert.Placing]:
    """Return where each robot's map frame lies: it begins in the middle of its first cell."""
    frame = frame_of(scenario.truth)
    starts = [pose_of(frame, cell) for cell in scenario.starts]
    return [convert.Placing(Pose2D(pose.x, pose.y, 0.0)) for pose in starts]
