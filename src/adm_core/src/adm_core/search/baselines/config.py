"""Parameters of the baselines: the forms of the main tables and those of the publications."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.config import Config, param
from adm_core.errors import ConfigError


@dataclass(frozen=True)
class AepConfig(Config):
    """AEP + DVC as in the main tables: free samples in the own region, no tree."""

    samples: int = param(80, "free cells drawn for a decision", min=1, max=100_000)
    decay: float = param(0.08, "loss of gain per step of the way", unit="1/steps", min=0.0)
    min_gain: int = param(10, "smallest gain that is worth a look", unit="cells", min=1)
    min_goal_cells: int = param(1, "shortest way to a goal", unit="steps", min=1)
    max_points: int = param(200, "good places that are remembered", min=0, max=100_000)
    turn: bool = param(True, "turn to the best view, which costs a step")


@dataclass(frozen=True)
class RacerConfig(Config):
    """RACER as in the main tables: roots of 16 and leaves of 8 cells, one round a cycle."""

    root_cells: int = param(16, "side of a root of the hierarchical grid", unit="cells", min=2)
    leaf_cells: int = param(8, "side of a leaf, a whole part of a root's", unit="cells", min=1)
    split_unknown: float = param(
        0.3, "a root with a smaller share of unknown cells is split", min=0.0, max=1.0
    )
    min_unknown: int = param(5, "unknown cells that make a grid cell a task", unit="cells", min=1)
    near_cells: int = param(
        5, "unknown cells count up to this way from a frontier", unit="cells", min=1
    )
    capacity: float = param(
        0.75, "share of a pair's unknown cells that one robot may take", min=0.5, max=1.0
    )
    reward_cells: float = param(
        20.0, "off the way to the grid cell that came first before", unit="cells", min=0.0
    )
    pair_rounds: int = param(1, "rounds of pairs in a coordination; 0: every pair once", min=0)
    leading: int = param(3, "grid cells of the path whose frontiers are visited now", min=1)
    horizon: int = param(12, "nearest own grid cells that the path is made through", min=2)
    alone: bool = param(False, "robot 0 owns everything at the start, as in the publication")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.root_cells % self.leaf_cells:
            raise ConfigError(
                f"leaf_cells must be a whole part of root_cells = {self.root_cells}, "
                f"got {self.leaf_cells}"
            )


#: RACER after its publication: cells of 5 m and 2.5 m, split at 5 % known, robot 0 owns all at
#: first, and between two coordinations of 50 steps every pair would have met several times.
RACER_HGRID = RacerConfig(
    root_cells=20, leaf_cells=10, split_unknown=0.95, pair_rounds=0, leading=1, alone=True
)


@dataclass(frozen=True)
class AepRrtConfig(Config):
    """AEP + DVC after the publication: RRT* of next-best views, a jump to remembered places.

    The publication's sensor reaches 5 m; lengths keep their ratio to a range of 10 cells. Its
    gains are volumes; here they are shares of the area of an open view.
    """

    first_nodes: int = param(15, "nodes of a tree", min=1, max=10_000)
    most_nodes: int = param(30, "nodes while the best score is too low", min=1, max=10_000)
    step_cells: float = param(2.0, "longest edge that a sample makes", unit="cells", min=1.0)
    rewire_cells: float = param(3.0, "nodes this close are joined anew", unit="cells", min=1.0)
    sample_cells: float = param(20.0, "samples lie this close", unit="cells", min=1.0)
    decay: float = param(0.375, "loss of gain on an edge", unit="1/cells", min=0.0)
    zero_share: float = param(0.4, "a lower best score is too low", min=0.0)
    point_share: float = param(0.25, "gain of places that are jumped to", min=0.0, max=1.0)
    max_points: int = param(200, "good places that are remembered", min=0, max=100_000)
    turn: bool = param(True, "turn to the best view, which costs a step")
