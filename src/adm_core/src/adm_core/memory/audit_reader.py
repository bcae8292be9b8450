"""Questions to an audit log: what did the robot believe then, and why."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from adm_core.errors import AuditError
from adm_core.memory.stored import sound, stored_value

Row = dict[str, Any]


class AuditReader:
    """Read-only view of an audit log, also of one that is being written.

    Parameters
    ----------
    path : path-like
        The log, or the run folder that holds it as ``audit.sqlite``.

    Raises
    ------
    AuditError
        If there is no such file, or it is no audit log.
    """

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        self.path = path / "audit.sqlite" if path.is_dir() else path
        if not self.path.is_file():
            raise AuditError(f"there is no audit log at {self.path}")
        self._db = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True)
        self._db.row_factory = sqlite3.Row
        self._rows("SELECT 1 FROM evidence LIMIT 1")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def overview(self) -> Row:
        """Return parameters, the last step, and how often each thing happened."""
        facts = {
            row["key"]: stored_value(
                row["value"], object, f"audit log {self.path}: fact {row['key']}"
            )
            for row in self._rows("SELECT * FROM run")
        }
        last = self._rows("SELECT max(step) AS step FROM pose")[0]["step"]
        return {
            "run": facts,
            "last_step": last,
            "evidence": self._counts("SELECT verdict, count(*) FROM evidence GROUP BY verdict"),
            "planning": self._counts("SELECT reason, count(*) FROM planning GROUP BY reason"),
            "people": self._counts(
                "SELECT word || coalesce(' by ' || nullif(operator, ''), ''), count(*)"
                " FROM control GROUP BY word, operator"
            )
            if self._has_people
            else {},
            "skills": self._counts(
                "SELECT skill || ' ' || event, count(*) FROM skill GROUP BY skill, event"
            ),
        }

    def beliefs(self, at: float) -> list[Row]:
        """Return the records as they were at time `at`, in order of first acceptance."""
        records: dict[str, Row] = {}
        query = "SELECT entity, field, new FROM change WHERE now <= ? ORDER BY id"
        for row in self._rows(query, at):
            records.setdefault(row["entity"], {"id": row["entity"]})[row["field"]] = row["new"]
        return list(records.values())

    def decision(self, at: float) -> Row | None:
        """Return the last planning call until time `at`: why, what it saw, what came out."""
        rows = self._rows("SELECT * FROM planning WHERE step <= ? ORDER BY id DESC LIMIT 1", at)
        if not rows:
            return None
        what = f"audit log {self.path}: planning call {rows[0]['call']}"
        for name in ("exposed", "plan", "refusals"):
            rows[0][name] = stored_value(rows[0][name], list, what)
        with sound(what):
            rows[0]["exposed"] = [[str(name), float(score)] for name, score in rows[0]["exposed"]]
            rows[0]["plan"] = list(map(str, rows[0]["plan"]))
        return rows[0]

    def history(self, entity: str, until: float) -> list[Row]:
        """Return everything that concerned an entity until a time, in order of time.

        Each row has ``now``, ``kind`` (evidence, change, person or skill) and ``text``.
        """
        found = [
            *self._told(
                "evidence",
                "SELECT now, source || ' of ' || stamp ||"
                " CASE source WHEN 'operator' THEN ' by ' || source_id ELSE '' END ||"
                " ': ' || label || ' at (' ||"
                " coalesce(round(x, 2), '?') || ', ' || coalesce(round(y, 2), '?') ||"
                " '), confidence ' || round(confidence, 3) || ' -> ' || verdict AS text"
                " FROM evidence WHERE entity = ? AND now <= ? ORDER BY id",
                entity,
                until,
            ),
            *self._told(
                "change",
                "SELECT now, field || ': ' || old || ' -> ' || new AS text"
                " FROM change WHERE entity = ? AND now <= ? ORDER BY id",
                entity,
                until,
            ),
            *self._people(entity, until),
            *self._told(
                "skill",
                "SELECT step AS now, skill || ' ' || event || ' ' || reason AS text"
                " FROM skill WHERE target = ? AND step <= ? ORDER BY id",
                entity,
                until,
            ),
        ]
        return sorted(found, key=lambda row: row["now"])

    def people(self, until: float) -> list[Row]:
        """Return what people did until a time: controls, approvals and edits, with their names."""
        if not self._has_people:
            return []
        query = "SELECT step, word, operator, target, detail FROM control WHERE step <= ?"
        return self._rows(f"{query} ORDER BY id", until)

    def _people(self, entity: str, until: float) -> Iterator[Row]:
        for row in self.people(until):
            if row["target"] == entity:
                by = f" by {row['operator']}" if row["operator"] else ""
                text = f"{row['word']}{by}: {row['detail']}"
                yield {"now": row["step"], "kind": "person", "text": text}

    @property
    def _has_people(self) -> bool:
        """Whether the log knows of people at all: those of older versions do not."""
        found = self._rows("SELECT 1 FROM sqlite_master WHERE name = 'control'")
        return bool(found)

    def entities(self) -> list[str]:
        """Return all ids that the memory gave out."""
        return [row["entity"] for row in self._rows("SELECT DISTINCT entity FROM change")]

    def _told(self, kind: str, query: str, *values: object) -> Iterator[Row]:
        for row in self._rows(query, *values):
            yield {"now": row["now"], "kind": kind, "text": row["text"].strip()}

    def _counts(self, query: str) -> dict[str, int]:
        with self._reading():
            return {row[0]: row[1] for row in self._db.execute(query)}

    def _rows(self, query: str, *values: object) -> list[Row]:
        with self._reading():
            return [dict(row) for row in self._db.execute(query, values)]

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as err:
            raise AuditError(f"audit log {self.path} cannot be read: {err}") from err
