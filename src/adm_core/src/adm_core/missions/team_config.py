"""Parameters of a joint mission of searchers and a manipulator."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.config import Config, param
from adm_core.simulation.search.config import SCALES


@dataclass(frozen=True)
class TeamConfig(Config):
    """Parameters of a joint mission beyond those of a mission on a map."""

    scale: str = param(
        "medium", "size of the generated apartment, if no map is given", choices=tuple(SCALES)
    )
    searchers: int = param(0, "robots that search; 0: as the scale has, 3 on a map", min=0, max=64)
    search_method: str = param("sagr+", "method of search, see 'adm search --help'")
    sight: float = param(
        0.8, "chance that a searcher notices a container in view, each step", min=0.0, max=1.0
    )
    made_up: float = param(
        0.005, "chance that a searcher reports something that is not there, each step",
        min=0.0, max=1.0,
    )  # fmt: skip
    relocation: float = param(
        0.0, "chance per step that one container, drawn from all, jumps", min=0.0, max=1.0
    )
    team_budget: int = param(
        0, "steps after which the mission has failed; 0: 1.5 x searching first, then collecting",
        unit="steps", min=0,
    )  # fmt: skip
