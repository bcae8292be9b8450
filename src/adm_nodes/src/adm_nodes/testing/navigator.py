"""A navigator that drives nothing: the test decides what becomes of each goal."""

from __future__ import annotations

from collections.abc import Callable

from adm_nodes.navigation.protocol import NavGoal, NavOutcome, NavTask, refused


class ScriptedNavigator:
    """Keeps every task for the test to report on and to finish.

    Parameters
    ----------
    script : callable, optional
        Called with each new task; may finish it. Default: the task stays under way.
    """

    def __init__(self, script: Callable[[NavTask], object] = lambda task: None) -> None:
        self._script = script
        self.tasks: list[NavTask] = []
        self.cancelled: list[NavTask] = []
        self.fault = ""
        self.closed = False
        self.confirms_cancels = True

    def problem(self) -> str:
        """Return what the test has put there."""
        return self.fault

    def send(self, goal: NavGoal) -> NavTask:
        """Keep a task; an older one ends as preempted."""
        if goal.fault():
            return refused(goal, goal.fault())
        if self.tasks:
            self.tasks[-1].finish(NavOutcome.PREEMPTED, "by a newer goal of ours")
        task = NavTask(goal, lambda: self._cancel(task))
        self.tasks.append(task)
        self._script(task)
        return task

    def close(self) -> None:
        """Note that it was closed."""
        self.closed = True

    def _cancel(self, task: NavTask) -> None:
        self.cancelled.append(task)
        if self.confirms_cancels:
            task.finish(NavOutcome.CANCELLED)
