"""Choice of a memory method by its name."""

from __future__ import annotations

from collections.abc import Callable

from adm_core.errors import ConfigError
from adm_core.grid.terrain import Terrain
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.baselines import (
    CurrentViewMemory,
    InitialMapMemory,
    OracleMemory,
    UnfilteredMemory,
)
from adm_core.memory.dynamic import DynamicMemory
from adm_core.memory.method import Log, Memory
from adm_core.memory.parameters import MemoryConfig
from adm_core.memory.static import Mission

#: The five methods of the paper's Table I.
METHODS = ("none", "static", "unfiltered", "attention", "oracle")

_BASELINES: dict[str, Callable[[Mission, Terrain, Log | None], Memory]] = {
    "none": CurrentViewMemory,
    "static": InitialMapMemory,
    "unfiltered": UnfilteredMemory,
    "oracle": OracleMemory,
}


def make_memory(
    method: str,
    mission: Mission,
    terrain: Terrain,
    config: MemoryConfig | None = None,
    attention: AttentionConfig | None = None,
    log: Log | None = None,
) -> Memory:
    """Build the memory of `method`, one of :data:`METHODS`; raise ConfigError otherwise."""
    if method == "attention":
        return DynamicMemory(mission, terrain, config, attention, log)
    if method in _BASELINES:
        return _BASELINES[method](mission, terrain, log)
    raise ConfigError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
