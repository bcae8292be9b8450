"""Iterative Hungarian assignment: every task gets a robot, round after round (SAGR, section IV)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core._kernels import assignment as _kernel
from adm_core._kernels.checks import is_plain_array

#: Costs that differ by less than this share of the largest cost count as equal.
TIE = 1e-11
_ENDLESS, _BAD = 1, 2
# Looked up once: a few robots and tasks take about 2 us.
_INF, _INT32 = math.inf, np.dtype(np.int32)
_assign, _empty, _new = _kernel.assign_rounds, np.empty, tuple.__new__


class Rounds(NamedTuple):
    """Result of :func:`assign_rounds`.

    Attributes
    ----------
    owner : int32[F]
        Robot of each task, -1 if no robot can do it.
    round : int32[F]
        Round in which it was given, from 0; -1 if it was not.
    """

    owner: npt.NDArray[np.int32]
    round: npt.NDArray[np.int32]


def assign_rounds(cost: npt.NDArray[np.float64]) -> Rounds:
    """Assign all tasks to robots, at most one task a robot in each round.

    Each round matches robots and remaining tasks one to one, as many as there can be, at the
    least total cost; matched tasks are taken away, until none is left. Among assignments of
    equal cost robot 0 gets the task with the lowest index that it can have, then robot 1, and
    so on; having none comes last.

    Parameters
    ----------
    cost : float64[R, F]
        Cost of each task for each robot. Positive infinity: the robot cannot do the task;
        a round then makes as many possible pairs as there can be.

    Returns
    -------
    Rounds

    Raises
    ------
    ValueError
        If `cost` is no float64 matrix, or holds NaN or negative infinity.

    Notes
    -----
    Reading the costs takes O(R F) a few times in all; a round O(R^2), and O(R^2) more for each
    robot whose cheapest task is wanted by another. No copy of the costs unless they hold
    infinity.
    """
    if not is_plain_array(cost, b"d", 2):
        cost = _checked(cost)
    tasks = cost.shape[1]
    owner, rounds = _empty(tasks, _INT32), _empty(tasks, _INT32)
    code, largest = _assign(cost, _INF, TIE, owner, rounds)
    if code == _BAD:
        raise ValueError("cost must hold numbers or +inf, got NaN or -inf")
    if code == _ENDLESS:
        most = (largest + 1.0) * (2.0 * min(cost.shape) + 1.0)
        _assign(np.where(np.isinf(cost), most, cost), most, TIE, owner, rounds)
    return _new(Rounds, (owner, rounds))


def _checked(cost: Any) -> npt.NDArray[np.float64]:
    if not isinstance(cost, np.ndarray) or cost.dtype != np.float64 or cost.ndim != 2:
        given = f"{cost.dtype}{list(cost.shape)}" if isinstance(cost, np.ndarray) else type(cost)
        raise ValueError(f"cost must be float64[robots, tasks], got {given}")
    return np.ascontiguousarray(cost, np.float64)
