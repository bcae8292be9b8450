"""One joint mission on nodes: a mission, and a search that goes on beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adm_core.errors import MissionError
from adm_core.planning.progress import Snapshot
from adm_core.search.task import SearchTask

from adm_nodes.bringup.search_session import SearchSession
from adm_nodes.manager import NodeEvent

#: Nobody counts the steps of searchers that begin again and again.
_NO_LIMIT = 10_000_000
_RESULT_S = 1.0


class TeamSession(SearchSession):
    """Nodes of a joint mission, with the manager in this process."""

    def carry_out(
        self, on_snapshot: Callable[[Snapshot], None], on_event: Callable[[NodeEvent], None]
    ) -> None:
        """Bring the nodes up, send the searchers out, follow the mission to its end."""
        try:
            self._manager.bring_up()
            self._ask(SearchTask(), _NO_LIMIT, again=True)
        except MissionError as err:
            self.failure = str(err)
        while not (self.failure or self.result):
            event: Any = self._events.get()
            if isinstance(event, Snapshot):
                self.last = event
                on_snapshot(event)
            elif isinstance(event, NodeEvent):
                on_event(event)
            elif isinstance(event, MissionError):
                self.failure = str(event)
            elif self.outcome is not None and self.result is None:
                self.failure = f"the search ended: {self.outcome.state} {self.outcome.detail}"

    def end(self) -> None:
        """Stop mission and search, ask what became of them, shut the nodes down."""
        self._manager.deactivate("executor")
        if self.result is None and self._manager.state_of("executor") == "inactive":
            self._ended.wait(_RESULT_S)
        self.facts = self.facts or self._ask_facts()
        self._end_search()
        self._manager.shut_down()
        self.statuses = self._manager.statuses()
        self._closing.close()
