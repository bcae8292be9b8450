"""How well the robot sees, approaches and grasps: random poses, light and depth noise."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adm_core.config import Config, param
from adm_core.experiments.analysis import column
from adm_core.experiments.episode import Row, code_version
from adm_core.experiments.statistics import Estimate, wilson
from adm_core.experiments.tables import Table
from adm_core.missions.arena import ARENA, arena_scenario
from adm_core.missions.profile import load_profile
from adm_core.simulation.rigid_body.arena import Arena, Thing
from adm_core.simulation.rigid_body.config import ArenaConfig
from adm_core.simulation.rigid_body.engine import load_bullet
from adm_core.simulation.rigid_body.layout import arena_layout
from adm_core.simulation.rigid_body.skills import Skills
from adm_core.types import Pose2D

_STREAM = 21  # of the trials' own draws
_REPORT_SIGMA_M = 0.03


@dataclass(frozen=True)
class GraspTrial:
    """One approach and grasp; everything else is drawn from the seed."""

    seed: int
    base: str
    variant: str = ""
    profile: str = ARENA

    @property
    def key(self) -> str:
        """Digest of everything that decides the outcome, the code included."""
        facts = {**asdict(self), "code": code_version(), "kind": "grasp"}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]


@dataclass(frozen=True)
class GraspExperiment(Config):
    """How many trials to run."""

    episodes: int = param(200, "random poses, each with its own light and depth noise", min=1)
    seed: int = param(1000, "first seed", min=0)
    base: str = param("differential", "the robot's base", choices=("differential", "mecanum"))

    def plan(self) -> list[GraspTrial]:
        """Return all trials."""
        return [GraspTrial(seed, self.base) for seed in self.seeds]

    @property
    def seeds(self) -> range:
        """All seeds."""
        return range(self.seed, self.seed + self.episodes)


def run_trial(trial: GraspTrial) -> Row:
    """Put a container before the robot, let it approach and grasp; return claim and truth."""
    rng = np.random.default_rng([trial.seed, _STREAM])
    config = _drawn_senses(trial, rng)
    scenario = arena_scenario(load_profile(trial.profile))
    arena = Arena(config, arena_layout(config, scenario, rng), trial.seed)
    thing, reported = _put_before(arena, rng)
    started = time.process_time()
    skills = Skills(arena, arena.tick)
    approach = skills.approach(reported, thing.label).value
    error = _seeing_error(skills, arena, thing)
    grasp = skills.grasp(reported, thing.label).value if approach == "none" else ""
    row = {
        "key": trial.key,
        "scenario": "grasps",
        "method": trial.base,
        "seed": trial.seed,
        "profile": trial.profile,
        "variant": trial.variant,
        "label": thing.label,
        "light": round(config.light, 3),
        "depth_noise": round(config.depth_noise, 4),
        "depth_dropout": round(config.depth_dropout, 3),
        "approach": approach,
        "grasp": grasp,
        "claimed": skills.held is not None,
        "held": arena.is_held(thing) and float(arena.place_of(thing)[2]) > 0.2,
        "error_m": error,
        "simulated_s": arena.now,
        "pictures": arena.pictures,
        "cpu_s": round(time.process_time() - started, 3),
    }
    arena.close()
    return row


def _drawn_senses(trial: GraspTrial, rng: np.random.Generator) -> ArenaConfig:
    """Return an arena with light and depth noise of its own."""
    return ArenaConfig(
        base=trial.base,
        light=float(rng.uniform(0.6, 1.3)),
        depth_noise=float(rng.uniform(0.002, 0.015)),
        depth_dropout=float(rng.uniform(0.0, 0.3)),
    )


def _put_before(arena: Arena, rng: np.random.Generator) -> tuple[Thing, Pose2D]:
    """Put a container before the robot; return it, and where it is reported to be."""
    thing = arena.things[int(rng.integers(2))]
    away, aside = rng.uniform(0.42, 0.62), rng.uniform(-0.35, 0.35)
    robot = arena.robot.pose()
    place = np.array([robot.x + away * math.cos(aside), robot.y + away * math.sin(aside)])
    arena.move_thing(thing, Pose2D(*place.tolist()))
    return thing, Pose2D(*(place + rng.normal(0, _REPORT_SIGMA_M, 2)).tolist())


def _seeing_error(skills: Skills, arena: Arena, thing: Thing) -> float | None:
    """Return how far the last picture was off the truth, metres; None if there was no target."""
    seen = skills.last_seen
    if seen is None:
        return None
    robot = arena.robot.pose()
    dx, dy = arena.place_of(thing)[:2] - np.array(robot[:2])
    cos, sin = math.cos(robot.yaw), math.sin(robot.yaw)
    truth = np.array([cos * dx + sin * dy, cos * dy - sin * dx])
    return round(float(np.linalg.norm(seen[:2] - truth)), 5)


@dataclass(frozen=True)
class GraspReport:
    """Success, breakdown of failures, honesty, and errors of the perception.

    Attributes
    ----------
    trials : int
        How many.
    success : Estimate
        Share of trials that ended with the container in the hand, with its Wilson interval.
    failures : dict
        How the others ended: skill and reason.
    unnoticed : int
        Trials in which the robot claimed what was not so.
    error_m : (float, float, float)
        Median, 95th percentile and maximum of the position error when centred, metres.
    by_light : list of (str, int, int)
        Range of light, trials and successes.
    """

    trials: int
    success: Estimate
    failures: dict[str, int]
    unnoticed: int
    error_m: tuple[float, float, float]
    by_light: list[tuple[str, int, int]]
    times_real_time: float

    def tables(self) -> list[Table]:
        """Return one table of what was asked and measured, one by light."""
        failures = ", ".join(f"{count} {name}" for name, count in self.failures.items()) or "none"
        percent = Estimate(*(100 * value for value in self.success))
        return [
            Table(
                "Approach and grasp: random poses, light 0.6 to 1.3, depth noise 2 to 15 mm at 1 m",
                ("trials", "success %", "failures", "claims that were wrong", "x real time"),
                [(self.trials, percent, failures, self.unnoticed, self.times_real_time)],
            ),
            Table(
                "Error of the seen position when centred at 0.35 m",
                ("median mm", "95 % mm", "largest mm"),
                [tuple(1000 * value for value in self.error_m)],
            ),
            Table("Success by light", ("light", "trials", "successes"), list(self.by_light)),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {**asdict(self), "success": list(self.success)}

    def draw(self, folder: Path) -> list[Path]:
        """Draw nothing: the tables say it all."""
        return []


def conduct(config: GraspExperiment, run: Callable[..., Sequence[Row]]) -> GraspReport:
    """Run the trials through `run` and report them."""
    load_bullet()
    return report(run(config.plan(), work=run_trial))


def report(rows: Sequence[Row]) -> GraspReport:
    """Return the report of some trials."""
    failed = [row for row in rows if not row["held"]]
    errors = np.array([row["error_m"] for row in rows if row["error_m"] is not None] or [np.nan])
    median, high = np.quantile(errors, [0.5, 0.95])
    return GraspReport(
        len(rows),
        wilson(len(rows) - len(failed), len(rows)),
        dict(Counter(_how(row) for row in failed)),
        sum(row["claimed"] != row["held"] for row in rows),
        (float(median), float(high), float(errors.max())),
        [_in_light(rows, low, low + 0.2) for low in (0.5, 0.7, 0.9, 1.1)],
        float(column(rows, "simulated_s").sum() / max(column(rows, "cpu_s").sum(), 1e-9)),
    )


def _how(row: Row) -> str:
    return f"grasp:{row['grasp']}" if row["grasp"] else f"approach:{row['approach']}"


def _in_light(rows: Sequence[Row], low: float, high: float) -> tuple[str, int, int]:
    here = [row for row in rows if low <= row["light"] < high or row["light"] == high == 1.3]
    return f"{low:.1f}-{high:.1f}", len(here), sum(row["held"] for row in here)
