"""World node of a search: building and robots, simulated. The only node that knows the truth.

It plays driver, mapping and detector of every robot: each has a map of its own, in a frame that
begins where the robot began, and knows where it is in it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from adm_core.config import Config, param
from adm_core.errors import MissionError
from adm_core.grid.frames import GridFrame, frame_of
from adm_core.grid.windows import MapContent, changed_windows
from adm_core.missions.coordinators import CoordinatorSetup
from adm_core.missions.search_setup import SearchMissionConfig, set_up_search
from adm_core.search.config import SearchConfig
from adm_core.search.explorer import Move
from adm_core.search.team_map import TeamMap
from adm_core.simulation.search.config import ScenarioConfig
from adm_core.simulation.search.scenario import SearchScenario
from adm_core.simulation.search.world import SearchWorld
from adm_core.types import Pose2D
from adm_nodes.common import params, qos, runner
from adm_nodes.common.conversions import pose_to_msg
from adm_nodes.common.conversions import search as convert
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.map_link import MapSender

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs
from sagr_nodes.config import TeamConfig

_CHECK_S = 0.1


@dataclass(frozen=True)
class WorldConfig(Config):
    """How fast the simulated world goes."""

    step_s: float = param(0.1, "time of one step without lockstep", unit="s", min=0.001)
    pace_s: float = param(
        0.0, "least time of one step in lockstep, to watch", unit="s", min=0.0, max=60.0
    )


class SearchWorldNode(AdmNode):
    """Move the robots, sense for them, tell each what it knows.

    In lockstep a step is done when every robot has been told where to go; a robot whose explorer
    is silent is waited for once. Without lockstep a step is done every `step_s`, and robots
    without an order stay where they are.

    Parameters
    ----------
    robots, lockstep, patience_s, map_frame : see TeamConfig
    step_s, pace_s : see WorldConfig
    world.* : see SearchMissionConfig
        Which building, and what is hidden in it.
    sensor.* : see ScenarioConfig
        What the robots see.
    search.radius_cells : see SearchConfig
        Robots begin where they fit.

    Topics
    ------
    ROBOT/state : SearcherState, published, latched
    ROBOT/labelled_map, ROBOT/labelled_map_updates : LabelledMap, MapUpdate, published
        Map of each robot; one update a step, also if nothing changed.
    ROBOT/move : SearcherMove, subscribed

    Services
    --------
    ROBOT/get_labelled_map : GetLabelledMap
    world_facts : GetSearchFacts
        The truth, for summaries.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("world", **kwargs)
        params.declare(self, TeamConfig)
        params.declare(self, WorldConfig)
        params.declare(self, SearchMissionConfig, "world")
        params.declare(self, ScenarioConfig, "sensor")
        params.declare(self, SearchConfig, "search", names=["radius_cells"])
        self._looked = False
        self.reset()

    def setup(self) -> None:
        """Build the world and what every robot knows of it."""
        self._team = params.read(self, TeamConfig)
        self._config = params.read(self, WorldConfig)
        scenario = self._scenario()
        if len(scenario.starts) != self._team.robots:
            raise ValueError(
                f"robots must be {len(scenario.starts)} in this world, got {self._team.robots}"
            )
        self._frame: GridFrame | None = frame_of(scenario.truth)
        self._world: SearchWorld | None = SearchWorld(
            scenario, params.read(self, ScenarioConfig, "sensor")
        )
        self._placings = placings_of(scenario)
        self._maps = [
            TeamMap(scenario.truth.shape, scenario.names, SearchConfig()) for _ in scenario.starts
        ]
        self._senders = [
            MapSender(self, f"{name}/labelled_map", partial(self._content, number))
            for number, name in enumerate(self._team.names)
        ]
        self._publish_state = [
            self.add_publisher(msgs.SearcherState, f"{name}/state", qos.LATCHED)
            for name in self._team.names
        ]
        for number, name in enumerate(self._team.names):
            self.add_subscription(
                msgs.SearcherMove, f"{name}/move", qos.STATUS, partial(self._on_move, number)
            )
        self.add_service(srvs.GetSearchFacts, "world_facts", self._on_facts)
        period = _CHECK_S if self._team.lockstep else self._config.step_s
        self.add_timer(min(period, self._config.pace_s or period), self._tick)

    def start(self) -> None:
        """Let the robots look around where they begin."""
        assert self._world is not None
        if not self._looked:
            self._looked = True
            self._world.sense(self._maps)
            for sender in self._senders:
                sender.whole(0)
            self._tell()

    def reset(self) -> None:
        """Drop the world."""
        self._world = self._frame = None
        self._moves: dict[int, Move] = {}
        self._late: set[int] = set()
        self._since: float | None = None
        self._looked = False
        self._stepped_at = 0.0
        self._path_cells = self._late_moves = 0

    def _scenario(self) -> SearchScenario:
        config = params.read(self, SearchMissionConfig, "world")
        sensor = params.read(self, ScenarioConfig, "sensor")
        radius = params.read(self, SearchConfig, "search", names=["radius_cells"]).radius_cells
        return set_up_search(config, sensor, radius, CoordinatorSetup("policy")).scenario

    # -- moves ------------------------------------------------------------------------------

    def _on_move(self, robot: int, message: msgs.SearcherMove) -> None:
        name = self._team.names[robot]
        try:
            move = self._checked_move(robot, message)
        except ValueError as err:
            self.get_logger().error(f"move of {name} refused: {err}")
            return
        assert self._world is not None
        if message.step != self._world.step and self._team.lockstep:
            return  # it came too late: the world has gone on
        self._moves[robot] = move
        self._late.discard(robot)
        if self._since is None:
            self._since = time.monotonic()
        if self._team.lockstep:
            self._try_step()

    def _checked_move(self, robot: int, message: msgs.SearcherMove) -> Move:
        assert self._world is not None and self._frame is not None
        own = self._team.frame_of(self._team.names[robot])
        if message.frame_id != own:
            raise ValueError(f"it must be in frame {own!r}, got {message.frame_id!r}")
        goal = convert.checked_pose(message.goal, "goal")
        place = convert.report_of(self._frame, self._placings[robot].to_common(goal))
        here = self._world.cells[robot]
        if max(abs(place.cell[0] - here[0]), abs(place.cell[1] - here[1])) > 1:
            raise ValueError(f"goal must be next to {tuple(here)}, got {tuple(place.cell)}")
        return Move(place.cell, place.heading_rad)

    def _tick(self) -> None:
        if not self.is_active or self._world is None:
            return
        if not self._team.lockstep:
            self._step()
            return
        if self._since is not None and time.monotonic() - self._since > self._team.patience_s:
            late = set(range(self._team.robots)) - set(self._moves) - self._late
            names = ", ".join(self._team.names[robot] for robot in sorted(late))
            self.get_logger().warning(f"no move of {names} for {self._team.patience_s:g} s")
            self._late |= late
        self._try_step()

    def _try_step(self) -> None:
        """Do a step if every robot that is waited for was told where to go."""
        awaited = set(range(self._team.robots)) - self._late
        paced = time.monotonic() - self._stepped_at >= self._config.pace_s
        if self.is_active and self._moves and awaited <= set(self._moves) and paced:
            self._step()

    def _step(self) -> None:
        world = self._world
        assert world is not None
        moves = [self._moves.get(robot) for robot in range(self._team.robots)]
        self._late_moves += sum(move is None for move in moves) if self._moves else 0
        self._moves, self._since = {}, None
        self._stepped_at = time.monotonic()
        before = list(world.cells)
        try:
            world.move(moves)
        except MissionError as err:  # the robots moved so far stay where they are now
            self.get_logger().error(str(err))
            world.step += 1
        self._path_cells += sum(a != b for a, b in zip(before, world.cells, strict=True))
        known = [(item.grid.copy(), item.room_type.copy()) for item in self._maps]
        world.sense(self._maps)
        for sender, item, (grid, types) in zip(self._senders, self._maps, known, strict=True):
            sender.change(changed_windows(grid, item.grid, types, item.room_type), world.step)
        self._tell()

    # -- telling ----------------------------------------------------------------------------

    def _content(self, robot: int) -> MapContent | None:
        """Return a robot's map, in its own frame."""
        if self._frame is None or not self._looked:
            return None
        frame, item = self._frame, self._maps[robot]
        own = self._placings[robot].to_own(frame.origin)
        return MapContent(
            GridFrame(frame.shape, frame.resolution, own),
            item.grid,
            item.room_type,
            item.names,
            self._team.frame_of(self._team.names[robot]),
        )

    def _tell(self) -> None:
        """Tell every robot where it is, and the one that sees the target where that is."""
        world, frame = self._world, self._frame
        assert world is not None and frame is not None
        for robot, publish in enumerate(self._publish_state):
            placing = self._placings[robot]
            pose = convert.pose_of(frame, world.cells[robot], world.headings_rad[robot])
            message = msgs.SearcherState(step=world.step, pose=pose_to_msg(placing.to_own(pose)))
            message.header.frame_id = self._team.frame_of(self._team.names[robot])
            message.header.stamp = self.get_clock().now().to_msg()
            message.found = world.found == robot
            target = convert.NOWHERE
            if message.found and world.found_cell is not None:
                target = placing.to_own(convert.pose_of(frame, world.found_cell))
            message.target = pose_to_msg(target)
            publish(message)

    def _on_facts(
        self, request: srvs.GetSearchFacts.Request, response: srvs.GetSearchFacts.Response
    ) -> None:
        world = self._world
        assert world is not None
        response.step, response.share = world.step, world.share
        response.found_by = -1 if world.found is None else world.found
        response.path_cells, response.late_moves = self._path_cells, self._late_moves
        cells = np.array(world.cells, np.int64)
        response.rows, response.cols = cells[:, 0].tolist(), cells[:, 1].tolist()


def placings_of(scenario: SearchScenario) -> list[convert.Placing]:
    """Return where each robot's map frame lies: it begins in the middle of its first cell."""
    frame = frame_of(scenario.truth)
    starts = [convert.pose_of(frame, cell) for cell in scenario.starts]
    return [convert.Placing(Pose2D(pose.x, pose.y, 0.0)) for pose in starts]


def main() -> int:
    """Run the node."""
    return runner.main(SearchWorldNode)


if __name__ == "__main__":
    raise SystemExit(main())
