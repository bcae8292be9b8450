"""From rows to figures: per cell of an experiment, and paired between methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from adm_core.experiments.episode import Row
from adm_core.experiments.statistics import Estimate, paired_difference, wilson
from adm_core.planning.query import CONTEXT_BASE, CONTEXT_PER_RECORD

#: Seed of the bootstrap; the intervals of the same rows are then always the same.
_BOOTSTRAP_SEED = 20_240_501


@dataclass(frozen=True)
class Cell:
    """Episodes of one scenario, method and variant, summarised.

    Attributes
    ----------
    episodes, successes : int
        How many there were, and how many delivered everything within the budget.
    success : Estimate
        Share with its Wilson 95 % interval.
    steps : float
        Mean length; a failed episode counts as its whole budget.
    context : float
        Mean context units per episode, 48 + 18 n per planning call.
    calls, records_per_call, context_per_call : float
        Means per episode, and per call over all episodes.
    replans, ghost_visits, stale_visits : float
        Means per episode.
    """

    scenario: str
    method: str
    variant: str
    episodes: int
    successes: int
    success: Estimate
    steps: float
    context: float
    calls: float
    records_per_call: float
    context_per_call: float
    max_context_per_call: float
    replans: float
    ghost_visits: float
    stale_visits: float

    def as_dict(self) -> dict[str, Any]:
        """Return the values as plain data."""
        return {**asdict(self), "success": list(self.success)}


def summarise_cell(rows: Sequence[Row]) -> Cell:
    """Return the summary of rows that share scenario, method and variant."""
    first = rows[0]
    successes = sum(row["success"] for row in rows)
    context = column(rows, "context_units")
    calls = column(rows, "planner_calls")
    return Cell(
        scenario=first["scenario"],
        method=first["method"],
        variant=first["variant"],
        episodes=len(rows),
        successes=successes,
        success=wilson(successes, len(rows)),
        steps=float(column(rows, "steps").mean()),
        context=float(context.mean()),
        calls=float(calls.mean()),
        records_per_call=float((context.sum() / calls.sum() - CONTEXT_BASE) / CONTEXT_PER_RECORD),
        context_per_call=float(context.sum() / calls.sum()),
        max_context_per_call=float((context / calls).max()),
        replans=float(column(rows, "replans").mean()),
        ghost_visits=float(column(rows, "ghost_visits").mean()),
        stale_visits=float(column(rows, "stale_visits").mean()),
    )


@dataclass(frozen=True)
class Difference:
    """Method or variant `a` against `b` on the same seeds.

    Attributes
    ----------
    success_points : Estimate
        Difference of the success shares in percentage points, with its bootstrap interval.
    steps : Estimate
        Difference of lengths in steps.
    steps_ratio, context_ratio : float
        Ratios of the means.
    vain_visits : Estimate
        Difference of ghost and stale visits.
    """

    scenario: str
    a: str
    b: str
    success_points: Estimate
    steps: Estimate
    steps_ratio: float
    context_ratio: float
    vain_visits: Estimate

    def as_dict(self) -> dict[str, Any]:
        """Return the values as plain data."""
        values = asdict(self)
        return {
            key: list(value) if isinstance(value, tuple) else value for key, value in values.items()
        }


def compare(a: Sequence[Row], b: Sequence[Row], names: tuple[str, str]) -> Difference:
    """Compare two cells of the same scenario, seed by seed.

    Raises
    ------
    ValueError
        If the seeds differ.
    """
    a, b = seed_by_seed(a, b, names)
    points = _paired(a, b, lambda row: 100.0 * row["success"])
    return Difference(
        a[0]["scenario"],
        *names,
        success_points=points,
        steps=_paired(a, b, lambda row: row["steps"]),
        steps_ratio=float(column(a, "steps").sum() / column(b, "steps").sum()),
        context_ratio=float(column(a, "context_units").sum() / column(b, "context_units").sum()),
        vain_visits=_paired(a, b, vain_visits),
    )


def _paired(a: Sequence[Row], b: Sequence[Row], value: Callable[[Row], float]) -> Estimate:
    rng = np.random.default_rng(_BOOTSTRAP_SEED)
    return paired_difference(list(map(value, a)), list(map(value, b)), rng)


def vain_visits(row: Row) -> int:
    """Return how often the robot picked where nothing was."""
    return int(row["stale_visits"] + row["ghost_visits"])


def by_seed(rows: Iterable[Row]) -> list[Row]:
    """Return rows in order of their seeds."""
    return sorted(rows, key=lambda row: row["seed"])


def seed_by_seed(
    a: Iterable[Row], b: Iterable[Row], names: tuple[str, str]
) -> tuple[list[Row], list[Row]]:
    """Return two groups of rows in order of their seeds.

    Raises
    ------
    ValueError
        If the seeds differ.
    """
    a, b = by_seed(a), by_seed(b)
    if [row["seed"] for row in a] != [row["seed"] for row in b]:
        raise ValueError(f"seeds of {names[0]} and {names[1]} must be the same")
    return a, b


def column(rows: Sequence[Row], name: str) -> npt.NDArray[np.float64]:
    """Return one value of each row, float64[n]."""
    return np.array([row[name] for row in rows], np.float64)


def select(rows: Iterable[Row], **wanted: Any) -> list[Row]:
    """Return the rows whose named values are as given."""
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]
