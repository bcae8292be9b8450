"""What a coordinator is told and what it decides (SAGR, section IV)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from adm_core.config import Config, param
from adm_core.rooms.area_graph import AreaGraph
from adm_core.search.strategy import TeamView

#: Most characters of a plan summary.
SUMMARY_CHARS = 160


@dataclass(frozen=True)
class Context(Config):
    """What a coordinator is told; the ablations of Table III leave out one of these."""

    neighbours: bool = param(True, "which rooms touch, and how far they are from the robots")
    plan_summary: bool = param(True, "what was decided at the coordination before")
    target_type: bool = param(True, "the room type where the target is expected")


@dataclass(frozen=True)
class Assignment:
    """One room for every active robot.

    Attributes
    ----------
    rooms : mapping of int to int
        Lasting room id by robot id; all active robots, or none if there is no room to go to.
    summary : str
        Strategy in a few words, at most 160 characters.
    made_by : str
        Who decided: ``heuristic``, ``noisy``, ``llm``, or ``previous`` where an earlier
        assignment was kept.
    refusals : tuple of str
        Codes for which answers before this one were not taken; empty if nothing was refused.
    latency_ms : float
        Time that a model took to answer; 0 where none was asked.
    """

    rooms: Mapping[int, int] = field(default_factory=dict)
    summary: str = ""
    made_by: str = ""
    refusals: tuple[str, ...] = ()
    latency_ms: float = 0.0


class Coordinator(Protocol):
    """Assigns robots to rooms; it never raises for what a map or a model contains."""

    def assign(self, graph: AreaGraph, view: TeamView, previous: Assignment | None) -> Assignment:
        """Return a room of `graph` for every active robot of `view`.

        Parameters
        ----------
        graph : AreaGraph
            From ``view.map.graph(view.robot_cells)``: position i of its robots is robot i.
        view : TeamView
            Robots and task.
        previous : Assignment or None
            Result of the coordination before.
        """
