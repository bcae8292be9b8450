"""How the nodes of a team wait for each other."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.config import Config, param


@dataclass(frozen=True)
class PacingConfig(Config):
    """How the nodes of a team wait for each other."""

    lockstep: bool = param(
        True, "wait for every robot in every step: the same decisions as without ROS"
    )
    patience_s: float = param(
        10.0, "how long a silent node is waited for in lockstep, once", unit="s", min=0.05
    )
    step_s: float = param(0.1, "time of one step without lockstep", unit="s", min=0.001)
    noise: float = param(
        0.0, "probability that the coordinator draws a robot's room", min=0.0, max=1.0
    )
