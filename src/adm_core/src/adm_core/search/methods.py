"""The methods of search by name: a strategy, and a fallback for what it leaves open."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from adm_core.errors import ConfigError
from adm_core.search.baselines import BASELINES
from adm_core.search.baselines.hungarian import Hungarian
from adm_core.search.coordinators import TYPED, Coordinator, HeuristicCoordinator
from adm_core.search.nearest import NearestFrontier, nearest_frontier
from adm_core.search.sagr import Sagr
from adm_core.search.sagr_plus import SagrPlus, SagrPlusConfig
from adm_core.search.strategy import Fallback, Strategy


class Method(NamedTuple):
    """What one team runs; strategies keep state, so each team needs its own.

    Attributes
    ----------
    strategy : Strategy
    fallback : Fallback
    """

    strategy: Strategy
    fallback: Fallback = nearest_frontier


def sagr(coordinator: Coordinator | None = None) -> Method:
    """Return SAGR by the paper's rules, with the deterministic coordinator unless one is given."""
    return Method(Sagr(coordinator or HeuristicCoordinator()))


def sagr_plus(
    coordinator: Coordinator | None = None, config: SagrPlusConfig | None = None
) -> Method:
    """Return our form, with the deterministic coordinator unless one is given."""
    strategy = SagrPlus(coordinator or HeuristicCoordinator(TYPED), config or SagrPlusConfig())
    return Method(strategy, strategy.pick)


def _with_chance(make: Callable[..., Strategy]) -> Callable[[int], Method]:
    return lambda seed: Method(make(rng=np.random.default_rng(seed)))


#: Factories; each takes the seed of its random choices, which most methods do not use.
METHODS: dict[str, Callable[[int], Method]] = {
    "hungarian": lambda seed: Method(Hungarian()),
    "nf_h": lambda seed: Method(NearestFrontier()),
    "sagr": lambda seed: sagr(),
    "sagr+": lambda seed: sagr_plus(),
    **{name: _with_chance(make) for name, make in BASELINES.items()},
}


def make_method(name: str, seed: int = 0) -> Method:
    """Return a fresh method.

    Raises
    ------
    ConfigError
        There is no such method.
    """
    if name not in METHODS:
        raise ConfigError(f"method must be one of {', '.join(METHODS)}, got {name!r}")
    return METHODS[name](seed)
