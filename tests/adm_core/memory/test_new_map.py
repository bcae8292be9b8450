"""What is left of a memory when the map is begun anew under the same frame name."""

import pytest
from adm_core.memory.audit import AuditLog
from adm_core.memory.audit_reader import AuditReader
from adm_core.memory.dynamic import DynamicMemory
from adm_core.memory.evidence import Verdict
from adm_core.memory.method import Focus
from adm_core.memory.records import (
    Detection,
    EvidenceBatch,
    FailureReason,
    SkillOutcome,
    Source,
    Status,
)
from adm_core.memory.session import MemorySession, SyncRequest
from worlds import at, field, mission

HERE = Focus(at(0, 0))


@pytest.fixture
def memory():
    return DynamicMemory(mission(), field(6))


def see(memory, row, col, stamp, label="can", now=None, map_id=""):
    seen = (Detection(label, at(row, col), 0.9),)
    batch = EvidenceBatch(1, Source.ONBOARD, "camera", stamp, seen, map_id=map_id)
    return memory.observe(batch, stamp if now is None else now)


def exposed(memory, now):
    return [item.id for item in memory.expose(now, HERE).records]


def grasp(memory, entity, stamp):
    memory.conclude(SkillOutcome("grasp", entity, "", True, FailureReason.NONE, stamp, at(0, 0)))


def test_what_was_known_has_to_be_seen_again(memory):
    see(memory, 1, 1, 1.0)
    see(memory, 2, 2, 1.0)
    changes = memory.begin_map("m2", 5.0)
    assert [(item.entity, item.field, item.new) for item in changes] == [
        ("e001", "supported", "False"),
        ("e002", "supported", "False"),
    ]
    assert exposed(memory, 5.0) == []
    see(memory, 1, 1, 6.0)
    assert exposed(memory, 6.0) == ["e001"]
    assert [record.map_id for record in memory.records()] == ["m2", mission().map_id]


def test_what_was_measured_before_does_not_count(memory):
    see(memory, 1, 1, 1.0)
    memory.begin_map("m2", 5.0)
    see(memory, 1, 1, 4.0, now=6.0)
    assert exposed(memory, 6.0) == []


def test_reports_of_the_old_map_are_refused(memory):
    verdicts = []
    memory.log.evidence = lambda batch, item, now, verdict, entity: verdicts.append(verdict)
    memory.begin_map("m2", 5.0)
    see(memory, 1, 1, 6.0, map_id="m1")
    see(memory, 1, 1, 7.0, map_id="m2")
    assert verdicts == [Verdict.WRONG_MAP, Verdict.NEW]


def test_finished_work_and_the_held_object_stay(memory):
    for col in (1, 2, 3):
        see(memory, 1, col, 1.0)
    grasp(memory, "e001", 2.0)
    memory.conclude(SkillOutcome("deliver", "e001", "s", True, FailureReason.NONE, 3.0, at(0, 0)))
    grasp(memory, "e002", 4.0)
    memory.begin_map("m2", 5.0)
    by_id = {record.id: record for record in memory.records()}
    assert (by_id["e001"].status, by_id["e001"].supported) == (Status.DELIVERED, True)
    assert (by_id["e002"].status, by_id["e002"].supported) == (Status.GRASPED, True)
    assert not by_id["e003"].supported


def test_the_same_map_changes_nothing(memory):
    see(memory, 1, 1, 1.0)
    assert memory.begin_map(mission().map_id, 5.0) == []
    assert exposed(memory, 5.0) == ["e001"]


def test_a_session_applies_it_with_the_next_request(memory):
    session = MemorySession(memory)
    see(memory, 1, 1, 1.0)
    session.begin_map("m2")
    assert exposed(memory, 2.0) == ["e001"]
    reply = session.sync(SyncRequest(3.0, 0, HERE))
    assert ("e001", "supported") in [(item.entity, item.field) for item in reply.changes]
    assert session.sync(SyncRequest(4.0, 0, HERE)).changes == ()


def test_it_is_in_the_audit_log(tmp_path):
    with AuditLog(tmp_path / "audit.sqlite") as log:
        DynamicMemory(mission(), field(6), log=log).begin_map("m2", 5.0)
    (row,) = AuditReader(tmp_path).people(10.0)
    assert (row["step"], row["word"]) == (5.0, "new map")
    assert row["detail"].endswith("-> m2")
