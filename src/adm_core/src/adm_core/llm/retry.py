"""Bounded retry within one deadline, obeying what the endpoint asks for."""

from __future__ import annotations

import math
from collections.abc import Callable
from email.utils import parsedate_to_datetime

from adm_core.llm.exchange import Json, Outcome, RawReply
from adm_core.llm.transport import Failure, Transport, TransportError

_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 8.0


class LiveExchange:
    """Exchange over a transport: the same body again, never a longer one.

    Parameters
    ----------
    transport : Transport
        Sends one request.
    attempts : int
        Most requests per exchange.
    clock, sleep : callable
        Monotonic seconds, and the wait between attempts.
    """

    def __init__(
        self,
        transport: Transport,
        attempts: int,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._transport = transport
        self._attempts = attempts
        self._clock = clock
        self._sleep = sleep

    def __call__(self, route: str, body: Json, budget_s: float) -> Outcome:
        """Send until there is a reply that more waiting cannot better, or time is up."""
        started = self._clock()
        attempt = 0
        reply: RawReply | None = None
        failure: Failure | None = Failure.TIMEOUT
        detail = "no time left for this call"
        while attempt < self._attempts:
            left = budget_s - (self._clock() - started)
            if left <= 0:
                break
            attempt += 1
            try:
                reply, failure, detail = self._transport.send(route, body, left), None, ""
            except TransportError as err:
                reply, failure, detail = None, err.failure, str(err)
            wait = _wait_s(reply, failure, attempt)
            left = budget_s - (self._clock() - started)
            if wait is None or attempt == self._attempts or wait >= left:
                break
            self._sleep(wait)
        return Outcome(reply, failure, detail, self._clock() - started, attempt)


def _wait_s(reply: RawReply | None, failure: Failure | None, attempt: int) -> float | None:
    """Return how long to wait before the next attempt; None if there should be none."""
    back_off = min(_FIRST_WAIT_S * 2.0 ** (attempt - 1), _LONGEST_WAIT_S)
    if reply is None:
        return back_off if failure is Failure.CONNECTION else None
    advice = reply.headers.get("x-should-retry", "").lower()
    retryable = reply.status in (408, 409, 429) or reply.status >= 500
    if advice == "false" or not (retryable or advice == "true"):
        return None
    asked = retry_after_s(reply)
    return back_off if asked is None else asked


def retry_after_s(reply: RawReply) -> float | None:
    """Return the wait that a reply asks for in seconds, or None.

    A date counts from the reply's own ``Date``, so that no clock of ours is needed.
    """
    headers = reply.headers
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * scale
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        now = parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None
