"""The coordinator as an explorer sees it: assignments that are announced on a topic."""

from __future__ import annotations

from collections.abc import Callable

from adm_core.rooms.area_graph import AreaGraph
from adm_core.search.coordinators import Assignment
from adm_core.search.strategy import TeamView


class AnnouncedRooms:
    """Takes the place of a coordinator in a method of search.

    Parameters
    ----------
    awaited : callable
        Gets the step, returns the assignment announced for it or the last one before; None if
        there was none.
    """

    def __init__(self, awaited: Callable[[int], Assignment | None]) -> None:
        self._awaited = awaited

    def assign(self, graph: AreaGraph, view: TeamView, previous: Assignment | None) -> Assignment:
        """Return what was announced, else what was assigned before, else nothing."""
        return self._awaited(view.step) or previous or Assignment()
