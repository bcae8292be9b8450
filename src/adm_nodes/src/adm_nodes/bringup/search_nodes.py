"""The nodes of a search, told without ROS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adm_core.grid.frames import frame_of
from adm_core.llm.config import LlmConfig
from adm_core.missions.search_setup import SearchMissionConfig, SearchSetup
from adm_core.search.config import SearchConfig
from adm_core.search.coordinators.llm import LlmCoordinatorConfig
from adm_core.simulation.search.config import ScenarioConfig

from adm_nodes.bringup.extras import SEARCH_VIEWER, extra_nodes
from adm_nodes.bringup.pacing import PacingConfig
from adm_nodes.bringup.spec import NodeSpec, as_ros
from adm_nodes.common.cells import pose_of
from adm_nodes.common.run_config import ExtrasConfig

#: Names that the explorers of a team have in common with everybody.
_SHARED = (
    "search",
    "reports",
    "assignments",
    "robot_frames",
    "fused_map",
    "fused_map_updates",
    "get_fused_map",
    "get_area_graph",
)


@dataclass(frozen=True)
class SearchParameters:
    """Everything that the nodes of a search are told.

    Attributes
    ----------
    mission, sensor, search, llm, model, pacing : config dataclasses
    pace_s : float
        Least time of a step in lockstep, to watch.
    extras : ExtrasConfig
        Nodes beside those that are needed.
    """

    mission: SearchMissionConfig
    sensor: ScenarioConfig = ScenarioConfig()  # noqa: RUF009 - a frozen value
    search: SearchConfig = SearchConfig()  # noqa: RUF009
    llm: LlmConfig = LlmConfig()  # noqa: RUF009
    model: LlmCoordinatorConfig = LlmCoordinatorConfig()  # noqa: RUF009
    pacing: PacingConfig = PacingConfig()  # noqa: RUF009
    pace_s: float = 0.0
    extras: ExtrasConfig = ExtrasConfig()  # noqa: RUF009


def with_sensor(search: SearchConfig, sensor: ScenarioConfig) -> SearchConfig:
    """Return the parameters of a search with what methods take from the robots' sensor."""
    return replace(
        search,
        turn_costs=not sensor.free_turns,
        fov_deg=sensor.fov_deg,
        range_cells=sensor.range_cells,
    )


def search_nodes(given: SearchParameters, setup: SearchSetup) -> tuple[NodeSpec, ...]:
    """Return the nodes of a search in order of bring-up: who announces before who listens.

    Parameters
    ----------
    given : SearchParameters
    setup : SearchSetup
        World and task, as the world node will make them from the same parameters.
    """
    robots = len(setup.scenario.starts)
    team = {"robots": robots, **as_ros(given.pacing, names=["lockstep", "patience_s"])}
    method = as_ros(given.mission, names=["method", "seed"])
    search = as_ros(given.search, "search")
    frame = frame_of(setup.scenario.truth)
    starts = [pose_of(frame, cell) for cell in setup.scenario.starts]
    world = {
        **team,
        **as_ros(given.pacing, names=["step_s"]),
        "pace_s": given.pace_s,
        "world": _world(given.mission, setup),
        **as_ros(given.sensor, "sensor"),
        **as_ros(given.search, "search", names=["radius_cells"]),
    }
    kinds = sorted({item.kind for item in setup.scenario.objects if item.kind})
    return (
        *extra_nodes(given.extras, (SEARCH_VIEWER,)),
        NodeSpec("sagr_nodes.world:SearchWorldNode", parameters=world),
        NodeSpec(
            "sagr_nodes.map_fusion:MapFusionNode",
            parameters={**team, "frames": [v for pose in starts for v in (pose.x, pose.y, 0.0)]},
            respawn=True,
        ),
        NodeSpec(
            "sagr_nodes.area_graph:AreaGraphNode", parameters={**team, **search}, respawn=True
        ),
        *team_minds(given, team, search, method, kinds),
    )


def team_minds(
    given: SearchParameters,
    team: dict[str, Any],
    search: dict[str, Any],
    method: dict[str, Any],
    kinds: Sequence[str],
) -> tuple[NodeSpec, ...]:
    """Return coordinator, explorers and search node."""
    coordinator = {
        **team,
        **method,
        **search,
        **as_ros(given.pacing, names=["noise"]),
        **as_ros(given.llm, "llm"),
        **as_ros(given.model, "model"),
    }
    asks_model = given.llm.mode != "policy"
    patience = given.pacing.patience_s + (given.llm.deadline_s if asks_model else 0.0)
    explorers = [
        NodeSpec(
            "sagr_nodes.explorer:ExplorerNode",
            namespace=f"robot_{number}",
            shared=_SHARED,
            parameters={**team, **method, **search, "robot": number, "assignment_s": patience},
            respawn=True,
        )
        for number in range(team["robots"])
    ]
    return (
        NodeSpec("sagr_nodes.coordinator:CoordinatorNode", parameters=coordinator, respawn=True),
        *explorers,
        NodeSpec(
            "sagr_nodes.search:SearchNode",
            parameters={**team, "object_kinds": list(kinds) or [""]},
        ),
    )


def _world(config: SearchMissionConfig, setup: SearchSetup) -> dict[str, Any]:
    """Return the world's parameters; files by absolute paths, the task as it was understood."""
    values = as_ros(config)
    for name in ("map", "rooms"):
        if values[name]:
            values[name] = str(Path(values[name]).resolve())
    task = setup.task
    if config.task and task.is_search:
        values |= {"task": task.text, "object": task.object, "room_type": task.room_type}
    return values
