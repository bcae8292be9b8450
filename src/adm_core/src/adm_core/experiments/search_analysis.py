"""From rows of search episodes to cells of tables, and paired between methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from adm_core.experiments.analysis import by_seed, column, seed_by_seed, select
from adm_core.experiments.episode import Row
from adm_core.experiments.search_episode import EXPLORE
from adm_core.experiments.statistics import Estimate, paired_ratio

_BOOTSTRAP_SEED = 20_240_501


@dataclass(frozen=True)
class SearchCell:
    """Runs of one task, scale and method, summarised.

    Attributes
    ----------
    mean, median : float
        Of the main figure: steps until found, or until 99 % of the reachable floor was seen.
    total : float
        Mean of the steps until the mission ended.
    ended : int
        Runs that ended before the budget.
    """

    task: str
    scale: str
    method: str
    variant: str
    episodes: int
    mean: float
    median: float
    total: float
    ended: int
    query_ms: float
    cpu_s: float

    def as_dict(self) -> dict[str, Any]:
        """Return the values as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Comparison:
    """`a` against `b` on the same seeds: by how many percent its mean is larger.

    Attributes
    ----------
    task, scale : str
    a, b : str
        Methods or variants.
    percent : Estimate
        Ratio of the means less one, with its 95 % interval over resampled scenarios.
    """

    task: str
    scale: str
    a: str
    b: str
    percent: Estimate

    def as_dict(self) -> dict[str, Any]:
        """Return the values as plain data."""
        return {**asdict(self), "percent": list(self.percent)}


def figure(task: str) -> str:
    """Return the name of the column that a task is judged by."""
    return "t99" if task == EXPLORE else "steps"


def summarise(rows: Sequence[Row]) -> SearchCell:
    """Return the summary of rows that share task, scale, method and variant."""
    first = rows[0]
    values = column(rows, figure(first["task"]))
    queries = column(rows, "queries")
    times = float((column(rows, "query_ms") * queries).sum())
    return SearchCell(
        first["task"],
        first["scale"],
        first["method"],
        first["variant"],
        len(rows),
        float(values.mean()),
        float(np.median(values)),
        float(column(rows, "steps").mean()),
        sum(row["state"] != "budget" for row in rows),
        times / float(queries.sum()) if queries.sum() else 0.0,
        float(column(rows, "cpu_s").mean()),
    )


def against(rows: Sequence[Row], other: Sequence[Row], names: tuple[str, str]) -> Comparison:
    """Compare two groups of the same task, scale and seeds.

    Raises
    ------
    ValueError
        If the seeds differ.
    """
    rows, other = seed_by_seed(rows, other, names)
    task = rows[0]["task"]
    percent = paired_ratio(
        column(rows, figure(task)),
        column(other, figure(task)),
        np.random.default_rng(_BOOTSTRAP_SEED),
    )
    return Comparison(task, rows[0]["scale"], *names, percent)


def group(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    """Return the rows whose named values are as given, in order of their seeds."""
    return by_seed(select(rows, **wanted))
