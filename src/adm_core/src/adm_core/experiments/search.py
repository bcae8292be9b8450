"""Table I of the SAGR paper: exploration and search, three scales, all methods, same scenarios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.experiments.episode import Row
from adm_core.experiments.search_analysis import (
    Comparison,
    SearchCell,
    against,
    group,
    summarise,
)
from adm_core.experiments.search_claims import Claim, check_claims
from adm_core.experiments.search_episode import (
    EXPLORE,
    SEARCH,
    WORLDS,
    SearchEpisode,
    run_search_episode,
)
from adm_core.experiments.search_figures import draw_table
from adm_core.experiments.statistics import Estimate
from adm_core.experiments.tables import Table
from adm_core.missions.search import ORACLE
from adm_core.search.methods import METHODS
from adm_core.simulation.search.config import SCALES

#: Rows of Table I in their order; the two after ``aep_dvc`` are the published forms.
TABLE_METHODS = (
    "hungarian", "racer", "aep_dvc", "racer_hgrid", "aep_rrt", "nf_h", "sagr", "sagr+", ORACLE
)  # fmt: skip
_TITLES = {
    EXPLORE: "Exploration: steps until 99 % of the reachable floor is known",
    SEARCH: "Search: steps until the target is seen",
}


@dataclass(frozen=True)
class SearchExperiment(Config):
    """Table I: scenarios, scales, methods, and what to vary of the set-up."""

    scenarios: int = param(100, "paired scenarios of each scale", min=1, max=100_000)
    seed: int = param(5001, "first seed; those below 5001 were used for tuning", min=0)
    scales: str = param(",".join(SCALES), "sizes of the worlds, separated by commas")
    tasks: str = param(f"{EXPLORE},{SEARCH}", "tasks, separated by commas")
    methods: str = param(",".join(TABLE_METHODS), "methods, separated by commas")
    world: str = param("default", "the set-up, or one other choice in it", choices=tuple(WORLDS))

    @property
    def seeds(self) -> range:
        """All seeds."""
        return range(self.seed, self.seed + self.scenarios)

    def plan(self) -> list[SearchEpisode]:
        """Return all episodes, the methods of a scenario one after the other."""
        scales = listed("scales", self.scales, tuple(SCALES))
        tasks = listed("tasks", self.tasks, (EXPLORE, SEARCH))
        methods = listed("methods", self.methods, (*METHODS, ORACLE))
        return [
            SearchEpisode(scale, seed, method, task, self.world, variant=method)
            for scale in scales
            for seed in self.seeds
            for task in tasks
            for method in methods
        ]


def listed(name: str, text: str, known: Sequence[str]) -> list[str]:
    """Return a list separated by commas.

    Raises
    ------
    ConfigError
        It is empty or holds something that is not known.
    """
    names = [item.strip() for item in text.split(",") if item.strip()]
    if not names or not set(names) <= set(known):
        raise ConfigError(f"{name} must be of {', '.join(known)}, got {text!r}")
    return list(dict.fromkeys(names))


@dataclass(frozen=True)
class SearchReport:
    """Cells of the table, every method against every other, and the claims.

    Attributes
    ----------
    cells : list of SearchCell
    comparisons : list of Comparison
        All pairs of methods of a task and scale.
    claims : list of Claim
        What is to be shown, as far as the methods run allow.
    world : str
    """

    cells: list[SearchCell]
    comparisons: list[Comparison]
    claims: list[Claim]
    world: str

    def tables(self) -> list[Table]:
        """Return one table a task, then the claims."""
        tasks = dict.fromkeys(cell.task for cell in self.cells)
        tables = [self._table(task) for task in tasks]
        if self.claims:
            tables.append(
                Table(
                    "Claims: difference in %, 95 % paired bootstrap",
                    ("claim", "scale", "against", "percent", "wanted", "met"),
                    [
                        (
                            item.name,
                            item.scale,
                            item.against,
                            item.percent,
                            f"{item.most:+g}",
                            "yes" if item.met else "no",
                        )
                        for item in self.claims
                    ],
                )
            )
        return tables

    def _table(self, task: str) -> Table:
        rows: list[Sequence[Any]] = []
        for cell in self.cells:
            if cell.task == task:
                rows.append(
                    (
                        cell.scale,
                        cell.method,
                        cell.episodes,
                        cell.mean,
                        cell.median,
                        cell.total,
                        cell.ended,
                        self.percent(task, cell.scale, cell.method, "nf_h"),
                        self.percent(task, cell.scale, "sagr", cell.method),
                        self.percent(task, cell.scale, "sagr+", cell.method),
                        cell.cpu_s,
                    )
                )
        columns = ("scale", "method", "n", "mean", "median", "T", "ended", "% to nf_h")
        world = "" if self.world == "default" else f" ({self.world})"
        return Table(
            _TITLES[task] + world,
            (*columns, "sagr % to it", "sagr+ % to it", "cpu s each"),
            rows,
        )

    def percent(self, task: str, scale: str, a: str, b: str) -> Estimate | None:
        """Return how much `a` exceeds `b`; None if they were not both run, or are the same."""
        for item in self.comparisons:
            if (item.task, item.scale, item.a, item.b) == (task, scale, a, b):
                return item.percent
        return None

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "world": self.world,
            "table": [cell.as_dict() for cell in self.cells],
            "comparisons": [item.as_dict() for item in self.comparisons],
            "claims": [item.as_dict() for item in self.claims],
        }

    def draw(self, folder: Path) -> list[Path]:
        """Draw one figure a task."""
        paths = []
        for task in dict.fromkeys(cell.task for cell in self.cells):
            cells = [cell for cell in self.cells if cell.task == task]
            paths += draw_table(cells, _TITLES[task], folder / f"search_{task}")
        return paths


def conduct(config: SearchExperiment, run: Callable[..., Sequence[Row]]) -> SearchReport:
    """Run the experiment through `run` and report it."""
    rows = run(config.plan(), work=run_search_episode)
    cells, comparisons = [], []
    for task, scale in dict.fromkeys((row["task"], row["scale"]) for row in rows):
        groups = {
            method: group(rows, task=task, scale=scale, method=method)
            for method in dict.fromkeys(row["method"] for row in rows)
        }
        cells += [summarise(found) for found in groups.values()]
        comparisons += [
            against(groups[a], groups[b], (a, b)) for a in groups for b in groups if a != b
        ]
    cells.sort(key=lambda cell: cell.task)
    return SearchReport(cells, comparisons, check_claims(cells, comparisons), config.world)
