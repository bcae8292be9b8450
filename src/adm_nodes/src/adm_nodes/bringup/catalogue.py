"""The nodes of a recycling mission, in order of bring-up: who announces before who listens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from adm_core.llm.config import LlmConfig
from adm_core.missions.profile import PROFILES, Profile, load_profile
from adm_core.missions.setup import MissionConfig
from adm_core.planning.llm_planner import LlmPlannerConfig

from adm_nodes.bringup.extras import extra_nodes
from adm_nodes.bringup.spec import NodeSpec, as_ros
from adm_nodes.common.run_config import ExtrasConfig, MethodConfig, RunConfig, SteeringConfig

_NONE = ExtrasConfig()
_POLICY, _PLANNING, _UNSTEERED = LlmConfig(), LlmPlannerConfig(), SteeringConfig()


def recycling(
    config: MissionConfig,
    run: RunConfig,
    extras: ExtrasConfig = _NONE,
    llm: LlmConfig = _POLICY,
    planning: LlmPlannerConfig = _PLANNING,
    steering: SteeringConfig = _UNSTEERED,
) -> tuple[NodeSpec, ...]:
    """Return the nodes of a recycling mission in the simulated world.

    Parameters of a planner that asks a model, and of whoever steers, are given to their nodes
    only where they differ from the defaults.
    """
    profile = load_profile(config.profile)
    memory = {
        **as_ros(MethodConfig(config.method)),
        **as_ros(profile.memory, "memory"),
        **as_ros(profile.attention, "attention"),
        **as_ros(run, names=["audit"]),
    }
    planner = {
        **as_ros(profile.attention, "attention"),
        **as_ros(run, names=["audit"]),
        **(as_ros(_with_absolute_files(llm), "llm") if llm != _POLICY else {}),
        **(as_ros(planning, "planner") if planning != _PLANNING else {}),
    }
    executor = {**as_ros(run), **(as_ros(steering) if steering != _UNSTEERED else {})}
    return (
        *extra_nodes(extras, (memory_viewer(profile),), run.audit),
        NodeSpec(
            "adm_nodes.world:WorldNode",
            parameters={**_world(config), **as_ros(run, names=["audit"])},
            respawn=True,
        ),
        NodeSpec("adm_nodes.memory:MemoryNode", parameters=memory, respawn=True),
        NodeSpec("adm_nodes.planner:PlannerNode", parameters=planner, respawn=True),
        NodeSpec("adm_nodes.executor:ExecutorNode", parameters=executor, respawn=True),
    )


def _with_absolute_files(llm: LlmConfig) -> LlmConfig:
    """Return the config with files by their absolute paths: nodes may run elsewhere."""
    named = {name: getattr(llm, name) for name in ("key_file", "record", "replay", "prices")}
    there: dict[str, Any] = {
        name: str(Path(file).resolve()) for name, file in named.items() if file
    }
    return replace(llm, **there)


def memory_viewer(profile: Profile) -> NodeSpec:
    """Return the node that draws memory and plan."""
    sigma = as_ros(profile.memory, "memory", names=["report_sigma_m"])
    return NodeSpec("adm_nodes.viewer:ViewerNode", parameters=sigma, respawn=True)


def _world(config: MissionConfig) -> dict[str, Any]:
    """Return the world's parameters; files by their absolute paths, nodes may run elsewhere."""
    values = as_ros(config)
    if config.map:
        values["map"] = str(Path(config.map).resolve())
    if config.profile not in PROFILES:
        values["profile"] = str(Path(config.profile).resolve())
    return values
