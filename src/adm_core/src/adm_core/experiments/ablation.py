"""What each parameter of the memory is worth: one factor at a time, and the best together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.experiments.analysis import Cell, Difference, compare, select, summarise_cell
from adm_core.experiments.figures import draw_factors
from adm_core.experiments.memory import percent
from adm_core.experiments.tables import Table
from adm_core.experiments.variants import FACTORS, TAPES, Bench, Run, named
from adm_core.missions.profile import load_profile

BASE, BEST = "base", "best together"


@dataclass(frozen=True)
class AblationExperiment(Config):
    """Which ablation to run."""

    scenario: str = param("DN-14", "grid scenario: S-6, D-10 or DN-14")
    factors: str = param("", "parameters to vary, separated by commas; empty: all")
    episodes: int = param(100, "paired seeds of each variant", min=1, max=1_000_000)
    seed: int = param(0, "first seed; the best combination is run on the seeds after these", min=0)
    profile: str = param("paper", "parameters to start from: paper, robust or a YAML file")
    tape: str = param(
        "plain",
        "noise: as the paper, or with displaced reports and a convincing ghost in every scan",
        choices=TAPES,
    )

    @property
    def bench(self) -> Bench:
        """Where the variants are tried."""
        return Bench(self.profile, self.scenario, self.tape)

    @property
    def seeds(self) -> range:
        """Seeds on which the factors are varied."""
        return range(self.seed, self.seed + self.episodes)

    @property
    def fresh_seeds(self) -> range:
        """Seeds on which the best combination is compared with the profile."""
        return range(self.seeds.stop, self.seeds.stop + self.episodes)

    def chosen(self) -> dict[str, tuple[Any, ...]]:
        """Return the factors to vary; raise ConfigError if one is unknown."""
        names = [name.strip() for name in self.factors.split(",") if name.strip()]
        unknown = sorted(set(names) - set(FACTORS))
        if unknown:
            raise ConfigError(f"factors must be of {', '.join(FACTORS)}, got {', '.join(unknown)}")
        return {name: levels for name, levels in FACTORS.items() if name in names or not names}


@dataclass(frozen=True)
class Effect:
    """One value of one factor, held against the profile on the same seeds."""

    factor: str
    level: Any
    is_base: bool
    cell: Cell
    against_base: Difference


@dataclass(frozen=True)
class AblationReport:
    """Effects of single factors, and of the best values together on fresh seeds.

    Attributes
    ----------
    effects : list of Effect
        In the order of the factors.
    best : dict
        The best value of each factor that has one better than the profile's.
    together : tuple of Cell
        Profile, best combination and oracle on seeds that chose nothing.
    gain : Difference
        Best combination against the profile there.
    """

    effects: list[Effect]
    best: dict[str, Any]
    together: tuple[Cell, ...]
    gain: Difference

    def tables(self) -> list[Table]:
        """Return the table of single factors and that of the best combination."""
        return [_factors_table(self.effects), _together_table(self)]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "effects": [
                {
                    "factor": item.factor,
                    "level": item.level,
                    "is_base": item.is_base,
                    **item.cell.as_dict(),
                    "against_base": item.against_base.as_dict(),
                }
                for item in self.effects
            ],
            "best": self.best,
            "together": [item.as_dict() for item in self.together],
            "gain": self.gain.as_dict(),
        }

    def draw(self, folder: Path) -> list[Path]:
        """Draw the difference in length of every value."""
        factors: dict[str, list[tuple[str, float]]] = {}
        for item in self.effects:
            extra = item.against_base.steps.value
            factors.setdefault(item.factor, []).append((str(item.level), extra))
        return draw_factors(factors, folder / "ablation")


def conduct(config: AblationExperiment, run: Run) -> AblationReport:
    """Vary one factor at a time, choose, and run the best values together on fresh seeds."""
    factors = config.chosen()
    effects = _vary(config, factors, run)
    best = _choose(effects)
    together, gain = config.bench.hold_against(best, config.fresh_seeds, (BASE, BEST), run)
    return AblationReport(effects, best, together, gain)


def _vary(
    config: AblationExperiment, factors: Mapping[str, tuple[Any, ...]], run: Run
) -> list[Effect]:
    variants = {
        f"{factor}={level}": (factor, level)
        for factor, levels in factors.items()
        for level in levels
    }
    episodes = config.bench.episodes(config.seeds, BASE, {})
    for name, (factor, level) in variants.items():
        episodes += config.bench.episodes(config.seeds, name, {factor: level})
    rows = run(episodes)
    base = select(rows, variant=BASE)
    profile = load_profile(config.profile).as_dict()
    effects = []
    for name, (factor, level) in variants.items():
        group = select(rows, variant=name)
        section, _, parameter = factor.partition(".")
        effects.append(
            Effect(
                factor,
                level,
                profile[section][parameter] == level,
                summarise_cell(group),
                compare(group, base, (name, BASE)),
            )
        )
    return effects


def _choose(effects: Sequence[Effect]) -> dict[str, Any]:
    """Return for each factor the value of highest success, then fewest steps, if not the base's."""
    best = {}
    for factor in dict.fromkeys(item.factor for item in effects):
        levels = [item for item in effects if item.factor == factor]
        top = min(
            levels, key=lambda item: (-item.cell.successes, item.cell.steps, not item.is_base)
        )
        if not top.is_base:
            best[factor] = top.level
    return best


def _factors_table(effects: Sequence[Effect]) -> Table:
    return Table(
        "One factor at a time (* the profile's value); differences to the profile [95 %]",
        ("factor", "value", "success %", "points", "steps", "difference", "context", "vain visits"),
        [
            (
                item.factor,
                f"{item.level}{' *' if item.is_base else ''}",
                100.0 * item.cell.success.value,
                item.against_base.success_points,
                item.cell.steps,
                item.against_base.steps,
                item.cell.context,
                item.cell.ghost_visits + item.cell.stale_visits,
            )
            for item in effects
        ],
    )


def _together_table(report: AblationReport) -> Table:
    names = (BASE, BEST, "oracle")
    return Table(
        f"On fresh seeds: {named(report.best)}",
        ("variant", "episodes", "success %", "steps", "context", "vain visits"),
        [
            (
                name,
                cell.episodes,
                percent(cell.success),
                cell.steps,
                cell.context,
                cell.ghost_visits + cell.stale_visits,
            )
            for name, cell in zip(names, report.together, strict=True)
        ],
    )
