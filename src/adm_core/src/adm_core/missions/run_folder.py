"""Folder of one run: summary, audit log and picture, and ``latest`` pointing to the newest."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from itertools import count
from pathlib import Path

import cv2

from adm_core.errors import AdmError, LlmError, MissionError
from adm_core.files import write_atomic
from adm_core.llm.ledger import Call, Ledger
from adm_core.missions.picture import draw_mission
from adm_core.missions.setup import MissionSetup
from adm_core.missions.summary import Summary
from adm_core.simulation.recycling import WorldFacts

AUDIT, SUMMARY, PICTURE = "audit.sqlite", "summary.json", "mission.png"
LEDGER = "llm_calls.jsonl"
_FOR_GOOD = ("completed", "out_of_budget")


class RunFolder:
    """One folder per run.

    Parameters
    ----------
    path : path-like
        The folder; made if absent.

    Raises
    ------
    MissionError
        If the folder cannot be made, or already holds a run.

    Attributes
    ----------
    begun : bool
        Whether the run is more than a wish: set by whoever starts the mission.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.begun = False
        try:
            self._made = [item for item in (self.path, *self.path.parents) if not item.exists()]
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise MissionError(f"run folder {path} cannot be made: {err.strerror}") from err
        if self.audit.exists() and self.audit.stat().st_size:
            raise MissionError(f"run folder {path} already holds a run; name another one")

    @classmethod
    def numbered(cls, root: str | Path, stem: str) -> RunFolder:
        """Return the folder ``root/stem-NNN`` with the next free number, and link ``latest``."""
        try:
            folder = cls(_new_folder(Path(root), stem))
            folder.link_latest()
        except OSError as err:
            raise MissionError(f"no run folder can be made in {root}: {err.strerror}") from err
        return folder

    @classmethod
    def existing(cls, path: str | Path) -> RunFolder:
        """Return the folder of a run that was started before; raise MissionError if it is none."""
        folder = cls.__new__(cls)
        folder.path, folder.begun, folder._made = Path(path), True, []
        if not folder.audit.is_file():
            raise MissionError(f"{path} holds no run: there is no {AUDIT}")
        return folder

    @property
    def audit(self) -> Path:
        """Path of the audit log."""
        return self.path / AUDIT

    @contextmanager
    def kept_if_begun(self) -> Iterator[None]:
        """Take everything away again if an error comes before the mission has begun.

        A refused mission must not use its folder up: the next try, put right, takes the same.
        """
        try:
            yield
        except (AdmError, OSError):
            if not self.begun:
                self._discard()
            raise

    def _discard(self) -> None:
        names = [f"{AUDIT}{end}" for end in ("", "-wal", "-shm", "-journal")]
        for name in (*names, LEDGER):
            (self.path / name).unlink(missing_ok=True)
        with suppress(OSError):  # a folder that holds something else stays
            for folder in self._made:
                folder.rmdir()

    @property
    def ended(self) -> str:
        """How the mission ended for good: completed or out_of_budget; empty: it may go on."""
        try:
            outcome = json.loads((self.path / SUMMARY).read_text("utf-8"))["outcome"]
        except (OSError, ValueError, LookupError, TypeError):
            return ""
        return outcome if outcome in _FOR_GOOD else ""

    def link_latest(self) -> None:
        """Point ``latest`` beside the folder to it, in one step."""
        link, temporary = self.path.parent / "latest", self.path.parent / f".latest-{os.getpid()}"
        temporary.unlink(missing_ok=True)
        temporary.symlink_to(self.path.name)
        temporary.replace(link)

    def write(self, summary: Summary, setup: MissionSetup, facts: WorldFacts) -> None:
        """Write summary and picture; the audit log must be closed or committed."""
        text = json.dumps(summary.as_dict(), indent=2) + "\n"
        picture = cv2.imencode(".png", draw_mission(setup, self.audit, facts, summary))[1]
        try:
            write_atomic(self.path / SUMMARY, [text.encode()])
            write_atomic(self.path / PICTURE, [picture.tobytes()])
        except OSError as err:
            raise MissionError(f"{self.path} cannot be written: {err.strerror}") from err

    def keep_ledger(self, ledger: Ledger) -> None:
        """Write every call of the model down as one line of JSON, at the moment it ends.

        Calls that are there from an earlier run of the mission are put into the ledger first:
        they were paid for. A last line that a killed process left half-written is dropped.

        Raises
        ------
        LlmError
            If the file holds anything else.
        MissionError
            If it cannot be read or written.
        """
        path, made = self.path / LEDGER, ledger.as_dicts()
        try:
            whole = _whole_lines(path)
            ledger.restore(json.loads(line) for line in whole)
            write_atomic(path, [f"{line}\n".encode() for line in (*whole, *map(json.dumps, made))])
            ledger.on_call = partial(_append, path)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as err:
            raise LlmError(f"ledger {path} is damaged: {err}") from err
        except OSError as err:
            raise MissionError(f"ledger {path} cannot be written: {err.strerror}") from err


def _whole_lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    return path.read_text("utf-8").split("\n")[:-1]


def _append(path: Path, call: Call) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(call)) + "\n")
    except OSError as err:
        raise MissionError(
            f"mission held: ledger {path} cannot be written: {err.strerror}"
        ) from err


def _new_folder(root: Path, stem: str) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        path = root / f"{stem}-{number:03d}"
        try:
            path.mkdir()
        except FileExistsError:
            continue
        break
    return path
