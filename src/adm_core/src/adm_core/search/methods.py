"""The methods of search by name: a strategy, and a fallback for what it leaves open."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from adm_core.errors import ConfigError
from adm_core.search.nearest import NearestFrontier, nearest_frontier
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


#: Factories; each takes the seed of its random choices, which most methods do not use.
METHODS: dict[str, Callable[[int], Method]] = {
    "nf_h": lambda seed: Method(NearestFrontier()),
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
