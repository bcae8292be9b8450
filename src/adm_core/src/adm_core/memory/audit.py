"""Audit log: what was believed and done, and why; SQLite, append-only, readable while open."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from adm_core.errors import AuditError
from adm_core.memory.evidence import Verdict
from adm_core.memory.records import Change, Detection, EvidenceBatch
from adm_core.memory.stored import stored_value
from adm_core.types import Pose2D

_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS evidence (
  id INTEGER PRIMARY KEY, seq INTEGER, now REAL, source TEXT, source_id TEXT, stamp REAL,
  label TEXT, x REAL, y REAL, confidence REAL, verdict TEXT, entity TEXT);
CREATE TABLE IF NOT EXISTS change (
  id INTEGER PRIMARY KEY, now REAL, entity TEXT, field TEXT, old TEXT, new TEXT);
CREATE TABLE IF NOT EXISTS planning (
  id INTEGER PRIMARY KEY, step INTEGER, call INTEGER, reason TEXT, entity TEXT, field TEXT,
  old TEXT, new TEXT, exposed TEXT, plan TEXT, context_units INTEGER, planner TEXT,
  refusals TEXT);
CREATE TABLE IF NOT EXISTS skill (
  id INTEGER PRIMARY KEY, step INTEGER, skill TEXT, target TEXT, station TEXT, event TEXT,
  reason TEXT);
CREATE TABLE IF NOT EXISTS pose (
  id INTEGER PRIMARY KEY, step INTEGER, x REAL, y REAL, yaw REAL, held TEXT);
CREATE TABLE IF NOT EXISTS control (
  id INTEGER PRIMARY KEY, step INTEGER, word TEXT, operator TEXT, target TEXT, detail TEXT);
CREATE TABLE IF NOT EXISTS edit_request (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS journal (
  kind TEXT, number INTEGER, body TEXT NOT NULL, PRIMARY KEY (kind, number)) WITHOUT ROWID;
"""

_INSERT_EVIDENCE = "INSERT INTO evidence VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?)"
_TOGETHER = 1_000  # rows of evidence that wait at most


class AuditLog:
    """Writer of one mission's audit log.

    Several processes may write to the same file: memory its evidence, the executor its
    decisions. Rows become durable with :meth:`commit`.

    Parameters
    ----------
    path : path-like
        The file; made if absent.

    Raises
    ------
    AuditError
        If the file cannot be opened or is not a database.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._version = -1
        self._evidence: list[tuple] = []  # noted, not handed to SQLite yet
        self.muted = False  # while a resumed mission repeats what the log already holds
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, timeout=10.0, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")  # a commit survives the power going
            self._db.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as err:
            raise AuditError(f"audit log {self.path} cannot be opened: {err}") from err

    def __enter__(self) -> AuditLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self.rollback()
        self.close()

    def run(self, facts: Mapping[str, object]) -> None:
        """Note facts about the run: parameters, versions."""
        rows = [(key, json.dumps(value)) for key, value in facts.items()]
        self._write("INSERT OR REPLACE INTO run VALUES (?,?)", rows)

    def evidence(
        self, batch: EvidenceBatch, item: Detection, now: float, verdict: Verdict, entity: str
    ) -> None:
        """Note what became of one detection.

        Rows are handed on many at a time: reports may hold thousands of detections.
        """
        if self.muted:
            return
        row = (
            batch.seq,
            now,
            batch.source._value_,
            batch.source_id,
            batch.stamp,
            item.label,
            item.pose.x,
            item.pose.y,
            item.confidence,
            verdict._value_,
            entity,
        )
        self._evidence.append(row)
        if len(self._evidence) >= _TOGETHER:
            self._hand_on()

    def changes(self, now: float, changes: Iterable[Change]) -> None:
        """Note the changed fields of the memory."""
        rows = [(now, item.entity, item.field, item.old, item.new) for item in changes]
        self._write("INSERT INTO change VALUES (NULL,?,?,?,?,?)", rows)

    def planning(
        self,
        step: int,
        call: int,
        reason: tuple[str, str, str, str, str],
        exposed: Iterable[tuple[str, float]],
        plan: Iterable[str],
        context_units: int,
        planner: str,
        refusals: Iterable[str],
    ) -> None:
        """Note a planning call: why, what was exposed with which scores, and the answer."""
        row = (
            step,
            call,
            *reason,
            json.dumps(list(exposed)),
            json.dumps(list(plan)),
            context_units,
            planner,
            json.dumps(list(refusals)),
        )
        self._write("INSERT INTO planning VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?)", [row])

    def skill(
        self, step: int, skill: str, target: str, station: str, event: str, reason: str
    ) -> None:
        """Note that a skill was committed, preempted or ended."""
        row = (step, skill, target, station, event, reason)
        self._write("INSERT INTO skill VALUES (NULL,?,?,?,?,?,?)", [row])

    def pose(self, step: int, robot: Pose2D, held: str) -> None:
        """Note where the robot is."""
        row = (step, robot.x, robot.y, robot.yaw, held)
        self._write("INSERT INTO pose VALUES (NULL,?,?,?,?,?)", [row])

    def control(self, step: int, word: str, operator: str, target: str, detail: str) -> None:
        """Note what a person did: a control, an approval or an edit, and to what."""
        row = (step, word, operator, target, detail)
        self._write("INSERT INTO control VALUES (NULL,?,?,?,?,?)", [row])

    def map_begun(self, now: float, old: str, new: str) -> None:
        """Note that the map was begun anew."""
        self._write(
            "INSERT INTO control VALUES (NULL,?,'new map','','',?)", [(now, f"{old} -> {new}")]
        )

    def request_edit(self, body: Mapping[str, object]) -> int:
        """Leave an edit for the mission to find, durably; return its number."""
        try:
            with self._db:
                done = self._db.execute(
                    "INSERT INTO edit_request VALUES (NULL,?)", [json.dumps(body)]
                )
        except sqlite3.Error as err:
            raise AuditError(f"audit log {self.path} cannot be written: {err}") from err
        return int(done.lastrowid or 0)

    def edit_requests(self, after: int) -> list[tuple[int, dict[str, Any]]]:
        """Return the edits that were left after number `after`."""
        rows = self._read("SELECT id, body FROM edit_request WHERE id > ? ORDER BY id", (after,))
        return [
            (number, stored_value(body, dict, f"audit log {self.path}: edit request {number}"))
            for number, body in rows
        ]

    def others_wrote(self) -> bool:
        """Tell whether another connection has changed the file since the last call."""
        version = self._read("PRAGMA data_version", ())[0][0]
        changed, self._version = version != self._version, version
        return bool(changed)

    def journal(self, kind: str, number: int, body: Mapping[str, object]) -> None:
        """Note an entry of the journal; one that is there already stays as it is."""
        row = (kind, number, json.dumps(body))
        self._write("INSERT OR IGNORE INTO journal VALUES (?,?,?)", [row])

    def journal_entries(self, kind: str) -> dict[int, dict[str, Any]]:
        """Return all journal entries of a kind by number."""
        rows = self._read("SELECT number, body FROM journal WHERE kind = ?", (kind,))
        return {number: self._body(kind, number, body) for number, body in rows}

    def journal_entry(self, kind: str, number: int) -> dict[str, Any] | None:
        """Return one journal entry, or None."""
        query = "SELECT body FROM journal WHERE kind = ? AND number = ?"
        rows = self._read(query, (kind, number))
        return self._body(kind, number, rows[0][0]) if rows else None

    def _body(self, kind: str, number: int, text: str) -> dict[str, Any]:
        body = stored_value(text, dict, f"audit log {self.path}: journal entry {kind} {number}")
        return dict(body)

    def facts(self) -> dict[str, Any]:
        """Return what :meth:`run` noted."""
        rows = self._read("SELECT key, value FROM run", ())
        return {
            key: stored_value(value, object, f"audit log {self.path}: fact {key}")
            for key, value in rows
        }

    def commit(self) -> None:
        """Make everything noted so far durable and readable for others."""
        self._hand_on()
        try:
            self._db.commit()
        except sqlite3.Error as err:
            raise AuditError(f"audit log {self.path} cannot be written: {err}") from err

    def rollback(self) -> None:
        """Forget what was noted since the last commit; a resumed mission will note it again."""
        self._evidence.clear()
        try:
            self._db.rollback()
        except sqlite3.ProgrammingError:
            return

    def close(self) -> None:
        """Commit and close; safe to repeat.

        Raises
        ------
        AuditError
            If the last entries cannot be written; the file is closed all the same.
        """
        try:
            self._insert_evidence()
            self._db.commit()
        except sqlite3.ProgrammingError:
            return
        except sqlite3.Error as err:
            self._db.close()
            raise AuditError(f"audit log {self.path} cannot be written: {err}") from err
        self._db.close()

    def check(self) -> None:
        """Look the whole file through; raise AuditError with the first damage."""
        found = self._read("PRAGMA quick_check(1)", ())
        if found != [("ok",)]:
            raise AuditError(f"audit log {self.path} is damaged: {_one_line(found[0][0])}")

    def _hand_on(self) -> None:
        try:
            self._insert_evidence()
        except sqlite3.Error as err:
            raise AuditError(f"audit log {self.path} cannot be written: {err}") from err

    def _insert_evidence(self) -> None:
        rows, self._evidence = self._evidence, []
        if rows:
            self._db.executemany(_INSERT_EVIDENCE, rows)

    def _read(self, query: str, values: tuple) -> list[tuple]:
        self._hand_on()
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.Error as err:
            raise AuditError(f"audit log {self.path} cannot be read: {err}") from err

    def _write(self, statement: str, rows: list[tuple]) -> None:
        if self.muted:
            return
        try:
            self._db.executemany(statement, rows)
        except sqlite3.Error as err:
            raise AuditError(f"audit log {self.path} cannot be written: {err}") from err


def _one_line(text: str) -> str:
    return " ".join(text.replace("*", " ").split())
