"""Seeded search for better memory parameters; judged on seeds that chose nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.experiments.analysis import Cell, Difference, select, summarise_cell
from adm_core.experiments.memory import percent
from adm_core.experiments.tables import Table
from adm_core.experiments.variants import FACTORS, Bench, Run, named
from adm_core.files import write_atomic

#: Seeds below this one are for choosing, the others for reporting.
FIRST_HELD_OUT = 30_000
BASE, BEST = "profile", "best"


@dataclass(frozen=True)
class CalibrationConfig(Config):
    """Search of parameters by successive halving over random candidates."""

    scenario: str = param("DN-14", "grid scenario: S-6, D-10 or DN-14")
    profile: str = param("paper", "parameters to start from: paper, robust or a YAML file")
    candidates: int = param(32, "random candidates besides the profile itself", min=1, max=10_000)
    episodes: int = param(25, "training seeds of the first round; twice as many in each", min=1)
    seed: int = param(0, "first training seed", min=0)
    search_seed: int = param(0, "seed of the candidates", min=0)
    held_out: int = param(200, "seeds of the report", min=1)
    held_out_seed: int = param(30_000, "first seed of the report", min=FIRST_HELD_OUT)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seeds.stop > FIRST_HELD_OUT:
            raise ConfigError(
                f"training seeds must lie below {FIRST_HELD_OUT}, they end at {self.seeds.stop}"
            )

    @property
    def rounds(self) -> int:
        """Rounds until one candidate is left, a quarter of them staying each time."""
        return max(1, int(np.ceil(np.log(self.candidates + 1) / np.log(4))))

    @property
    def seeds(self) -> range:
        """All training seeds; each round takes fresh ones."""
        return range(self.seed, self.seed + self.episodes * (2**self.rounds - 1))

    def round_seeds(self, number: int) -> range:
        """Return the training seeds of one round."""
        first = self.seed + self.episodes * (2**number - 1)
        return range(first, first + self.episodes * 2**number)

    def drawn(self) -> list[dict[str, Any]]:
        """Return the candidates, the unchanged profile first."""
        rng = np.random.default_rng(self.search_seed)
        return [{}, *(self._candidate(rng) for _ in range(self.candidates))]

    def _candidate(self, rng: np.random.Generator) -> dict[str, Any]:
        """Change about a third of the factors."""
        return {
            factor: levels[int(rng.integers(len(levels)))]
            for factor, levels in FACTORS.items()
            if rng.random() < 1 / 3
        }

    @property
    def bench(self) -> Bench:
        """Where the candidates are tried."""
        return Bench(self.profile, self.scenario)


@dataclass(frozen=True)
class CalibrationReport:
    """The best candidate against the profile on held-out seeds.

    Attributes
    ----------
    profile : str
        What was started from.
    best : dict
        Changed parameters; empty if no candidate was better.
    training : list of (int, int, float, float)
        Per round: candidates, seeds, success and steps of its best.
    cells : tuple of Cell
        Profile, best candidate and oracle.
    gain : Difference
        Best candidate against the profile.
    """

    profile: str
    best: dict[str, Any]
    training: list[tuple[int, int, float, float]]
    cells: tuple[Cell, ...]
    gain: Difference

    def tables(self) -> list[Table]:
        """Return the rounds of the search, and the comparison on held-out seeds."""
        names = (BASE, BEST, "oracle")
        return [
            Table(
                "Search on training seeds: the best of each round",
                ("candidates", "seeds", "success %", "steps"),
                [*self.training],
            ),
            Table(
                f"On held-out seeds; best: {named(self.best)}",
                ("parameters", "episodes", "success %", "steps", "context"),
                [
                    (name, cell.episodes, percent(cell.success), cell.steps, cell.context)
                    for name, cell in zip(names, self.cells, strict=True)
                ],
            ),
            Table(
                "Best - profile [bootstrap 95 %]",
                ("success, points", "steps", "vain visits"),
                [(self.gain.success_points, self.gain.steps, self.gain.vain_visits)],
            ),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "profile": self.profile,
            "best": self.best,
            "training": [list(item) for item in self.training],
            "cells": [item.as_dict() for item in self.cells],
            "gain": self.gain.as_dict(),
        }

    def draw(self, folder: Path) -> list[Path]:
        """Draw nothing: the tables say it all."""
        return []

    def write_profile(self, path: Path) -> None:
        """Write the best parameters as a profile file for ``--profile``."""
        document: dict[str, Any] = {"extends": self.profile}
        for name, value in self.best.items():
            section, _, parameter = name.partition(".")
            document.setdefault(section, {})[parameter] = value
        write_atomic(path, [yaml.safe_dump(document, sort_keys=False).encode()])


def conduct(config: CalibrationConfig, run: Run) -> CalibrationReport:
    """Search on training seeds, then compare the winner with the profile on held-out ones."""
    best, training = _search(config, run)
    seeds = range(config.held_out_seed, config.held_out_seed + config.held_out)
    cells, gain = config.bench.hold_against(best, seeds, (BASE, BEST), run)
    return CalibrationReport(config.profile, best, training, cells, gain)


def _search(
    config: CalibrationConfig, run: Run
) -> tuple[dict[str, Any], list[tuple[int, int, float, float]]]:
    """Keep the best quarter of the candidates from round to round, on ever more seeds."""
    field = dict(enumerate(config.drawn()))
    training = []
    for number in range(config.rounds):
        seeds = config.round_seeds(number)
        rows = run(
            [
                episode
                for index, changes in field.items()
                for episode in config.bench.episodes(seeds, str(index), changes)
            ]
        )
        cells = {index: summarise_cell(select(rows, variant=str(index))) for index in field}
        ranked = sorted(field, key=lambda i: (-cells[i].successes, cells[i].steps, i))
        top = cells[ranked[0]]
        training.append((len(field), len(seeds), 100.0 * top.success.value, top.steps))
        keep = 1 if number == config.rounds - 1 else max(1, len(ranked) // 4)
        field = {index: field[index] for index in ranked[:keep]}
    return next(iter(field.values())), training
