"""Table III of the SAGR paper: what each part of the coordinator's query is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adm_core.config import Config, param
from adm_core.experiments.episode import Row
from adm_core.experiments.search import listed
from adm_core.experiments.search_analysis import (
    Comparison,
    SearchCell,
    against,
    group,
    summarise,
)
from adm_core.experiments.search_episode import SearchEpisode, run_search_episode
from adm_core.experiments.search_figures import draw_ladder
from adm_core.experiments.search_stability import noise_shares
from adm_core.experiments.tables import Table
from adm_core.simulation.search.config import SCALES

#: What can be left out: name in tables, field of the coordinator's context.
PARTS = {
    "-type": "target_type",
    "-neighbours": "neighbours",
    "-plan summary": "plan_summary",
}
_FULL = "full"


@dataclass(frozen=True)
class SearchAblation(Config):
    """Table III: scenarios, scales, coordinators."""

    scenarios: int = param(100, "paired scenarios of each scale", min=1, max=100_000)
    seed: int = param(5001, "first seed", min=0)
    scales: str = param("medium,large", "sizes of the worlds, separated by commas")
    method: str = param("sagr", "whose rules", choices=("sagr", "sagr+"))
    noise: str = param("0.1", "shares of rooms that noisy coordinators draw")

    @property
    def seeds(self) -> range:
        """All seeds."""
        return range(self.seed, self.seed + self.scenarios)

    def plan(self) -> list[SearchEpisode]:
        """Return all episodes."""
        coordinators = [("deterministic", -1.0)]
        coordinators += [(f"noisy {share:g}", share) for share in noise_shares(self.noise)]
        left_out = [(_FULL, ()), *((name, (part,)) for name, part in PARTS.items())]
        return [
            SearchEpisode(
                scale, seed, self.method, noise=noise, context=context,
                variant=f"{coordinator}, {name}",
            )
            for scale in listed("scales", self.scales, tuple(SCALES))
            for coordinator, noise in coordinators
            for name, context in left_out
            for seed in self.seeds
        ]  # fmt: skip


@dataclass(frozen=True)
class AblationReport:
    """Cells of all variants, and each one against the full query of its coordinator."""

    cells: list[SearchCell]
    comparisons: list[Comparison]

    def tables(self) -> list[Table]:
        """Return the one table."""
        percent = {(c.scale, c.a): c.percent for c in self.comparisons}
        rows: list[Sequence[Any]] = [
            (
                cell.scale,
                cell.variant,
                cell.episodes,
                cell.mean,
                cell.median,
                percent.get((cell.scale, cell.variant)),
            )
            for cell in self.cells
        ]
        columns = ("scale", "query", "n", "mean steps", "median", "% to full")
        return [Table("Ablation of the coordinator's query: search steps", columns, rows)]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "table": [cell.as_dict() for cell in self.cells],
            "comparisons": [item.as_dict() for item in self.comparisons],
        }

    def draw(self, folder: Path) -> list[Path]:
        """Draw the differences."""
        groups: dict[str, list[tuple[str, float]]] = {}
        for item in self.comparisons:
            groups.setdefault(item.scale, []).append((item.a, item.percent.value))
        title = "Search steps without a part of the query"
        return draw_ladder(groups, "% more steps", title, folder / "search_ablation")


def conduct(config: SearchAblation, run: Callable[..., Sequence[Row]]) -> AblationReport:
    """Run the experiment through `run` and report it."""
    rows = run(config.plan(), work=run_search_episode)
    cells, comparisons = [], []
    for scale, variant in dict.fromkeys((row["scale"], row["variant"]) for row in rows):
        found = group(rows, scale=scale, variant=variant)
        cells.append(summarise(found))
        full = f"{variant.split(',')[0]}, {_FULL}"
        if variant != full:
            whole = group(rows, scale=scale, variant=full)
            comparisons.append(against(found, whole, (variant, full)))
    return AblationReport(cells, comparisons)
