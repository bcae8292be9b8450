import itertools

import pytest
from adm_core.memory.dynamic import DynamicMemory
from adm_core.memory.method import Focus
from adm_core.memory.records import Source
from adm_core.memory.session import MemorySession, SyncRequest
from worlds import Reports, at, field, mission

FOCUS = Focus(at(0, 0))


def batches():
    report = Reports()
    return [
        report(("can", (1, 1), 0.8), stamp=0.0),
        report(("can", (1, 1), 0.9), ("bottle", (3, 3), 0.7), stamp=2.0),
        report(("can", (4, 1), 0.6), stamp=1.0, source=Source.ONBOARD),
    ]


def records_after(order):
    memory = DynamicMemory(mission(), field())
    session = MemorySession(memory)
    for batch in order:
        session.receive(batch)
    session.sync(SyncRequest(4.0, 3, FOCUS))
    return memory.records()


def test_order_and_repetition_of_arrival_do_not_matter():
    expected = records_after(batches())
    for order in itertools.permutations(batches()):
        assert records_after([*order, order[0]]) == expected


def test_batches_wait_until_a_request_covers_them():
    memory = DynamicMemory(mission(), field())
    session = MemorySession(memory)
    for batch in batches():
        session.receive(batch)
    reply = session.sync(SyncRequest(4.0, 1, FOCUS, count_candidates=True))
    assert (len(memory.records()), reply.candidates) == (1, 1)
    assert session.sync(SyncRequest(4.0, 1, FOCUS)).changes == ()


def test_a_missing_batch_is_an_error_not_a_gap():
    session = MemorySession(DynamicMemory(mission(), field()))
    first, _, third = batches()
    session.receive(first)
    session.receive(third)
    assert session.caught_up(1)
    assert not session.caught_up(3)
    with pytest.raises(ValueError, match="evidence_seq must be received"):
        session.sync(SyncRequest(4.0, 3, FOCUS))


def test_an_applied_batch_is_not_applied_again():
    memory = DynamicMemory(mission(), field())
    session = MemorySession(memory)
    first = batches()[0]
    session.receive(first)
    session.sync(SyncRequest(4.0, 1, FOCUS))
    session.receive(first)
    assert session.sync(SyncRequest(5.0, 1, FOCUS)).changes == ()
