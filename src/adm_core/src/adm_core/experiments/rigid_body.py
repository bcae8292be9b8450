"""Table II of the paper: three memory methods on a robot's body in the arena (section V-C)."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.experiments.analysis import (
    Cell,
    Difference,
    by_seed,
    column,
    compare,
    select,
    summarise_cell,
)
from adm_core.experiments.episode import Row, code_version, outcome
from adm_core.experiments.figures import draw_memory
from adm_core.experiments.memory import percent
from adm_core.experiments.statistics import Estimate, paired_difference
from adm_core.experiments.tables import Table
from adm_core.memory.records import FailureReason
from adm_core.missions.arena import ARENA, arena_scenario, prepare_arena
from adm_core.missions.profile import load_profile
from adm_core.missions.recycling import LocalMission, LocalWorld
from adm_core.missions.setup import MissionConfig
from adm_core.missions.summary import summarize
from adm_core.simulation.rigid_body.config import ArenaConfig
from adm_core.simulation.rigid_body.engine import load_bullet
from adm_core.simulation.rigid_body.world import ArenaWorld
from adm_core.simulation.scenarios import Scenario

METHODS = ("static", "unfiltered", "attention")
#: Seed of the bootstrap of path differences.
_BOOTSTRAP_SEED = 20_240_501

#: Variants: what they change, and the methods that are run.
VARIANTS: dict[str, tuple[float, float, tuple[str, ...]]] = {
    # report period factor, relocation factor, methods
    "base": (1.0, 1.0, METHODS),
    "still": (1.0, 0.0, ("static",)),
    "reports x0.5": (2.0, 1.0, ("unfiltered", "attention")),
    "reports x2": (0.5, 1.0, ("unfiltered", "attention")),
    "relocation x0.5": (1.0, 0.5, METHODS),
    "relocation x2": (1.0, 2.0, METHODS),
}
_SHORT = {name.replace(" ", ""): name for name in VARIANTS}


@dataclass(frozen=True)
class ArenaEpisode:
    """Parameters of one mission in the arena; small and picklable.

    Attributes
    ----------
    scenario : Scenario
        Containers, budget and noise.
    arena : ArenaConfig
        Body and sensors.
    method, seed, profile : str, int, str
        Memory method, seed of everything random, parameters of the memory.
    variant : str
        Name of what differs from the profile.
    """

    scenario: Scenario
    arena: ArenaConfig
    method: str
    seed: int
    profile: str = ARENA
    variant: str = "base"

    @property
    def key(self) -> str:
        """Digest of everything that decides the outcome, the code included."""
        values = load_profile(self.profile).as_dict()
        facts = {
            "method": self.method,
            "seed": self.seed,
            "scenario": asdict(self.scenario),
            "arena": asdict(self.arena),
            "profile": {name: values[name] for name in ("memory", "attention", "sensing")},
            "code": code_version(),
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]


@dataclass(frozen=True)
class RigidBodyExperiment(Config):
    """Which part of Table II to run, and with which body."""

    episodes: int = param(20, "paired seeds", min=1, max=100_000)
    seed: int = param(100, "first seed; those below 20 chose the parameters", min=0)
    profile: str = param(ARENA, "parameters: arena or a YAML file with a scenario 'arena'")
    variants: str = param(
        "base,still",
        "what to run, separated by commas: base, still (no relocations, static only), "
        "reportsx0.5, reportsx2, relocationx0.5, relocationx2",
    )
    methods: str = param("static,unfiltered,attention", "memory methods, separated by commas")
    base: str = param("differential", "the robot's base", choices=("differential", "mecanum"))

    def plan(self) -> list[ArenaEpisode]:
        """Return all missions: for each seed every method meets the same events."""
        scenario = arena_scenario(load_profile(self.profile))
        arena = ArenaConfig(base=self.base)
        wanted = self.listed_methods()
        episodes = []
        for name in self.listed_variants():
            period, relocation, methods = VARIANTS[name]
            changed = replace(scenario, relocation=min(1.0, scenario.relocation * relocation))
            body = replace(arena, scan_period_s=max(1, round(arena.scan_period_s * period)))
            episodes += [
                ArenaEpisode(changed, body, method, seed, self.profile, name)
                for seed in self.seeds
                for method in methods
                if method in wanted
            ]
        return episodes

    @property
    def seeds(self) -> range:
        """All seeds."""
        return range(self.seed, self.seed + self.episodes)

    def listed_methods(self) -> list[str]:
        """Return the methods; raise ConfigError if one is not of Table II."""
        methods = [name.strip() for name in self.methods.split(",")]
        if not set(methods) <= set(METHODS):
            raise ConfigError(f"methods must be of {', '.join(METHODS)}, got {self.methods!r}")
        return methods

    def listed_variants(self) -> list[str]:
        """Return the variants; raise ConfigError if one is unknown."""
        names = [name.strip().replace(" ", "") for name in self.variants.split(",")]
        if not set(names) <= set(_SHORT):
            raise ConfigError(f"variants must be of {', '.join(_SHORT)}, got {self.variants!r}")
        return [_SHORT[name] for name in names]


def run_arena_episode(episode: ArenaEpisode) -> Row:
    """Run one mission in the arena and return its row: parameters, outcome, cost."""
    config = MissionConfig(method=episode.method, seed=episode.seed)
    profile = load_profile(episode.profile)
    setup = prepare_arena(config, episode.arena, profile, episode.scenario)
    mission = LocalMission(setup)
    started = time.process_time()
    for _ in mission.run():
        pass
    cpu_s = time.process_time() - started
    assert isinstance(mission.world, LocalWorld)
    world = mission.world.simulated
    assert isinstance(world, ArenaWorld)
    summary = summarize(setup, mission.executor, mission.world.facts(), 0.0)
    in_time = summary.success and summary.steps <= summary.budget_steps
    pictures, failures = world.arena.pictures, _failures(world)
    world.close()
    return {
        "key": episode.key,
        "scenario": ARENA,
        "method": episode.method,
        "seed": episode.seed,
        "profile": episode.profile,
        "variant": episode.variant,
        **outcome(summary),
        "success": in_time,
        "steps": min(summary.steps, summary.budget_steps),
        "failures": failures,
        "pictures": pictures,
        "cpu_s": round(cpu_s, 2),
    }


def _failures(world: ArenaWorld) -> dict[str, int]:
    """Return how often each skill failed, and why."""
    good = FailureReason.NONE.value
    return dict(
        Counter(f"{skill}:{reason}" for _, skill, reason in world.outcomes if reason != good)
    )


@dataclass(frozen=True)
class RigidBodyReport:
    """Table II.

    Attributes
    ----------
    cells : list of (Cell, float, float)
        Per variant and method, with the mean path in metres and the speed over real time.
    differences : list of (str, Difference, Estimate)
        Per variant: two methods, and the difference of their paths in metres.
    failed : list of Row
        Missions that did not deliver everything in time.
    """

    cells: list[tuple[Cell, float, float]]
    differences: list[tuple[str, Difference, Estimate]]
    failed: list[Row]

    def tables(self) -> list[Table]:
        """Return methods, differences, and failed missions with their skill outcomes."""
        return [_methods(self.cells), _pairs(self.differences), _failed(self.failed)]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "table": [
                {**cell.as_dict(), "path_m": path, "times_real_time": speed}
                for cell, path, speed in self.cells
            ],
            "differences": [
                {"variant": variant, **item.as_dict(), "path_m": list(path)}
                for variant, item, path in self.differences
            ],
            "failed": self.failed,
        }

    def draw(self, folder: Path) -> list[Path]:
        """Draw success, context and time of the methods."""
        base = [cell for cell, _, _ in self.cells if cell.variant == "base"]
        return draw_memory(base, folder / "rigid_body") if base else []


def conduct(config: RigidBodyExperiment, run: Callable[..., Sequence[Row]]) -> RigidBodyReport:
    """Run the experiment through `run` and report it."""
    load_bullet()  # before anything is started: without it there is nothing to run
    return report(run(config.plan(), work=run_arena_episode))


def report(rows: Sequence[Row]) -> RigidBodyReport:
    """Return Table II from its rows."""
    cells, differences = [], []
    for variant in dict.fromkeys(row["variant"] for row in rows):
        groups = {
            method: found
            for method in METHODS
            if (found := select(rows, variant=variant, method=method))
        }
        for group in groups.values():
            path = float(column(group, "path_m").mean())
            speed = float(column(group, "steps").sum() / max(column(group, "cpu_s").sum(), 1e-9))
            cells.append((summarise_cell(group), path, speed))
        for a, b in (("attention", "unfiltered"), ("attention", "static")):
            if a in groups and b in groups:
                pair = compare(groups[a], groups[b], (a, b))
                differences.append((variant, pair, _path_difference(groups[a], groups[b])))
    return RigidBodyReport(cells, differences, [row for row in rows if not row["success"]])


def _path_difference(a: Sequence[Row], b: Sequence[Row]) -> Estimate:
    rng = np.random.default_rng(_BOOTSTRAP_SEED)
    return paired_difference(column(by_seed(a), "path_m"), column(by_seed(b), "path_m"), rng)


def _methods(cells: Sequence[tuple[Cell, float, float]]) -> Table:
    return Table(
        "Arena: success % [Wilson 95 %], then means per mission",
        (
            *("variant", "method", "missions", "success %", "stale", "ghost", "context"),
            *("time s", "path m", "calls", "x real time"),
        ),
        [
            (
                cell.variant,
                cell.method,
                cell.episodes,
                percent(cell.success),
                cell.stale_visits,
                cell.ghost_visits,
                cell.context,
                cell.steps,
                path,
                cell.calls,
                speed,
            )
            for cell, path, speed in cells
        ],
    )


def _pairs(differences: Sequence[tuple[str, Difference, Estimate]]) -> Table:
    return Table(
        "Paired differences [bootstrap 95 %]",
        ("variant", "pair", "success, points", "time s", "path m", "context ratio"),
        [
            (
                variant,
                f"{item.a} - {item.b}",
                item.success_points,
                item.steps,
                path,
                item.context_ratio,
            )
            for variant, item, path in differences
        ],
    )


def _failed(rows: Sequence[Row]) -> Table:
    return Table(
        "Missions that were not complete in time, with the skills that failed",
        ("variant", "method", "seed", "delivered", "failed skills"),
        [
            (
                row["variant"],
                row["method"],
                row["seed"],
                f"{row['delivered']} of {row['containers']}",
                ", ".join(f"{count} {name}" for name, count in row["failures"].items()) or "none",
            )
            for row in rows
        ],
    )
