import sqlite3

import pytest
from adm_core.errors import AuditError
from adm_core.memory.audit import AuditLog
from adm_core.memory.dynamic import DynamicMemory
from worlds import Reports, field, mission


def rows(path, query):
    with sqlite3.connect(path) as db:
        return db.execute(query).fetchall()


def test_accepted_and_rejected_items_are_logged_with_their_reason(tmp_path):
    path = tmp_path / "audit.sqlite"
    with AuditLog(path) as audit:
        memory = DynamicMemory(mission(), field(), log=audit)
        memory.observe(Reports()(("can", (1, 1), 0.9), ("can", (2, 2), 0.2)), 0.0)
    assert rows(path, "SELECT label, confidence, verdict, entity FROM evidence") == [
        ("can", 0.9, "accepted_new", "e001"),
        ("can", 0.2, "low_confidence", ""),
    ]


def test_it_is_readable_while_open(tmp_path):
    audit = AuditLog(tmp_path / "audit.sqlite")
    audit.skill(1, "grasp", "e001", "", "start", "")
    audit.commit()
    assert rows(tmp_path / "audit.sqlite", "SELECT skill, target FROM skill") == [("grasp", "e001")]
    audit.close()
    audit.close()


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to be read", b"\x00" * 4096]
)
def test_a_file_that_is_no_database_is_refused(tmp_path, content):
    path = tmp_path / "audit.sqlite"
    path.write_bytes(content)
    with pytest.raises(AuditError, match=r"audit\.sqlite cannot be opened"):
        AuditLog(path)


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(AuditError, match="cannot be opened"):
        AuditLog(tmp_path / "file" / "audit.sqlite")


def test_writing_after_close_is_an_audit_error(tmp_path):
    audit = AuditLog(tmp_path / "audit.sqlite")
    audit.close()
    with pytest.raises(AuditError, match="cannot be written"):
        audit.skill(1, "grasp", "e001", "", "start", "")
