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
class SteeringConfig(Config):
    """When a mission begins, who approves its skills, and how long answers may take."""

    begin: str = param(
        "announced",
        "when a mission begins: as soon as it is announced, or by a goal of run_mission; one that "
        "was under way when its process ended goes on by itself",
        choices=("announced", "asked"),
    )
    held: bool = param(False, "whether it begins on hold")
    approve: str = param(
        "trusted",
        "who approves skills: trusted (nobody is asked), interactive, reversible (asked about what "
        "cannot be undone), or the skills approved beforehand, as navigate,grasp",
    )
    approval_s: float = param(
        0.0, "how long a person may take to approve; nobody is a no; 0: any time", unit="s", min=0.0
    )
    standoff_m: float = param(
        0.0, "where driving ends before a target; 0: the robot drives onto it", unit="m", min=0.0
    )
    standoff_slack_m: float = param(0.25, "what may be missing in distance", unit="m", min=0.0)
    standoff_slack_rad: float = param(0.75, "what may be missing in heading", unit="rad", min=0.0)
    world_s: float = param(120.0, "how long the world may be silent", unit="s", min=0.5)
    memory_s: float = param(60.0, "how long memory may be silent", unit="s", min=0.5)
    planner_s: float = param(90.0, "how long the planner may be silent", unit="s", min=0.5)
    when_silent: str = param(
        "hold",
        "what becomes of a mission whose request is not answered in time: held until the answer "
        "comes or it is cancelled, or aborted",
        choices=("hold", "abort"),
    )


@dataclass(frozen=True)
class RunConfig(Config):
    """Where a run leaves its traces, and how fast it goes."""

    audit: str = param("", "file of the audit log, shared by memory and executor; empty: none")
    pace_s: float = param(0.0, "pause after each step, to watch", unit="s", min=0.0, max=60.0)


@dataclass(frozen=True)
class ExtrasConfig(Config):
    """Nodes beside those that a mission needs."""

    view: bool = param(False, "a viewer node, too: markers for RViz and Foxglove")
    diagnostics: bool = param(False, "a diagnostics node, too: heartbeats on /diagnostics")
