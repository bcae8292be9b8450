"""One episode of an experiment: its parameters, its key, and the row it leaves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import adm_core
from adm_core.missions.profile import Profile, load_profile
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig
from adm_core.missions.summary import Summary, summarize
from adm_core.simulation.scenarios import Scenario

#: Packages whose code decides what happens in an episode.
_DECISIVE = (
    *("_kernels", "grid", "manipulation", "memory", "planning", "simulation", "missions"),
    "profiles",
)

Row = dict[str, Any]


@dataclass(frozen=True)
class Episode:
    """Parameters of one episode; small and picklable.

    Attributes
    ----------
    scenario : Scenario
        Size and noise of the mission.
    method : str
        Memory method.
    seed : int
        Seed of layout and events.
    profile : str
        Profile that gives all other parameters.
    changes : tuple of (str, value)
        Parameters that differ from it, named ``section.parameter``.
    variant : str
        Name of these changes in tables.
    """

    scenario: Scenario
    method: str
    seed: int
    profile: str = "paper"
    changes: tuple[tuple[str, Any], ...] = ()
    variant: str = ""

    def resolved(self) -> Profile:
        """Return the profile with the changes and this scenario in it."""
        return replace(
            _varied(self.profile, self.changes), scenarios={self.scenario.name: self.scenario}
        )

    @property
    def key(self) -> str:
        """Digest of everything that decides the outcome, the code included.

        Methods without revised records do not read the parameters of the memory, so that their
        rows serve for every profile with the same noise.
        """
        profile = dict(_parameters(self.profile, self.changes))
        if self.method != "attention":
            del profile["memory"]
        facts = {
            "method": self.method,
            "seed": self.seed,
            "scenario": asdict(self.scenario),
            "profile": profile,
            "code": code_version(),
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]


@cache
def _varied(profile: str, changes: tuple[tuple[str, Any], ...]) -> Profile:
    return load_profile(profile).varied(dict(changes))


@cache
def _parameters(profile: str, changes: tuple[tuple[str, Any], ...]) -> Mapping[str, Any]:
    values = _varied(profile, changes).as_dict()
    return {name: values[name] for name in ("memory", "attention", "sensing")}


@cache
def code_version(packages: tuple[str, ...] = _DECISIVE) -> str:
    """Return a digest of the source files that decide what happens in an episode."""
    root = Path(adm_core.__file__).parent
    digest = hashlib.sha256()
    for package in packages:
        for path in sorted((root / package).rglob("*")):
            if path.suffix in (".py", ".pyx", ".h", ".yaml"):
                digest.update(path.relative_to(root).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def run_episode(episode: Episode) -> Row:
    """Run one episode to its end and return its row: parameters, outcome, cost."""
    config = MissionConfig(scenario=episode.scenario.name, method=episode.method, seed=episode.seed)
    setup = prepare(config, episode.resolved())
    mission = LocalMission(setup)
    for _ in mission.run():
        pass
    summary = summarize(setup, mission.executor, mission.world.facts(), 0.0)
    return {
        "key": episode.key,
        "scenario": episode.scenario.name,
        "method": episode.method,
        "seed": episode.seed,
        "profile": episode.profile,
        "variant": episode.variant,
        "changes": dict(episode.changes),
        **outcome(summary),
    }


def outcome(summary: Summary) -> Row:
    """Return how a mission went; one that failed counts with its whole budget of steps."""
    return {
        "success": summary.success,
        "containers": summary.containers,
        "delivered": summary.delivered,
        "steps": summary.steps if summary.success else summary.budget_steps,
        "budget_steps": summary.budget_steps,
        "planner_calls": summary.planner_calls,
        "context_units": summary.context_units,
        "replans": len(summary.replans),
        "stale_visits": summary.stale_visits,
        "ghost_visits": summary.ghost_visits,
        "path_m": summary.path_m,
        "decision_sha256": summary.decision_sha256,
    }
