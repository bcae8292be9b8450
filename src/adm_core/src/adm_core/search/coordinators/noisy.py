"""A coordinator that errs on purpose: what a wavering model does to a team."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adm_core.config import Config, param
from adm_core.rooms.area_graph import AreaGraph
from adm_core.search.coordinators.assignment import Assignment, Context
from adm_core.search.coordinators.costs import HeuristicConfig, RoomCosts, room_costs
from adm_core.search.coordinators.heuristic import pick_rooms, summarise
from adm_core.search.strategy import TeamView


@dataclass(frozen=True)
class NoisyConfig(Config):
    """How often and how far decisions stray from the built-in rule."""

    p: float = param(0.1, "probability that a robot's room is drawn", min=0.0, max=1.0)
    temperature_cells: float = param(
        10.0, "cells of way that make a room less likely by 1 / e", unit="cells", min=0.01
    )


class NoisyCoordinator:
    """Decide as the built-in rule does, but draw each robot's room with probability p.

    A drawn room comes from a softmax over the robot's own scores: cost less frontier, divided
    by the temperature. Robots draw apart from each other, so that the team may crowd.

    Parameters
    ----------
    rng : numpy.random.Generator
        Two numbers are drawn for every robot of a coordination, used or not: runs that differ
        in p alone meet the same chances.
    noise : NoisyConfig
    config, context : HeuristicConfig, Context
        As for the built-in rule.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        noise: NoisyConfig = NoisyConfig(),
        config: HeuristicConfig = HeuristicConfig(),  # noqa: B008 - a frozen value
        context: Context = Context(),  # noqa: B008 - a frozen value
    ) -> None:
        self.noise = noise
        self.config = config
        self.context = context
        self._rng = rng

    def assign(self, graph: AreaGraph, view: TeamView, previous: Assignment | None) -> Assignment:
        """Return a room for every active robot; an empty assignment if no room has a frontier."""
        costs = room_costs(graph, view, previous, self.config, self.context)
        picks = self._stray(pick_rooms(costs, self.config.spread), costs)
        wanted = view.task.room_type if self.context.target_type else ""
        return Assignment(picks, summarise(picks, costs, wanted), "noisy")

    def _stray(self, picks: dict[int, int], costs: RoomCosts) -> dict[int, int]:
        chances = self._rng.random((len(costs.robots), 2)).tolist()
        if not picks:
            return picks
        drawn = {}
        for row, (robot, (whether, which)) in enumerate(zip(costs.robots, chances, strict=True)):
            if whether < self.noise.p:
                scores = (costs.cost[row] - costs.frontier) / -self.noise.temperature_cells
                weights = np.cumsum(np.exp(scores - scores.max()))
                place = np.searchsorted(weights, which * weights[-1], side="right")
                drawn[robot] = int(costs.room_ids[min(place, len(weights) - 1)])
        return picks | drawn
