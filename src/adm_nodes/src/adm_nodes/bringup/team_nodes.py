"""The nodes of a joint mission, told without ROS."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from adm_core.grid.frames import frame_of
from adm_core.missions.profile import load_profile
from adm_core.missions.search_setup import SearchMissionConfig
from adm_core.missions.setup import MissionConfig
from adm_core.missions.team_config import TeamConfig
from adm_core.missions.team_setup import TeamSetup

from adm_nodes.bringup import catalogue
from adm_nodes.bringup.extras import SEARCH_VIEWER, extra_nodes
from adm_nodes.bringup.pacing import PacingConfig
from adm_nodes.bringup.search_nodes import SearchParameters, team_minds
from adm_nodes.bringup.spec import NodeSpec, as_ros
from adm_nodes.common.cells import pose_of
from adm_nodes.common.run_config import ExtrasConfig, RunConfig

_NONE = ExtrasConfig()


def team_nodes(
    config: MissionConfig,
    joint: TeamConfig,
    pacing: PacingConfig,
    run: RunConfig,
    setup: TeamSetup,
    extras: ExtrasConfig = _NONE,
) -> tuple[NodeSpec, ...]:
    """Return the nodes of a joint mission in order of bring-up.

    Parameters
    ----------
    config, joint : MissionConfig, TeamConfig
    pacing : PacingConfig
        Searchers, manipulator and maps go in lockstep in any case.
    run : RunConfig
        Audit log.
    setup : TeamSetup
        The mission with its budget, as the world node will make it.
    extras : ExtrasConfig
        Nodes beside those that are needed.
    """
    robots = len(setup.building.starts)
    team = {"robots": robots, **as_ros(pacing, names=["patience_s"])}
    search = as_ros(setup.setting.search, "search")
    frame = frame_of(setup.building.truth)
    starts = [pose_of(frame, cell) for cell in setup.building.starts]
    world = as_ros(config)
    if config.map:
        world["map"] = str(Path(config.map).resolve())
    given = SearchParameters(
        SearchMissionConfig(scale="small", method=joint.search_method, seed=config.seed),
        pacing=pacing,
    )
    method = as_ros(given.mission, names=["method", "seed"])
    # What has been explored meanwhile cannot be repeated from a log: no node comes back.
    mission = [replace(spec, respawn=False) for spec in catalogue.recycling(config, run)[1:]]
    viewers = (SEARCH_VIEWER, catalogue.memory_viewer(load_profile(config.profile)))
    return (
        *extra_nodes(extras, viewers, run.audit),
        NodeSpec(
            "sagr_nodes.team_world:TeamWorldNode",
            name="world",
            parameters={
                **team,
                "budget_steps": setup.setup.mission.budget_steps,
                "world": world,
                "joint": as_ros(joint),
            },
        ),
        NodeSpec(
            "sagr_nodes.map_fusion:MapFusionNode",
            parameters={
                **team,
                "frames": [value for pose in starts for value in (pose.x, pose.y, 0.0)],
                "sources": ["manipulator"],
            },
        ),
        NodeSpec("sagr_nodes.area_graph:AreaGraphNode", parameters={**team, **search}),
        *team_minds(given, team, search, method, []),
        *mission,
    )
