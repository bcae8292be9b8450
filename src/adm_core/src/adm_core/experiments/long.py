"""Beyond the paper: missions of 50 to 200 containers, and reports that do not arrive."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.experiments.analysis import Cell, Difference, compare, select, summarise_cell
from adm_core.experiments.episode import Episode, Row
from adm_core.experiments.figures import draw_lines
from adm_core.experiments.memory import percent
from adm_core.experiments.tables import Table
from adm_core.memory.methods import METHODS
from adm_core.missions.profile import load_profile
from adm_core.simulation.scenarios import Scenario

#: Cells per container of DN-14's field.
_CELLS_EACH = 4.5
_DN14 = 14
_COLUMNS = (
    *("scenario", "variant", "method", "episodes", "success %", "steps", "x oracle"),
    *("context/call", "calls", "ghost", "stale"),
)


@dataclass(frozen=True)
class LongExperiment(Config):
    """Sizes and losses of the long missions."""

    containers: str = param("50,100,200", "numbers of containers, separated by commas")
    lost: str = param("0,0.5,0.9", "shares of aerial reports that are lost")
    outage: str = param("0.5", "shares of the budget, from a quarter of it on, without reports")
    methods: str = param("attention,oracle", "memory methods, the oracle among them")
    episodes: int = param(10, "paired seeds of each", min=1, max=1_000_000)
    seed: int = param(30_000, "first seed", min=0)
    profile: str = param("paper", "parameters: paper, robust or a YAML file")

    def plan(self) -> list[Episode]:
        """Return all episodes; losses do not touch the oracle, which needs no reports."""
        methods = self.listed_methods()
        return [
            Episode(scenario, method, seed, self.profile, variant=variant)
            for count in _numbers("containers", self.containers, int)
            for variant, scenario in self._variants(long_scenario(count, self.profile))
            for method in methods
            if method != "oracle" or variant == "lost=0"
            for seed in self.seeds
        ]

    def listed_methods(self) -> list[str]:
        """Return the methods; raise ConfigError if one is unknown or the oracle is missing."""
        methods = [name.strip() for name in self.methods.split(",")]
        if "oracle" not in methods or not set(methods) <= set(METHODS):
            raise ConfigError(
                f"methods must be of {', '.join(METHODS)}, oracle among them, got {self.methods!r}"
            )
        return methods

    @property
    def seeds(self) -> range:
        """All seeds."""
        return range(self.seed, self.seed + self.episodes)

    def _variants(self, base: Scenario) -> list[tuple[str, Scenario]]:
        losses = sorted({0.0, *_numbers("lost", self.lost, float)})
        variants = [(f"lost={share:g}", replace(base, lost=share)) for share in losses]
        for share in _numbers("outage", self.outage, float):
            steps = round(share * base.budget_steps)
            silent = replace(base, outage_start=base.budget_steps // 4, outage_steps=steps)
            variants.append((f"outage={share:g}", silent))
        return variants


def long_scenario(containers: int, profile: str = "paper") -> Scenario:
    """Return DN-14's noise on a field that grows with the number of containers.

    The chance that a given container jumps stays as in DN-14; the budget grows by the paper's
    own factor, 15/14 of 2 N steps a container.
    """
    base = load_profile(profile).scenario("DN-14")
    side = round(math.sqrt(_CELLS_EACH * containers))
    return replace(
        base,
        name=f"L-{containers}",
        side=side,
        containers=containers,
        budget_steps=math.ceil(containers * 2 * side * 15 / 14),
        relocation=min(1.0, base.relocation * containers / _DN14),
    )


def _numbers(name: str, text: str, kind: Callable[[str], Any]) -> list[Any]:
    try:
        return [kind(item) for item in text.split(",") if item.strip()]
    except ValueError as err:
        raise ConfigError(f"{name} must be numbers separated by commas, got {text!r}") from err


@dataclass(frozen=True)
class LongReport:
    """Success, context per call and length against the oracle.

    Attributes
    ----------
    cells : list of Cell
        One per size, loss and method.
    differences : list of (str, Difference)
        Variant, and each method against the oracle.
    """

    cells: list[Cell]
    differences: list[tuple[str, Difference]]

    def tables(self) -> list[Table]:
        """Return the one table."""
        ratio = {
            (item.scenario, variant, item.a): item.steps_ratio for variant, item in self.differences
        }
        return [
            Table(
                "Long missions: success % [Wilson 95 %], then means per episode",
                _COLUMNS,
                [
                    (
                        item.scenario,
                        item.variant,
                        item.method,
                        item.episodes,
                        percent(item.success),
                        item.steps,
                        ratio.get((item.scenario, item.variant, item.method), 1.0),
                        item.context_per_call,
                        item.calls,
                        item.ghost_visits,
                        item.stale_visits,
                    )
                    for item in self.cells
                ],
            )
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "table": [item.as_dict() for item in self.cells],
            "differences": [
                {"variant": variant, **item.as_dict()} for variant, item in self.differences
            ],
        }

    def draw(self, folder: Path) -> list[Path]:
        """Draw success, context and length over the share of lost reports, per size."""
        paths = []
        for scenario in dict.fromkeys(item.scenario for item in self.cells):
            cells = [
                item
                for item in self.cells
                if item.scenario == scenario and item.variant.startswith("lost=")
            ]
            places = {item.variant: float(item.variant[len("lost=") :]) for item in cells}
            stem = folder / f"long_{scenario}"
            paths += draw_lines(cells, places, "share of lost reports", stem)
        return paths


def conduct(
    config: LongExperiment, run: Callable[[Sequence[Episode]], Sequence[Row]]
) -> LongReport:
    """Run the experiment through `run` and report it."""
    rows = run(config.plan())
    cells, differences = [], []
    groups = dict.fromkeys((row["scenario"], row["variant"], row["method"]) for row in rows)
    for scenario, variant, method in groups:
        group = select(rows, scenario=scenario, variant=variant, method=method)
        cells.append(summarise_cell(group))
        if method != "oracle":
            bound = select(rows, scenario=scenario, method="oracle")
            differences.append((variant, compare(group, bound, (method, "oracle"))))
    return LongReport(cells, differences)
