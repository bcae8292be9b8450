"""What NavigateToPose carries, of any distribution; outcomes as error codes unknown to Nav2."""

from __future__ import annotations

import math
from typing import Any

from adm_nodes.common import conversions
from adm_nodes.navigation.protocol import NavFeedback, NavOutcome

#: Only what a server can say of a goal that it took. Nav2 itself ends at 9003.
_CODES = {
    NavOutcome.ABORTED: 9100,
    NavOutcome.PREEMPTED: 9101,
    NavOutcome.REJECTED: 9102,
    NavOutcome.LOST: 9103,
    NavOutcome.TIMEOUT: 9104,
    NavOutcome.STALE: 9105,
}
_OUTCOMES = {code: outcome for outcome, code in _CODES.items()}


def fill_result(result: Any, outcome: NavOutcome, text: str) -> Any:
    """Write an outcome into a result; Humble's has no field for it."""
    if hasattr(result, "error_code"):
        result.error_code = _CODES.get(outcome, 0)
        result.error_msg = text
    return result


def read_feedback(feedback: Any, sent_at: float, now: float) -> NavFeedback:
    """Return what a server tells on the way, of Humble, Jazzy or later."""
    return NavFeedback(
        conversions.pose_from_ros(feedback.current_pose.pose),
        getattr(feedback, "distance_remaining", math.nan),
        now - sent_at,
        getattr(feedback, "number_of_recoveries", 0),
    )


def read_failure(result: Any) -> tuple[NavOutcome, str]:
    """Return why a server aborted, from a result of Humble, Jazzy or later."""
    code = getattr(result, "error_code", 0)
    text = getattr(result, "error_msg", "")
    outcome = _OUTCOMES.get(code, NavOutcome.ABORTED)
    if not text and code:
        text = f"error code {code}"
    return outcome, text
