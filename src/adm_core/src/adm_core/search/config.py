"""Parameters of the search that every method shares."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.config import Config, param


@dataclass(frozen=True)
class SearchConfig(Config):
    """How often a team coordinates, how frontiers are clustered, how goals are kept apart."""

    t_coord: int = param(50, "steps between two coordinations", unit="steps", min=1)
    c_max: int = param(10, "depth limit of a frontier cluster", unit="cells", min=0, max=255)
    min_size: int = param(1, "smallest frontier cluster", unit="cells", min=1)
    handover_cells: int = param(
        5, "frontiers this close to another robot's goal are left to it", unit="cells", min=0
    )
    radius_cells: float = param(0.0, "radius of the robots", unit="cells", min=0.0, max=50.0)
