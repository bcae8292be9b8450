"""Coordinator node: gives every robot a room, by the built-in rule, a noisy one, or a model."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from adm_core.config import Config, param
from adm_core.llm.config import LlmConfig
from adm_core.missions.coordinators import CoordinatorSetup, set_up_coordinator
from adm_core.search.config import SearchConfig
from adm_core.search.coordinators import (
    TYPED,
    Assignment,
    Coordinator,
    HeuristicConfig,
    NoisyConfig,
    NoisyCoordinator,
)
from adm_core.search.coordinators.llm import LlmCoordinatorConfig
from adm_core.search.strategy import Robot, TeamView, Waypoint
from adm_core.search.team_map import TeamMap
from adm_core.types import Cell
from adm_nodes.common import params, qos, runner
from adm_nodes.common.conversions import search as convert

import adm_interfaces.msg as msgs
from sagr_nodes.config import MethodConfig, TeamConfig
from sagr_nodes.mind import MindNode

_ASK_S = 0.5


@dataclass(frozen=True)
class RuleConfig(Config):
    """Which rule divides the rooms; `llm.mode` other than policy puts a model before it."""

    noise: float = param(0.0, "probability that a robot's room is drawn", min=0.0, max=1.0)
    ids_s: float = param(2.0, "how long lasting room ids are waited for", unit="s", min=0.05)


class CoordinatorNode(MindNode):
    """Divide the rooms of the area graph among the robots, every `search.t_coord` steps.

    A model is asked by the worker, never by the thread that answers the manager; it has
    `llm.deadline_s`, after which earlier rooms and the built-in rule stand in.

    Parameters
    ----------
    robots, lockstep, patience_s, common_frame : see TeamConfig
    method, seed : see MethodConfig
        The method decides the weights of the built-in rule.
    noise, ids_s : see RuleConfig
    llm.*, model.* : see LlmConfig, LlmCoordinatorConfig
    search.* : see SearchConfig

    Topics
    ------
    search : SearchOrder, subscribed, latched
    reports : SearcherReport, subscribed
    fused_map, fused_map_updates : LabelledMap, MapUpdate, subscribed
    assignments : RoomAssignments, published, latched

    Services
    --------
    get_area_graph : GetAreaGraph, called
    get_fused_map : GetLabelledMap, called
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("coordinator", **kwargs)
        params.declare(self, TeamConfig)
        params.declare(self, MethodConfig)
        params.declare(self, RuleConfig)
        params.declare(self, SearchConfig, "search")
        params.declare(self, LlmConfig, "llm")
        params.declare(self, LlmCoordinatorConfig, "model")
        self._setup: CoordinatorSetup | None = None
        self.reset()

    # -- lifecycle --------------------------------------------------------------------------

    def setup(self) -> None:
        """Connect to the model, if there is one; listen to team and map."""
        self._team = params.read(self, TeamConfig)
        self._search = params.read(self, SearchConfig, "search")
        self._rule = params.read(self, RuleConfig)
        self._method = params.read(self, MethodConfig)
        self._setup = set_up_coordinator(
            params.read(self, LlmConfig, "llm"),
            params.read(self, LlmCoordinatorConfig, "model"),
            os.environ,
            time.monotonic,
            time.sleep,
        )
        if self._setup.warning:
            self.get_logger().warning(self._setup.warning)
        self._publish = self.add_publisher(msgs.RoomAssignments, "assignments", qos.LATCHED)
        to = self.mail.to
        self.follow_map(self._search, self._team.common_frame, self._rule.ids_s)
        self.add_subscription(msgs.SearchOrder, "search", qos.LATCHED, to(self._on_order))
        self.add_subscription(msgs.SearcherReport, "reports", qos.TEAM, to(self._on_report))

    def reset(self) -> None:
        """Forget the search; let go of the model."""
        super().reset()
        if self._setup is not None:
            self._setup.__exit__(None, None, None)
        self._setup = None
        self._order = msgs.SearchOrder()
        self._begin()

    def _begin(self) -> None:
        self._reports: dict[int, msgs.SearcherReport] = {}
        self._arrived: dict[int, float] = {}
        self._late: set[int] = set()
        self._assignment: Assignment | None = None
        self._coordinator: Coordinator | None = None
        self._period = -1

    def _make_coordinator(self) -> Coordinator:
        assert self._setup is not None
        weights = TYPED if self._method.method == "sagr+" else HeuristicConfig()
        if self._rule.noise and self._setup.mode == "policy":
            rng = np.random.default_rng(self._method.seed)
            return NoisyCoordinator(rng, NoisyConfig(p=self._rule.noise), weights)
        return self._setup.coordinator(weights)

    # -- input, in the worker ---------------------------------------------------------------

    def _on_order(self, message: msgs.SearchOrder) -> None:
        if message.run_id != self._order.run_id:
            self._begin()
        self._order = message

    def _on_report(self, message: msgs.SearcherReport) -> None:
        if message.run_id != self._order.run_id or message.robot >= self._team.robots:
            return
        if message.frame_id != self._team.common_frame:
            raise ValueError(
                f"report of robot {message.robot} must be in frame {self._team.common_frame!r}, "
                f"got {message.frame_id!r}"
            )
        convert.checked_pose(message.pose, f"pose of robot {message.robot}")
        self._reports[message.robot] = message
        self._arrived[message.robot] = time.monotonic()
        self._late.discard(message.robot)

    # -- coordinating -----------------------------------------------------------------------

    def work(self) -> None:
        """Wait until the work is to be divided, and divide it."""
        self.mail.wait(self._is_due)
        order, step = self._order, self._newest()
        relative = step - order.start_step
        self._period = relative // self._search.t_coord
        if self._team.lockstep and not (self._has_all(step) and self._has_map(step)):
            return
        if self._map.team_map is None or order is not self._order:
            return
        if self._coordinator is None:
            self._coordinator = self._make_coordinator()
        view = TeamView(relative, self._map.team_map, self._robots(), convert.task_from_msg(order))
        graph = view.map.graph(view.robot_cells)
        self._assignment = self._coordinator.assign(graph, view, self._assignment)
        message = convert.assignment_to_msg(self._assignment, relative, order.run_id)
        self._publish(message)

    def _newest(self) -> int:
        return max(report.step for report in self._reports.values())

    def _is_due(self) -> bool:
        if not (self._order.active and self._reports):
            return False
        step = self._newest() - self._order.start_step
        if step < 0 or self._map.team_map is None:
            return False
        period = step // self._search.t_coord
        if not self._team.lockstep:
            return period > self._period
        return period > self._period and (step % self._search.t_coord == 0 or self._period < 0)

    def _has_all(self, step: int) -> bool:
        """Wait in lockstep until every robot has reported; true in any case."""
        team = set(range(self._team.robots))

        def heard() -> set[int]:
            return {robot for robot, report in self._reports.items() if report.step >= step}

        if not self.mail.wait(lambda: team - self._late <= heard(), self._team.patience_s):
            self._late |= team - heard()
        return True

    def _has_map(self, step: int) -> bool:
        """Wait in lockstep for the map; tell whether there is one."""
        assert self._follower is not None
        follower, left = self._follower, self._team.patience_s
        while left > 0 and not self.mail.wait(lambda: follower.step >= step, min(_ASK_S, left)):
            follower.ask()
            left -= _ASK_S
        return self._map.team_map is not None

    def _robots(self) -> tuple[Robot, ...]:
        """Return the robots as they say they are; those not heard of get no work."""
        return tuple(self._robot(number) for number in range(self._team.robots))

    def _robot(self, number: int) -> Robot:
        assert self._map.frame is not None and self._map.team_map is not None
        known: TeamMap = self._map.team_map
        report = self._reports.get(number)
        if report is None:
            return Robot(number, Cell(0, 0), 0.0, active=False)
        place = convert.report_of(self._map.frame, convert.pose_from_msg(report.pose))
        goal = None
        if report.has_goal:
            goal = Waypoint(convert.cell_of(self._map.frame, convert.pose_from_msg(report.goal)))
        silent = self._newest() - report.step > self._search.silent_steps
        if not known.contains(place.cell):
            return Robot(number, Cell(0, 0), place.heading_rad, active=False)
        return Robot(number, place.cell, place.heading_rad, report.active and not silent, goal)


def main() -> int:
    """Run the node."""
    return runner.main(CoordinatorNode)


if __name__ == "__main__":
    raise SystemExit(main())
