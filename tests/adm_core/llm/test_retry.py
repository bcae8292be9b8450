import pytest
from adm_core.llm.exchange import Failure, RawReply
from adm_core.llm.retry import LiveExchange, retry_after_s
from adm_core.llm.transport import TransportError
from llm_doubles import FakeTime

OK = RawReply(200, {}, "{}")


class Transport:
    """Gives scripted replies, each after some seconds, and keeps the bodies."""

    def __init__(self, time, *script, takes_s=0.1):
        self.time = time
        self.script = list(script)
        self.takes_s = takes_s
        self.bodies = []

    def send(self, route, body, timeout_s):
        self.bodies.append(body)
        self.time.now += min(self.takes_s, timeout_s)
        if self.takes_s > timeout_s:
            raise TransportError(Failure.TIMEOUT, "late")
        item = self.script.pop(0)
        if isinstance(item, Failure):
            raise TransportError(item, "broken")
        return item


def run(*script, attempts=3, budget_s=25.0, takes_s=0.1):
    time = FakeTime()
    transport = Transport(time, *script, takes_s=takes_s)
    exchange = LiveExchange(transport, attempts, time.clock, time.sleep)
    return exchange("responses", {"a": 1}, budget_s), time, transport


def error(status, **headers):
    return RawReply(status, {name.replace("_", "-"): value for name, value in headers.items()}, "")


@pytest.mark.parametrize("first", [error(500), error(503), error(408), error(409), error(429)])
def test_passing_errors_are_tried_again_with_the_same_body(first):
    outcome, time, transport = run(first, OK)
    assert (outcome.reply, outcome.attempts, time.slept) == (OK, 2, [0.5])
    assert transport.bodies == [{"a": 1}, {"a": 1}]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_errors_that_stay_are_not_tried_again(status):
    outcome, time, _ = run(error(status))
    assert (outcome.reply.status, outcome.attempts, time.slept) == (status, 1, [])


def test_a_broken_connection_is_tried_again_and_a_timeout_is_not():
    assert run(Failure.CONNECTION, OK)[0].reply == OK
    outcome, _, _ = run(Failure.TIMEOUT)
    assert (outcome.failure, outcome.attempts) == (Failure.TIMEOUT, 1)


def test_attempts_are_bounded():
    outcome, time, _ = run(error(500), error(500), error(500))
    assert (outcome.reply.status, outcome.attempts, time.slept) == (500, 3, [0.5, 1.0])


def test_retry_after_is_obeyed():
    assert run(error(429, retry_after="7"), OK)[1].slept == [7.0]
    assert run(error(429, retry_after_ms="250"), OK)[1].slept == [0.25]


def test_a_wait_beyond_the_deadline_ends_the_call_at_once():
    outcome, time, _ = run(error(429, retry_after="60"))
    assert (outcome.reply.status, time.slept) == (429, [])
    assert outcome.latency_s < 1


def test_should_retry_is_obeyed_both_ways():
    assert run(error(500, x_should_retry="false"))[0].attempts == 1
    assert run(error(400, x_should_retry="true"), OK)[0].reply == OK


@pytest.mark.parametrize("takes_s", [3.0, 26.0])
def test_the_deadline_holds_over_all_attempts(takes_s):
    outcome, time, _ = run(*[error(503)] * 10, attempts=10, takes_s=takes_s)
    assert time.now <= 25.0
    assert outcome.latency_s == time.now


def test_without_time_nothing_is_sent():
    outcome, _, transport = run(OK, budget_s=0.0)
    assert (outcome.failure, outcome.attempts, transport.bodies) == (Failure.TIMEOUT, 0, [])


def test_a_retry_date_counts_from_the_replys_own_date():
    reply = error(
        429,
        date="Mon, 30 Nov 2026 10:00:00 GMT",
        retry_after="Mon, 30 Nov 2026 10:00:03 GMT",
    )
    assert retry_after_s(reply) == 3.0
    assert retry_after_s(error(429, retry_after="soon")) is None
    assert retry_after_s(error(429, retry_after="-5")) is None
