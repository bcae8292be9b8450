"""Carry an experiment out: folder, rows, tables and figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from adm_core.experiments.episode import Episode, Row
from adm_core.experiments.figures import require_figures
from adm_core.experiments.runner import Progress, run_episodes
from adm_core.experiments.store import ExperimentError, RowStore
from adm_core.experiments.tables import Table
from adm_core.files import write_atomic

ROWS, SUMMARY, TABLES = "rows.jsonl", "summary.json", "tables"


class Report(Protocol):
    """What an experiment came to."""

    def tables(self) -> list[Table]:
        """Return its tables."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""

    def draw(self, folder: Path) -> list[Path]:
        """Draw its figures and return their files."""


def carry_out(
    conduct: Callable[[Any, Callable[[Sequence[Episode]], Sequence[Row]]], Report],
    config: Any,
    folder: Path,
    *,
    jobs: int,
    facts: dict[str, Any],
    progress: Progress | None = None,
    figures: bool = False,
) -> Report:
    """Run an experiment in a folder; rows that are there already are not run again.

    Parameters
    ----------
    conduct : callable
        The experiment: takes its config and a function that turns episodes into rows.
    config : Config
        Its parameters.
    folder : Path
        Receives ``rows.jsonl``, ``summary.json``, ``tables.{txt,csv,tex}`` and figures.
    jobs : int
        Processes.
    facts : dict
        Command, seeds and machine, as :func:`~adm_core.experiments.facts.run_facts` gives them.
    progress : callable, optional
        Shown how many episodes are done.
    figures : bool
        Whether to draw.

    Raises
    ------
    ExperimentError
        If the folder cannot be written, or figures are wanted and matplotlib is missing.
    """
    if figures:
        require_figures()  # before hours of work, not after
    with RowStore(folder / ROWS) as store:
        store.note(facts)
        report = conduct(config, partial(run_episodes, store=store, jobs=jobs, progress=progress))
    try:
        _write(report, folder, facts)
        if figures:
            report.draw(folder)
    except OSError as err:
        raise ExperimentError(f"folder {folder} cannot be written: {err.strerror}") from err
    return report


def render(tables: Sequence[Table], form: str) -> str:
    """Return tables as ``text``, ``csv`` or ``latex``, one after the other."""
    return "\n".join(getattr(table, form)().rstrip("\n") + "\n" for table in tables)


def _write(report: Report, folder: Path, facts: dict[str, Any]) -> None:
    summary = json.dumps({"facts": facts, **report.as_dict()}, indent=2) + "\n"
    write_atomic(folder / SUMMARY, [summary.encode()])
    for suffix, form in (("txt", "text"), ("csv", "csv"), ("tex", "latex")):
        text = render(report.tables(), form)
        write_atomic(folder / f"{TABLES}.{suffix}", [text.encode()])
