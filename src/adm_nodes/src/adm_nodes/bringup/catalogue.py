"""The nodes of every mission; each function returns them in order of bring-up.

Who announces comes before who listens.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adm_core.missions.profile import PROFILES, load_profile
from adm_core.missions.setup import MissionConfig

from adm_nodes.bringup.spec import NodeSpec, as_ros
from adm_nodes.common.run_config import MethodConfig, RunConfig


def recycling(config: MissionConfig, run: RunConfig, view: bool = False) -> tuple[NodeSpec, ...]:
    """Return the nodes of a recycling mission in the simulated world; `view` adds the viewer."""
    profile = load_profile(config.profile)
    memory = {
        **as_ros(MethodConfig(config.method)),
        **as_ros(profile.memory, "memory"),
        **as_ros(profile.attention, "attention"),
        **as_ros(run, names=["audit"]),
    }
    planner = {**as_ros(profile.attention, "attention"), **as_ros(run, names=["audit"])}
    sigma = as_ros(profile.memory, "memory", names=["report_sigma_m"])
    viewer = (NodeSpec("adm_nodes.viewer:ViewerNode", parameters=sigma, respawn=True),)
    return (
        *(viewer if view else ()),
        NodeSpec(
            "adm_nodes.world:WorldNode",
            parameters={**_world(config), **as_ros(run, names=["audit"])},
            respawn=True,
        ),
        NodeSpec("adm_nodes.memory:MemoryNode", parameters=memory, respawn=True),
        NodeSpec("adm_nodes.planner:PlannerNode", parameters=planner, respawn=True),
        NodeSpec("adm_nodes.executor:ExecutorNode", parameters=as_ros(run), respawn=True),
    )


def _world(config: MissionConfig) -> dict[str, Any]:
    """Return the world's parameters; files by their absolute paths, nodes may run elsewhere."""
    values = as_ros(config)
    if config.map:
        values["map"] = str(Path(config.map).resolve())
    if config.profile not in PROFILES:
        values["profile"] = str(Path(config.profile).resolve())
    return values
