"""Small team maps drawn as text, shared by the tests of search."""

from __future__ import annotations

import numpy as np
from adm_core.search.config import SearchConfig
from adm_core.search.strategy import Robot, TeamView
from adm_core.search.task import SearchTask
from adm_core.search.team_map import TeamMap
from adm_core.types import Cell

NAMES = {1: "corridor", 2: "kitchen", 3: "bedroom", 4: "office"}
_TYPES = {".": 0, "c": 1, "k": 2, "b": 3, "o": 4}

#: A corridor with a kitchen, a bedroom and an office behind doors; each has a frontier.
FLAT = """
##################
#kkkk#bbb?#oooooo#
?kkkk#bbbb#oooooo?
#kkkk#bbbb#oooooo#
##c####c####c#####
#cccccccccccccccc?
##################
"""


def draw(text: str, names: dict[int, str] | None = None) -> TeamMap:
    """Return a map: '#' occupied, '?' unknown, '.' free without a type, letters free rooms."""
    rows = text.strip().splitlines()
    team_map = TeamMap((len(rows), len(rows[0])), names or NAMES, SearchConfig())
    cells, occupancy, types = [], [], []
    for index, letter in enumerate("".join(rows)):
        if letter != "?":
            cells.append(index)
            occupancy.append(100 if letter == "#" else 0)
            types.append(_TYPES.get(letter, 0))
    team_map.observe(
        np.array(cells, np.int64), np.array(occupancy, np.int8), np.array(types, np.uint16)
    )
    return team_map


def view(
    team_map: TeamMap,
    *cells: tuple[int, int],
    task: SearchTask | None = None,
    silent: tuple[int, ...] = (),
    step: int = 0,
) -> TeamView:
    """Return a view with robots at `cells`; those in `silent` are not active."""
    robots = tuple(Robot(i, Cell(*cell), 0.0, i not in silent) for i, cell in enumerate(cells))
    return TeamView(step, team_map, robots, task or SearchTask())
