"""How a goal gets the id by which move_base's status lists name it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from adm_core.types import Pose2D


class GoalState(IntEnum):
    """State of a goal in actionlib (ROS 1); ROS 2 numbers its own differently."""

    PENDING = 0
    ACTIVE = 1
    PREEMPTED = 2
    SUCCEEDED = 3
    ABORTED = 4
    REJECTED = 5
    PREEMPTING = 6
    RECALLING = 7
    RECALLED = 8
    LOST = 9

    @property
    def terminal(self) -> bool:
        """Whether the server is done with the goal."""
        return self in _TERMINAL


_TERMINAL = frozenset(
    {
        GoalState.PREEMPTED,
        GoalState.SUCCEEDED,
        GoalState.ABORTED,
        GoalState.REJECTED,
        GoalState.RECALLED,
        GoalState.LOST,
    }
)


class GoalStatus(NamedTuple):
    """One entry of a status list."""

    id: str
    state: GoalState
    text: str = ""


class OwnIds:
    """Goals carry an id of ours, so that they can be sent again and told from all others.

    Parameters
    ----------
    name : str
        Name of the sender, the same over restarts: goals of an earlier process are known as ours.
    session : str
        Different in each process.
    """

    needs_status = False

    def __init__(self, name: str, session: str) -> None:
        self._prefix = f"{name}|"
        self._session = session
        self._count = 0

    def new_id(self, listed: Iterable[str]) -> str:
        """Return the id of the next goal."""
        self._count += 1
        return f"{self._prefix}{self._session}|{self._count}"

    def adopt(self, statuses: Iterable[GoalStatus], goal: Pose2D) -> str:
        """Return the id that a goal without one has got; here they all have one."""
        return ""

    def is_own(self, goal_id: str) -> bool:
        """Tell whether a goal is ours, of this process or of an earlier one."""
        return goal_id.startswith(self._prefix)

    def may_resend(self, goal: Pose2D) -> bool:
        """Tell whether sending again is safe: the server ignores an id that it knows."""
        return True

    def note_current(self, pose: Pose2D) -> None:
        """Note the pose that move_base says it goes to."""


class AdoptedIds:
    """Goals carry no id: ours is the one that appears after publishing (move_base_simple/goal).

    Ambiguous while others send goals, too: then only the pose of move_base/current_goal tells
    them apart, and without it nothing is adopted.
    """

    needs_status = True

    def __init__(self) -> None:
        self._own: set[str] = set()
        self._before: set[str] = set()
        self._current: Pose2D | None = None

    def new_id(self, listed: Iterable[str]) -> str:
        """Remember which ids are older than the next goal; return none."""
        self._before, self._current = set(listed), None
        return ""

    def adopt(self, statuses: Iterable[GoalStatus], goal: Pose2D) -> str:
        """Return the id that a goal without one has got; empty while it is not certain."""
        new = [item for item in statuses if item.id not in self._before]
        if len(new) > 1 and self._is_current(goal):
            new = [item for item in new if item.state is GoalState.ACTIVE]
        if len(new) != 1:
            return ""
        self._own.add(new[0].id)
        return new[0].id

    def is_own(self, goal_id: str) -> bool:
        """Tell whether a goal is ours."""
        return goal_id in self._own

    def may_resend(self, goal: Pose2D) -> bool:
        """Tell whether sending again is safe: if it has arrived, it would preempt itself."""
        return not self._is_current(goal)

    def note_current(self, pose: Pose2D) -> None:
        """Note the pose that move_base says it goes to."""
        self._current = pose

    def _is_current(self, goal: Pose2D) -> bool:
        at = self._current
        return at is not None and math.hypot(at.x - goal.x, at.y - goal.y) < 1e-3
