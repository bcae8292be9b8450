"""Explorer node: decides for one robot of a team, by the rules that the whole team follows.

Every explorer decides for the whole team and moves its own robot only. In lockstep all of them
have the same maps and reports, so they come to the same decisions, and those are the ones of a
search without ROS. Where maps or reports are late they differ for a while; what a robot says of
its goal then counts more than what others expect of it.
"""

from __future__ import annotations

from typing import Any

from adm_core.search.config import SearchConfig
from adm_core.search.explorer import BUDGET, FOUND, RUNNING, Explorer, Report
from adm_core.search.methods import Method, make_method, sagr, sagr_plus
from adm_core.types import Cell, Pose2D
from adm_nodes.common import params, qos, runner
from adm_nodes.common.cells import pose_of
from adm_nodes.common.conversions import pose_to_msg
from adm_nodes.common.conversions import search as convert

import adm_interfaces.msg as msgs
from sagr_nodes.announced import AnnouncedRooms
from sagr_nodes.config import ExplorerConfig, MethodConfig, TeamConfig
from sagr_nodes.mind import MindNode

#: A map that is late is asked for after this time.
_ASK_S = 0.5


class ExplorerNode(MindNode):
    """Move one robot of a team.

    Parameters
    ----------
    robots, lockstep, patience_s, common_frame, map_frame : see TeamConfig
    robot, assignment_s, room_ids_s : see ExplorerConfig
    method, seed : see MethodConfig
    search.* : see SearchConfig

    Topics
    ------
    state : SearcherState, subscribed, latched
        What the robot knows of itself.
    move : SearcherMove, published
        Where it is to go: one for each state, while a search is under way.
    search : SearchOrder, subscribed, latched
    robot_frames : RobotFrames, subscribed, latched
    fused_map, fused_map_updates : LabelledMap, MapUpdate, subscribed
    assignments : RoomAssignments, subscribed, latched
    reports : SearcherReport, published and subscribed, the last ones kept for late subscribers

    Services
    --------
    get_area_graph : GetAreaGraph, called
        Lasting ids of rooms.
    get_fused_map : GetLabelledMap, called
        What was missed.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("explorer", **kwargs)
        params.declare(self, TeamConfig)
        params.declare(self, ExplorerConfig)
        params.declare(self, MethodConfig)
        params.declare(self, SearchConfig, "search")
        self.reset()

    # -- lifecycle --------------------------------------------------------------------------

    def setup(self) -> None:
        """Read parameters; listen to robot, team and map."""
        self._team = params.read(self, TeamConfig)
        self._own = params.read(self, ExplorerConfig)
        self._method = params.read(self, MethodConfig)
        self._search = params.read(self, SearchConfig, "search")
        if self._own.robot >= self._team.robots:
            raise ValueError(
                f"robot must be < robots, got {self._own.robot} of {self._team.robots}"
            )
        self._name = self._team.names[self._own.robot]
        self._publish_move = self.add_publisher(msgs.SearcherMove, "move", qos.STATUS)
        self._publish_report = self.add_publisher(msgs.SearcherReport, "reports", qos.TEAM)
        to = self.mail.to
        self.follow_map(self._search, self._team.common_frame, self._own.room_ids_s)
        self.add_subscription(msgs.RobotFrames, "robot_frames", qos.LATCHED, to(self._on_frames))
        self.add_subscription(msgs.SearchOrder, "search", qos.LATCHED, to(self._on_order))
        self.add_subscription(msgs.SearcherState, "state", qos.LATCHED, to(self._on_state))
        self.add_subscription(msgs.SearcherReport, "reports", qos.TEAM, to(self._on_report))
        self.add_subscription(
            msgs.RoomAssignments, "assignments", qos.LATCHED, to(self._on_assignments)
        )

    def reset(self) -> None:
        """Forget the search."""
        super().reset()
        self._placing: convert.Placing | None = None
        self._order = msgs.SearchOrder()
        self._state: msgs.SearcherState | None = None
        self._done: tuple[str, int] = ("", -1)
        self._assigned: msgs.RoomAssignments | None = None
        self._new_search()

    def _new_search(self) -> None:
        self._explorer: Explorer | None = None
        self._reports: dict[int, msgs.SearcherReport] = {}
        self._heard: dict[int, int] = {}
        self._late: set[int] = set()
        self._no_coordinator = False
        self._period = self._generation = -1
        self._outcome = RUNNING

    # -- input, in the worker ---------------------------------------------------------------

    def _on_frames(self, message: msgs.RobotFrames) -> None:
        self._placing = convert.frames_from_msg(message).get(self._name)

    def _on_order(self, message: msgs.SearchOrder) -> None:
        if message.run_id != self._order.run_id:
            self._new_search()
            self._assigned = None
        self._order = message

    def _on_state(self, message: msgs.SearcherState) -> None:
        own = self._team.frame_of(self._name)
        if message.header.frame_id != own:
            raise ValueError(
                f"state of {self._name} must be in frame {own!r}, got {message.header.frame_id!r}"
            )
        convert.checked_pose(message.pose, f"pose of {self._name}")
        self._state = message

    def _on_report(self, message: msgs.SearcherReport) -> None:
        if message.run_id != self._order.run_id or message.robot == self._own.robot:
            return
        if message.frame_id != self._team.common_frame:
            raise ValueError(
                f"report of robot {message.robot} must be in frame {self._team.common_frame!r}, "
                f"got {message.frame_id!r}"
            )
        if message.robot >= self._team.robots:
            raise ValueError(f"robot must be < {self._team.robots}, got {message.robot}")
        convert.checked_pose(message.pose, f"pose of robot {message.robot}")
        if message.has_goal:
            convert.checked_pose(message.goal, f"goal of robot {message.robot}")
        self._reports[message.robot] = message
        self._late.discard(message.robot)

    def _on_assignments(self, message: msgs.RoomAssignments) -> None:
        if message.run_id != self._order.run_id:
            return
        self._assigned, self._no_coordinator = message, False
        if not self._team.lockstep and self._explorer is not None:
            self._explorer.due = True

    # -- deciding ---------------------------------------------------------------------------

    def work(self) -> None:
        """Wait for a state of the robot, tell the team, decide, and move."""
        self.mail.wait(self._is_due)
        assert self._state is not None
        state, order = self._state, self._order
        self._done = (order.run_id, state.step)
        step = state.step - order.start_step
        self._report(state)
        if not self._has_map(state.step) or not self._has_reports(state.step):
            return
        if self._order is not order or not order.active:
            return
        self._outcome = self._verdict(step)
        if self._outcome == RUNNING:
            self._decide(state, step)
        if self._outcome != RUNNING:
            self._report(state)

    def _is_due(self) -> bool:
        state, order = self._state, self._order
        return (
            order.active
            and state is not None
            and self._placing is not None
            and state.step >= order.start_step
            and (order.run_id, state.step) != self._done
        )

    def _has_map(self, step: int) -> bool:
        """Wait for the map; tell whether there is one to decide on."""
        assert self._follower is not None
        follower = self._follower
        enough = step if self._team.lockstep else 0
        left = self._team.patience_s
        while not self.mail.wait(lambda: follower.step >= enough, min(_ASK_S, left)):
            follower.ask()
            left -= _ASK_S
            if left <= 0:
                self.complain(f"no map of the present step for {self._team.patience_s:g} s")
                break
        return self._map.team_map is not None

    def _has_reports(self, step: int) -> bool:
        """Wait in lockstep for the others' reports; true in any case."""
        others = set(range(self._team.robots)) - {self._own.robot}

        def complete() -> bool:
            heard = {robot for robot, item in self._reports.items() if item.step >= step}
            return others - self._late <= heard

        if self._team.lockstep and not self.mail.wait(complete, self._team.patience_s):
            missing = {
                robot
                for robot in others
                if robot not in self._reports or self._reports[robot].step < step
            }
            self._late |= missing
            names = ", ".join(self._team.names[robot] for robot in sorted(missing))
            self.get_logger().warning(f"nothing heard of {names}: going on without")
        return True

    def _verdict(self, step: int) -> str:
        """Return how the search stands before a decision."""
        assert self._state is not None
        found = self._state.found or any(item.found for item in self._reports.values())
        if found and (self._order.object or self._order.room_type):
            return FOUND
        return BUDGET if 0 < self._order.budget_steps <= step else RUNNING

    def _decide(self, state: msgs.SearcherState, step: int) -> None:
        known, frame = self._map.team_map, self._map.frame
        assert known is not None and frame is not None and self._placing is not None
        explorer = self._the_explorer(step)
        reports, said = self._team_reports(state)
        move = explorer.decide(known, reports, said)[self._own.robot]
        self._outcome = explorer.state
        if self._outcome == RUNNING and move is not None:
            message = convert.move_to_msg(move, frame, self._placing, state.step)
            message.frame_id = self._team.frame_of(self._name)
            self._publish_move(message)

    def _the_explorer(self, step: int) -> Explorer:
        """Return the explorer, a new one if the map's cells mean something else now."""
        if self._explorer is None or self._generation != self._map.replaced:
            self._generation, self._period = self._map.replaced, -1
            method = self._make_method()
            task = convert.task_from_msg(self._order)
            self._explorer = Explorer(
                method.strategy, self._team.robots, task, self._search, method.fallback
            )
        period = step // self._search.t_coord
        self._explorer.due = self._explorer.due or period != self._period
        self._explorer.step, self._period = step, period
        return self._explorer

    def _make_method(self) -> Method:
        name, seed = self._method.method, self._method.seed
        if name == "sagr":
            return sagr(AnnouncedRooms(self._announced))
        if name == "sagr+":
            return sagr_plus(AnnouncedRooms(self._announced))
        return make_method(name, seed)

    def _announced(self, step: int) -> Any:
        """Return the assignment of a step, waited for in lockstep, else the last one."""

        def there() -> bool:
            return self._assigned is not None and self._assigned.step >= step

        # Nothing else is read: the map must not change under a decision.
        waits = self._team.lockstep and not self._no_coordinator
        if waits and not self.mail.wait(there, self._own.assignment_s, [self._on_assignments]):
            self._no_coordinator = True
            self.get_logger().warning(f"no assignment of rooms for step {step}")
        return None if self._assigned is None else convert.assignment_from_msg(self._assigned)

    def _team_reports(
        self, state: msgs.SearcherState
    ) -> tuple[list[Report | None], dict[int, Cell | None]]:
        """Return where every robot is, and the goals of those that were heard since last time."""
        assert self._placing is not None and self._map.frame is not None
        frame = self._map.frame
        reports: list[Report | None] = [None] * self._team.robots
        pose = self._placing.to_common(convert.pose_from_msg(state.pose))
        reports[self._own.robot] = convert.report_of(frame, pose)
        said: dict[int, Cell | None] = {}
        for robot, item in self._reports.items():
            if self._heard.get(robot, -1) >= item.step:
                continue
            self._heard[robot] = item.step
            reports[robot] = convert.report_of(frame, convert.pose_from_msg(item.pose))
            goal = convert.pose_from_msg(item.goal)
            said[robot] = convert.cell_of(frame, goal) if item.has_goal else None
        return reports, said

    # -- telling ----------------------------------------------------------------------------

    def _report(self, state: msgs.SearcherState) -> None:
        """Tell the team where the robot is, and what it was doing."""
        assert self._placing is not None
        pose = self._placing.to_common(convert.pose_from_msg(state.pose))
        target = convert.NOWHERE
        if state.found:
            target = self._placing.to_common(convert.pose_from_msg(state.target))
        message = msgs.SearcherReport(
            run_id=self._order.run_id,
            robot=self._own.robot,
            step=state.step,
            frame_id=self._team.common_frame,
            pose=pose_to_msg(pose),
            active=True,
            found=state.found,
            goal=pose_to_msg(convert.NOWHERE),
            target=pose_to_msg(target),
            state=self._outcome,
        )
        if self._explorer is not None and self._map.team_map is not None:
            self._tell_decisions(message, self._explorer)
        self._publish_report(message)

    def _tell_decisions(self, message: msgs.SearcherReport, explorer: Explorer) -> None:
        assert self._map.team_map is not None and self._map.frame is not None
        own = explorer.view(self._map.team_map).robots[self._own.robot]
        message.active = own.active or not explorer.step
        message.has_goal = own.goal is not None
        if own.goal is not None:
            message.goal = pose_to_msg(self._place(own.goal.cell))
        message.decisions = explorer.step
        message.decision_sha256 = explorer.digest.hexdigest()
        message.coordinations, message.given_up = explorer.coordinations, explorer.given_up
        places = [self._place(cell) for cell in explorer.unreachable[:256]]
        message.unreachable = [pose_to_msg(place) for place in places]

    def _place(self, cell: Cell) -> Pose2D:
        assert self._map.frame is not None
        return pose_of(self._map.frame, cell)


def main() -> int:
    """Run the node."""
    return runner.main(ExplorerNode)


if __name__ == "__main__":
    raise SystemExit(main())
