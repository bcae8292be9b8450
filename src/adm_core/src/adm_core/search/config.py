"""Parameters of the search that every method shares."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.config import Config, param


@dataclass(frozen=True)
class SearchConfig(Config):
    """How often a team coordinates, how frontiers are clustered, how goals are kept and left."""

    t_coord: int = param(50, "steps between two coordinations", unit="steps", min=1)
    c_max: int = param(10, "depth limit of a frontier cluster", unit="cells", min=0, max=255)
    min_size: int = param(1, "smallest frontier cluster", unit="cells", min=1)
    handover_cells: int = param(
        5, "frontiers this close to another robot's goal are left to it", unit="cells", min=0
    )
    radius_cells: float = param(0.0, "radius of the robots", unit="cells", min=0.0, max=50.0)
    min_goal_cells: int = param(1, "shortest way to a goal that is worth it", unit="steps", min=1)
    give_up_cells: int = param(
        2, "frontiers this close to a place that was given up count as that place", unit="cells",
        min=0,
    )  # fmt: skip
    give_up_steps: int = param(
        200, "a place that was given up is tried again after this time", unit="steps", min=1
    )
    patience_steps: int = param(
        10, "a goal is given up if its robot has not moved for this time", unit="steps", min=1
    )
    stuck_steps: int = param(
        30, "a robot that has not moved for this time loses its work", unit="steps", min=1
    )
    silent_steps: int = param(
        20, "a robot not heard of for this time loses its work", unit="steps", min=0
    )
    sweep: bool = param(
        False, "see the whole frontier of a waypoint before the next one, not a part of it"
    )
    turn_costs: bool = param(True, "turning to the direction of a view takes a step")
    fov_deg: float = param(
        60.0, "field of view; only methods that weigh views use it", unit="deg", min=1.0, max=360.0
    )
    range_cells: float = param(
        10.0, "range of sight; only methods that weigh views use it", unit="cells", min=0.0,
        max=1000.0,
    )  # fmt: skip
