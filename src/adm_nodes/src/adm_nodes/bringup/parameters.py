"""ROS parameter file of a run, written from the config dataclasses."""

from __future__ import annotations

from pathlib import Path

import yaml
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.dynamic import MemoryConfig
from adm_core.missions.setup import MissionConfig

from adm_nodes.common.params import as_ros
from adm_nodes.common.run_config import RunConfig


def write_parameters(path: Path, config: MissionConfig, audit: Path, pace_s: float) -> Path:
    """Write what each node of a recycling mission gets; return the file."""
    run = RunConfig(str(audit.resolve()), pace_s)
    world = as_ros(config)
    if config.map:
        world["map"] = str(Path(config.map).resolve())
    nodes = {
        "world": world,
        "memory": {
            **as_ros(config, names=["method"]),
            **as_ros(MemoryConfig(), "memory"),
            **as_ros(AttentionConfig(), "attention"),
            **as_ros(run, names=["audit"]),
        },
        "planner": {},
        "executor": as_ros(run),
    }
    content = {name: {"ros__parameters": values} for name, values in nodes.items() if values}
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path
