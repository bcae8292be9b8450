"""Requests to others are numbered and kept: whoever is killed, nothing is done or asked twice."""

import json
import math

import pytest
from adm_core.errors import MissionError
from adm_core.memory.audit import AuditLog
from adm_core.memory.edits import EditKind, OperatorEdit
from adm_core.memory.method import Focus
from adm_core.memory.methods import make_memory
from adm_core.memory.records import (
    Change,
    ExposedRecord,
    Exposure,
    FailureReason,
    SkillOutcome,
    Source,
    Status,
)
from adm_core.memory.session import SyncReply, SyncRequest
from adm_core.missions.setup import MissionConfig, make_setup
from adm_core.planning import plain_memory
from adm_core.planning.plain import command_to_plain
from adm_core.planning.ports import Command, Primitive
from adm_core.planning.recall import ACT, JournaledSession, Recall, journaled_commands
from adm_core.types import Pose2D

HERE = Pose2D(1.0, 2.0, 0.5)
SETUP = make_setup(MissionConfig(scenario="S-6"))


def through_text(plain):
    return json.loads(json.dumps(plain))


@pytest.mark.parametrize(
    "request_",
    [
        SyncRequest(1.0, 3, Focus(HERE)),
        SyncRequest(
            1.0,
            3,
            Focus(HERE, "e001", "e002", "station_A"),
            SkillOutcome("grasp", "e001", "", False, FailureReason.SLIPPED, 1.0, HERE),
            True,
            (OperatorEdit("ada", EditKind.MOVE, "e001", "", HERE, "m"),),
        ),
    ],
)
def test_a_synchronisation_survives_text(request_):
    plain = through_text(plain_memory.sync_to_plain(request_))
    assert plain_memory.sync_from_plain(plain) == request_


def test_answers_survive_text_to_the_bit():
    reply = SyncReply((Change("e001", "pose", "a", "b"),), 4)
    plain = through_text(plain_memory.sync_reply_to_plain(reply))
    assert plain_memory.sync_reply_from_plain(plain) == reply
    seen = ExposedRecord(
        "e", "can", HERE, 0.1 + 0.2, Status.OBSERVED, -math.inf, Source.REMOTE, 1 / 3
    )
    for held in (None, seen):
        exposure = Exposure((seen,), held, (("z", Status.DELIVERED),))
        plain = through_text(plain_memory.exposure_to_plain(exposure))
        assert plain_memory.exposure_from_plain(plain) == exposure


@pytest.fixture
def path(tmp_path):
    return tmp_path / "audit.sqlite"


def ask(recall, sent, *bodies):
    def send(number):
        sent.append(number)
        return {"number": number}

    return [recall.ask("act", {"what": body}, send)["number"] for body in bodies]


def test_answers_of_the_journal_are_not_asked_for_again(path):
    sent = []
    with AuditLog(path) as audit:
        assert ask(Recall(audit), sent, "a", "b") == [1, 2]
    with AuditLog(path) as audit:
        recall = Recall(audit)
        assert recall.replaying and audit.muted
        assert ask(recall, sent, "a", "b") == [1, 2]
        assert sent == [1, 2]
        assert not recall.replaying
        assert ask(recall, sent, "c") == [3]
    assert sent == [1, 2, 3]


def test_a_request_without_its_answer_is_sent_again_under_its_number(path):
    class Killed(Exception):
        pass

    def dies(number):
        raise Killed

    with AuditLog(path) as audit:
        recall, sent = Recall(audit), []
        ask(recall, sent, "a")
        with pytest.raises(Killed):
            recall.ask("act", {"what": "b"}, dies)
        audit.rollback()
    with AuditLog(path) as audit:
        assert ask(Recall(audit), sent, "a", "b") == [1, 2]
        assert sent == [1, 2]
        assert not audit.muted


def test_another_request_under_a_known_number_is_refused(path):
    with AuditLog(path) as audit:
        ask(Recall(audit), [], "a")
    with AuditLog(path) as audit, pytest.raises(MissionError, match="does not repeat request 1"):
        ask(Recall(audit), [], "b")


def test_without_a_log_everything_is_sent():
    recall, sent = Recall(None), []
    assert ask(recall, sent, "a", "b") == sent == [1, 2]
    assert not recall.replaying


def test_the_world_finds_every_command_in_order(path):
    move = Command(Primitive.MOVE, HERE, "", Pose2D(3.0, 4.0))
    with AuditLog(path) as audit:
        recall = Recall(audit)
        for kind, command in ((ACT, None), ("sync", None), (ACT, move)):
            recall.ask(kind, {"command": command_to_plain(command)}, lambda number: {})
        assert list(journaled_commands(audit)) == [(1, None), (3, move)]


class Evidence:
    """The batches of a world's start, and a memory session over them."""

    def __init__(self):
        self.batches = []
        self.world = SETUP.world(self.batches.append)
        self.world.start()

    def session(self, audit):
        memory = make_memory("attention", SETUP.mission, SETUP.terrain, log=audit)
        return JournaledSession(memory, audit)


REQUEST = SyncRequest(0.0, 2, Focus(SETUP.terrain.pose(SETUP.layout.start)), count_candidates=True)


def rows(path):
    import sqlite3

    with sqlite3.connect(path) as db:
        return [
            db.execute(f"SELECT * FROM {name}").fetchall()
            for name in ("evidence", "change", "journal")
        ]


def test_a_memory_comes_back_from_its_log_and_writes_nothing_twice(path):
    evidence = Evidence()
    with AuditLog(path) as audit:
        session = evidence.session(audit)
        for batch in evidence.batches[:2]:
            session.receive(batch)
        reply = session.sync(4, 0, REQUEST)
        assert reply.changes and reply.candidates > 0
        before = session.memory.records()
    logged = rows(path)
    with AuditLog(path) as audit:
        session = evidence.session(audit)
        assert session.last_number == 4
        assert session.memory.records() == before
        assert session.received == 2
        assert session.sync(4, 0, REQUEST) == reply
        assert rows(path) == logged
        later = SyncRequest(1.0, 2, REQUEST.focus)
        assert session.sync(9, 4, later).changes == ()
    assert len(rows(path)[2]) == 2


def test_a_memory_that_was_lost_refuses_to_go_on():
    evidence = Evidence()
    session = evidence.session(None)
    with pytest.raises(MissionError, match="memory stands at request 0, the mission at 7"):
        session.sync(9, 7, REQUEST)
