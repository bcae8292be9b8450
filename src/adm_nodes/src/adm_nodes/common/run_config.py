"""Parameters that belong to a run rather than to one algorithm."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.config import Config, param
from adm_core.memory.methods import METHODS


@dataclass(frozen=True)
class MethodConfig(Config):
    """Which of the memory methods is used."""

    method: str = param("attention", "memory method", choices=METHODS)


@dataclass(frozen=True)
class RunConfig(Config):
    """Where a run leaves its traces, and how fast it goes."""

    audit: str = param("", "file of the audit log, shared by memory and executor; empty: none")
    pace_s: float = param(0.0, "pause after each step, to watch", unit="s", min=0.0, max=60.0)
