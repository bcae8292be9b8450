"""Table I of the paper: five memory methods, three scenarios, paired seeds (section V-A)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.experiments.analysis import (
    Cell,
    Difference,
    compare,
    select,
    summarise_cell,
)
from adm_core.experiments.episode import Episode, Row
from adm_core.experiments.figures import draw_memory
from adm_core.experiments.tables import Table
from adm_core.experiments.variants import TAPES, changes_of, scenario_of
from adm_core.memory.methods import METHODS
from adm_core.missions.profile import load_profile

#: Pairs of methods whose difference the table shows.
PAIRS = (("attention", "static"), ("attention", "unfiltered"), ("attention", "oracle"))
_COLUMNS = (
    *("scenario", "method", "episodes", "success %", "context", "steps", "calls", "n/call"),
    *("ghost", "stale"),
)


@dataclass(frozen=True)
class MemoryExperiment(Config):
    """Which part of Table I to run."""

    episodes: int = param(100, "paired seeds per scenario and method", min=1, max=1_000_000)
    seed: int = param(30_000, "first seed; those below 30000 chose the parameters", min=0)
    profile: str = param("paper", "parameters: paper, robust or a YAML file")
    methods: str = param(",".join(METHODS), "memory methods, separated by commas")
    tape: str = param(
        "plain",
        "noise: as the paper, or with displaced reports and a convincing ghost in every scan",
        choices=TAPES,
    )

    def plan(self) -> list[Episode]:
        """Return all episodes: for each seed every method meets the same events."""
        changes = changes_of(self.tape)
        return [
            Episode(scenario_of(self.profile, name, self.tape), method, seed, self.profile, changes)
            for name in load_profile(self.profile).scenarios
            for seed in self.seeds
            for method in self.listed_methods()
        ]

    def listed_methods(self) -> list[str]:
        """Return the methods in the order of the table; raise ConfigError if one is unknown."""
        names = [name.strip() for name in self.methods.split(",") if name.strip()]
        if not names or not set(names) <= set(METHODS):
            raise ConfigError(f"methods must be of {', '.join(METHODS)}, got {self.methods!r}")
        return [name for name in METHODS if name in names]

    @property
    def seeds(self) -> range:
        """All seeds."""
        return range(self.seed, self.seed + self.episodes)


@dataclass(frozen=True)
class MemoryReport:
    """Table I.

    Attributes
    ----------
    cells : list of Cell
        One per scenario and method.
    differences : list of Difference
        Paired differences per scenario, in the order of :data:`PAIRS`.
    """

    cells: list[Cell]
    differences: list[Difference]

    def cell(self, scenario: str, method: str) -> Cell:
        """Return one cell; raise KeyError if it was not run."""
        for item in self.cells:
            if (item.scenario, item.method) == (scenario, method):
                return item
        raise KeyError((scenario, method))

    def difference(self, scenario: str, a: str, b: str) -> Difference:
        """Return one paired difference; raise KeyError if there is none."""
        for item in self.differences:
            if (item.scenario, item.a, item.b) == (scenario, a, b):
                return item
        raise KeyError((scenario, a, b))

    def tables(self) -> list[Table]:
        """Return the table of methods and the table of differences."""
        return [_methods_table(self.cells), _differences_table(self.differences)]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "table": [item.as_dict() for item in self.cells],
            "differences": [item.as_dict() for item in self.differences],
        }

    def draw(self, folder: Path) -> list[Path]:
        """Draw the paper's figure: success, context and length."""
        return draw_memory(self.cells, folder / "memory")


def conduct(
    config: MemoryExperiment, run: Callable[[Sequence[Episode]], Sequence[Row]]
) -> MemoryReport:
    """Run the experiment through `run` and report it."""
    return report(run(config.plan()))


def report(rows: Sequence[Row]) -> MemoryReport:
    """Return Table I from its rows."""
    scenarios = list(dict.fromkeys(row["scenario"] for row in rows))
    cells, differences = [], []
    for scenario in scenarios:
        groups = {
            method: found
            for method in METHODS
            if (found := select(rows, scenario=scenario, method=method))
        }
        cells += [summarise_cell(group) for group in groups.values()]
        differences += [
            compare(groups[a], groups[b], (a, b)) for a, b in PAIRS if a in groups and b in groups
        ]
    return MemoryReport(cells, differences)


def _methods_table(cells: Sequence[Cell]) -> Table:
    return Table(
        "Memory methods: success % [Wilson 95 %], then means per episode",
        _COLUMNS,
        [
            (
                item.scenario,
                item.method,
                item.episodes,
                percent(item.success),
                item.context,
                item.steps,
                item.calls,
                item.records_per_call,
                item.ghost_visits,
                item.stale_visits,
            )
            for item in cells
        ],
    )


def _differences_table(differences: Sequence[Difference]) -> Table:
    return Table(
        "Paired differences [bootstrap 95 %]",
        ("scenario", "pair", "success, points", "steps", "steps ratio", "context ratio"),
        [
            (
                item.scenario,
                f"{item.a} - {item.b}",
                item.success_points,
                item.steps,
                item.steps_ratio,
                item.context_ratio,
            )
            for item in differences
        ],
    )


def percent(share: Any) -> Any:
    """Return an estimate of a share in percent."""
    return type(share)(*(100.0 * value for value in share))
