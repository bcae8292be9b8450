"""Table II of the SAGR paper: how much repeated runs of one scenario differ, and query time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.experiments.analysis import column
from adm_core.experiments.episode import Row
from adm_core.experiments.search import listed
from adm_core.experiments.search_analysis import group
from adm_core.experiments.search_episode import SearchEpisode, run_search_episode
from adm_core.experiments.search_figures import draw_ladder
from adm_core.experiments.tables import Table
from adm_core.search.methods import METHODS
from adm_core.simulation.search.config import SCALES

_SAGR = ("sagr", "sagr+")


@dataclass(frozen=True)
class StabilityExperiment(Config):
    """Table II: repetitions, scenarios, and how noisy the coordinator is."""

    runs: int = param(10, "runs of each scenario", min=2, max=10_000)
    scenarios: int = param(10, "scenarios of each scale", min=1, max=100_000)
    seed: int = param(5001, "first seed", min=0)
    scales: str = param("large", "sizes of the worlds, separated by commas")
    methods: str = param("hungarian,racer,aep_dvc,nf_h,sagr,sagr+", "methods, separated by commas")
    noise: str = param("0,0.1,0.3", "shares of rooms that a noisy coordinator draws")

    @property
    def seeds(self) -> range:
        """All seeds."""
        return range(self.seed, self.seed + self.scenarios)

    def plan(self) -> list[SearchEpisode]:
        """Return all episodes."""
        return [
            SearchEpisode(scale, seed, method, noise=noise, run=run, variant=name)
            for scale in listed("scales", self.scales, tuple(SCALES))
            for method in listed("methods", self.methods, tuple(METHODS))
            for name, noise in self._variants(method)
            for seed in self.seeds
            for run in range(self.runs)
        ]

    def _variants(self, method: str) -> list[tuple[str, float]]:
        """Return the coordinators of a method: name and noise."""
        shares = noise_shares(self.noise) if method in _SAGR else []
        return [(method, -1.0), *((f"{method} noisy {share:g}", share) for share in shares)]


def noise_shares(text: str) -> list[float]:
    """Return the shares of a list separated by commas.

    Raises
    ------
    ConfigError
        One is no number from 0 to 1.
    """
    try:
        shares = [float(item) for item in text.split(",") if item.strip()]
    except ValueError:
        shares = [-1.0]
    if not all(0.0 <= share <= 1.0 for share in shares):
        raise ConfigError(f"noise must be shares from 0 to 1 separated by commas, got {text!r}")
    return shares


@dataclass(frozen=True)
class Stability:
    """Runs of one variant at one scale.

    Attributes
    ----------
    mean : float
        Of all steps.
    std : float
        Standard deviation over the runs of a scenario, mean over scenarios.
    query_ms, query_ms_std : float
        Time of a coordinator's decision, over the runs.
    """

    scale: str
    variant: str
    scenarios: int
    runs: int
    mean: float
    std: float
    query_ms: float
    query_ms_std: float


@dataclass(frozen=True)
class StabilityReport:
    """One line a variant."""

    lines: list[Stability]

    def tables(self) -> list[Table]:
        """Return the one table."""
        columns = (
            *("scale", "method", "scenarios", "runs", "steps mean", "steps std"),
            *("ms/query", "ms std"),
        )
        rows: list[Sequence[Any]] = [tuple(vars(line).values()) for line in self.lines]
        return [Table("Stability: search steps over repeated runs", columns, rows)]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {"table": [vars(line) for line in self.lines]}

    def draw(self, folder: Path) -> list[Path]:
        """Draw the deviations."""
        groups: dict[str, list[tuple[str, float]]] = {}
        for line in self.lines:
            groups.setdefault(line.scale, []).append((line.variant, line.std))
        title = "Standard deviation of the search steps over runs"
        return draw_ladder(groups, "steps", title, folder / "search_stability")


def conduct(config: StabilityExperiment, run: Callable[..., Sequence[Row]]) -> StabilityReport:
    """Run the experiment through `run` and report it."""
    rows = run(config.plan(), work=run_search_episode)
    lines = []
    for scale, variant in dict.fromkeys((row["scale"], row["variant"]) for row in rows):
        found = group(rows, scale=scale, variant=variant)
        lines.append(_line(found, scale, variant, config.runs))
    return StabilityReport(lines)


def _line(rows: Sequence[Row], scale: str, variant: str, runs: int) -> Stability:
    steps = column(rows, "steps").reshape(-1, runs)  # rows come in order of their seeds
    asked = [row for row in rows if row["queries"]]
    times = column(asked, "query_ms") if asked else np.zeros(1)
    return Stability(
        scale,
        variant,
        len(steps),
        runs,
        float(steps.mean()),
        float(steps.std(axis=1, ddof=1).mean()),
        float(times.mean()),
        float(times.std()),
    )
