"""Parameters that belong to a run rather than to an algorithm."""

from dataclasses import dataclass

from adm_core.config import Config, param


@dataclass(frozen=True)
class RunConfig(Config):
    """Where a run leaves its traces."""

    audit: str = param("", "file of the audit log, shared by memory and executor; empty: none")
