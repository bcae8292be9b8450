"""One search on nodes: start them, ask for the search, follow it, end it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from adm_core.errors import MissionError
from adm_core.search.task import SearchTask
from rclpy.action import ActionClient
from rclpy.task import Future

import adm_interfaces.srv as srvs
from adm_interfaces.action import RunSearch
from adm_nodes.bringup.session import Session
from adm_nodes.common.client import ResendingClient
from adm_nodes.manager import Manager, NodeEvent

_FACTS_S = 2.0
_CANCEL_S = 5.0


class SearchSession(Session):
    """Nodes of one search, with the manager in this process.

    Attributes
    ----------
    outcome : RunSearch.Result or None
        Result of the search, once there is one.
    truth : GetSearchFacts.Response or None
        What the world knows at the end; None if it did not answer.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.outcome: RunSearch.Result | None = None
        self.truth: srvs.GetSearchFacts.Response | None = None
        self._goal: Any = None
        self._got_result = threading.Event()
        super().__init__(*args, **kwargs)

    def _start_manager(self, names: Sequence[str]) -> Manager:
        manager = super()._start_manager(names)
        self._facts = ResendingClient(manager, srvs.GetSearchFacts, "search_facts")
        self._client = ActionClient(manager, RunSearch, "run_search")
        return manager

    def search(
        self,
        task: SearchTask,
        budget_steps: int,
        on_feedback: Callable[[RunSearch.Feedback], None],
        on_event: Callable[[NodeEvent], None],
    ) -> None:
        """Bring the nodes up, ask for the search and follow it to its end, good or bad."""
        try:
            self._manager.bring_up()
            self._ask(task, budget_steps)
        except MissionError as err:
            self.failure = str(err)
        while not (self.failure or self.outcome):
            event = self._events.get()
            if isinstance(event, RunSearch.Feedback):
                on_feedback(event)
            elif isinstance(event, NodeEvent):
                on_event(event)
            elif isinstance(event, MissionError):
                self.failure = str(event)

    def end(self) -> None:
        """Cancel the search if it goes on, ask what became of it, shut the nodes down."""
        self._end_search()
        self._manager.shut_down()
        self.statuses = self._manager.statuses()
        self._closing.close()

    def _end_search(self) -> None:
        if self._goal is not None and self.outcome is None and not self.failure:
            self._goal.cancel_goal_async()
            self._got_result.wait(_CANCEL_S)
        if self.truth is None and self._manager.state_of("world") == "active":
            try:
                self.truth = self._facts.call(srvs.GetSearchFacts.Request(), _FACTS_S)
            except (TimeoutError, MissionError):
                self.truth = None

    def _ask(self, task: SearchTask, budget_steps: int, again: bool = False) -> None:
        if not self._client.wait_for_server(30.0):
            raise MissionError("the search node offers no action run_search")
        goal = RunSearch.Goal(text=task.text, budget_steps=budget_steps, again=again)
        goal.object, goal.room_type = task.object, task.room_type
        sent = self._client.send_goal_async(
            goal, feedback_callback=lambda message: self._events.put(message.feedback)
        )
        sent.add_done_callback(self._on_answer)

    def _on_answer(self, sent: Future) -> None:
        self._goal = sent.result()
        if not self._goal.accepted:
            self._events.put(
                MissionError("the search was refused; the log of node search says why")
            )
            return
        self._goal.get_result_async().add_done_callback(self._on_search_result)

    def _on_search_result(self, future: Future) -> None:
        self.outcome = future.result().result
        self._got_result.set()
        self._events.put(None)  # wakes the loop
