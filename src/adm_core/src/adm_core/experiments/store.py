"""Rows on disk: one JSON object a line, appended as episodes end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from adm_core.errors import AdmError

Row = dict[str, Any]


class ExperimentError(AdmError):
    """An experiment cannot be run, read or written."""


class RowStore:
    """JSONL file of rows with keys; lines that a killed process left half-written are dropped.

    Parameters
    ----------
    path : path-like
        The file; made if absent, with its folder.

    Raises
    ------
    ExperimentError
        If the file cannot be read or written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._rows: dict[str, Row] = {}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self.path.open("a+", encoding="utf-8")
            self._load()
        except OSError as err:
            raise ExperimentError(f"rows {self.path} cannot be opened: {err.strerror}") from err
        except UnicodeDecodeError as err:
            self._stream.close()
            raise ExperimentError(f"rows {self.path} are damaged: no UTF-8 text") from err

    def _load(self) -> None:
        self._stream.seek(0)
        text = self._stream.read()
        for line in text.splitlines():
            row = _parse(line)
            if row is not None and isinstance(row.get("key"), str):
                self._rows[row["key"]] = row
        if text and not text.endswith("\n"):
            self._stream.write("\n")

    def __enter__(self) -> RowStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.close()

    def get(self, key: str) -> Row | None:
        """Return the row of `key`, or None."""
        return self._rows.get(key)

    def note(self, facts: Mapping[str, Any]) -> None:
        """Append facts about the run; they carry no key and are no row."""
        self._append([dict(facts)])

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows and make them visible to others at once."""
        rows = list(rows)
        self._append(rows)
        self._rows.update((row["key"], row) for row in rows)

    def _append(self, rows: list[dict[str, Any]]) -> None:
        try:
            self._stream.write("".join(json.dumps(row) + "\n" for row in rows))
            self._stream.flush()
        except OSError as err:
            raise ExperimentError(f"rows {self.path} cannot be written: {err.strerror}") from err


def _parse(line: str) -> Row | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
