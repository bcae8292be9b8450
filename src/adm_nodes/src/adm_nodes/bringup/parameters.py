"""ROS parameter file of a run, written from the config dataclasses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from adm_core.missions.profile import PROFILES
from adm_core.missions.setup import MissionConfig, MissionSetup

from adm_nodes.common.params import as_ros
from adm_nodes.common.run_config import MethodConfig, RunConfig


def write_parameters(path: Path, setup: MissionSetup, run: RunConfig) -> Path:
    """Write what each node of a recycling mission gets; return the file."""
    nodes = {
        "world": _world(setup.config),
        "memory": {
            **as_ros(MethodConfig(setup.config.method)),
            **as_ros(setup.profile.memory, "memory"),
            **as_ros(setup.profile.attention, "attention"),
            **as_ros(run, names=["audit"]),
        },
        "executor": as_ros(run),
    }
    content = {name: {"ros__parameters": values} for name, values in nodes.items()}
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path


def _world(config: MissionConfig) -> dict[str, Any]:
    """Return the world's parameters; files by their absolute paths, nodes may run elsewhere."""
    values = as_ros(config)
    if config.map:
        values["map"] = str(Path(config.map).resolve())
    if config.profile not in PROFILES:
        values["profile"] = str(Path(config.profile).resolve())
    return values
