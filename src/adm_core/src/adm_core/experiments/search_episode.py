"""One search or exploration of an experiment: its parameters, its key, and the row it leaves."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from adm_core.errors import ConfigError
from adm_core.experiments.episode import Row, code_version
from adm_core.missions.search import SearchMission, Setting
from adm_core.rooms.area_graph import AreaGraph
from adm_core.search.coordinators import (
    TYPED,
    Assignment,
    Context,
    Coordinator,
    HeuristicConfig,
    HeuristicCoordinator,
    NoisyConfig,
    NoisyCoordinator,
)
from adm_core.search.methods import METHODS, Method, make_method, sagr, sagr_plus
from adm_core.search.strategy import TeamView
from adm_core.search.task import SearchTask
from adm_core.simulation.search.config import SENSITIVITY, ScenarioConfig
from adm_core.simulation.search.scenario import SearchScenario, make_scenario

SEARCH, EXPLORE = "search", "explore"
#: The set-up of the tables, and those of the sensitivity rows.
WORLDS = {"default": ScenarioConfig(), **SENSITIVITY}

_DECISIVE = ("_kernels", "grid", "rooms", "assignment", "search", "simulation")
_BUDGET_STEPS = 3000


@dataclass(frozen=True)
class SearchEpisode:
    """Parameters of one run; small and picklable.

    Attributes
    ----------
    scale : str
    seed : int
        Of world, starts, target and the method's own chances.
    method : str
    task : {"search", "explore"}
    world : str
        Key of :data:`WORLDS`.
    noise : float
        Share of rooms that a noisy coordinator draws; negative: the deterministic one.
    run : int
        Number of a repetition; it changes the method's chances, not the scenario.
    context : tuple of str
        What the coordinator is not told: fields of ``Context``.
    variant : str
        Name of all that in tables.
    """

    scale: str
    seed: int
    method: str
    task: str = SEARCH
    world: str = "default"
    noise: float = -1.0
    run: int = 0
    context: tuple[str, ...] = ()
    variant: str = ""
    profile: str = "paper"

    @property
    def key(self) -> str:
        """Digest of everything that decides the outcome, the code included."""
        facts = _parameters(self) | {"code": code_version(_DECISIVE)}
        facts.pop("variant")
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]


class TimedCoordinator:
    """Counts what another coordinator does and how long it takes.

    Attributes
    ----------
    calls : int
    seconds : float
    """

    def __init__(self, inner: Coordinator) -> None:
        self._inner = inner
        self.calls, self.seconds = 0, 0.0

    def assign(self, graph: AreaGraph, view: TeamView, previous: Assignment | None) -> Assignment:
        """Hand the call on."""
        start = time.monotonic()
        found = self._inner.assign(graph, view, previous)
        self.calls += 1
        self.seconds += time.monotonic() - start
        return found


def run_search_episode(episode: SearchEpisode) -> Row:
    """Run one episode to its end and return its row: parameters, outcome, cost."""
    return carry_out_episode(episode, built_in(episode))


def built_in(episode: SearchEpisode) -> TimedCoordinator | None:
    """Return the coordinator of an episode; None for methods that have none.

    Raises
    ------
    ConfigError
        The context names something that can not be left out.
    """
    if episode.method not in ("sagr", "sagr+"):
        return None
    weights, context = weights_of(episode), context_of(episode)
    if episode.noise < 0:
        return TimedCoordinator(HeuristicCoordinator(weights, context))
    rng = np.random.default_rng((episode.seed, episode.run, 0xC0))
    return TimedCoordinator(NoisyCoordinator(rng, NoisyConfig(episode.noise), weights, context))


def weights_of(episode: SearchEpisode) -> HeuristicConfig:
    """Return the weights of the built-in rule under the method of an episode."""
    return TYPED if episode.method == "sagr+" else HeuristicConfig()


def context_of(episode: SearchEpisode) -> Context:
    """Return what the coordinator is told."""
    try:
        return Context(**dict.fromkeys(episode.context, False))
    except TypeError:
        raise ConfigError(f"context has no {', '.join(episode.context)}") from None


def carry_out_episode(episode: SearchEpisode, coordinator: TimedCoordinator | None) -> Row:
    """Run an episode with a coordinator and return its row."""
    scenario = _scenario(episode.scale, episode.seed, episode.world)
    task = SearchTask() if episode.task == EXPLORE else None
    setting = Setting(sensor=WORLDS[episode.world], budget_steps=_BUDGET_STEPS)
    mission = SearchMission(
        scenario, _method(episode, coordinator), task, setting, _chances(episode)
    )
    start = time.process_time()
    result = mission.finish()
    cpu_s = time.process_time() - start
    return {
        "key": episode.key,
        **_parameters(episode),
        "state": result.state,
        "steps": result.steps,
        "t99": result.reached[0.99] if result.reached[0.99] is not None else result.steps,
        "share": result.share,
        "robots": len(scenario.starts),
        "coordinations": result.coordinations,
        "path_cells": result.path_cells,
        "queries": coordinator.calls if coordinator else 0,
        "query_ms": _mean_ms(coordinator),
        "cpu_s": cpu_s,
    }


def _parameters(episode: SearchEpisode) -> dict[str, Any]:
    """Return what every search episode has, as plain data."""
    values = {item.name: getattr(episode, item.name) for item in fields(SearchEpisode)}
    return values | {"context": list(episode.context)}


def _method(episode: SearchEpisode, coordinator: TimedCoordinator | None) -> Any:
    if coordinator is None:
        return episode.method if episode.method not in METHODS else _by_name(episode)
    make = sagr_plus if episode.method == "sagr+" else sagr
    return lambda seed: make(coordinator)


def _by_name(episode: SearchEpisode) -> Any:
    def make(seed: int) -> Method:
        return make_method(episode.method, seed)

    return make


def _chances(episode: SearchEpisode) -> int:
    """Return the seed of the method's own chances: the scenario's in the first run."""
    return episode.seed + 1_000_003 * episode.run


def _mean_ms(coordinator: TimedCoordinator | None) -> float:
    if coordinator is None or not coordinator.calls:
        return 0.0
    return 1000.0 * coordinator.seconds / coordinator.calls


@lru_cache(maxsize=64)
def _scenario(scale: str, seed: int, world: str) -> SearchScenario:
    """Return a scenario; the methods of one seed come one after the other."""
    return make_scenario(scale, seed, WORLDS[world])
