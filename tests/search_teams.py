"""Small worlds drawn as text, and missions in them, for tests of search."""

import numpy as np
from adm_core.missions.search import SearchMission, Setting
from adm_core.search.task import SearchTask
from adm_core.simulation.search.scenario import SearchScenario
from adm_core.types import Cell, GridMap

EXPLORE = SearchTask()
NAMES = {1: "corridor", 2: "kitchen", 3: "office"}
_TYPES = {"c": 1, "k": 2, "o": 3}


def drawn(text, seed=0, heading=0.0, target_type=0):
    """Return a scenario: # wall, ? unknown, digits robots, x target, c k o rooms, else free."""
    rows = [line for line in text.strip("\n").split("\n") if line.strip()]
    width = max(map(len, rows))
    data = np.zeros((len(rows), width), np.int8)
    types = np.zeros(data.shape, np.uint16)
    starts, targets = {}, []
    for row, line in enumerate(rows):
        for col, sign in enumerate(line.ljust(width, "#")):
            data[row, col] = {"#": 100, "?": -1}.get(sign, 0)
            types[row, col] = _TYPES.get(sign, 0)
            if sign.isdigit():
                starts[int(sign)] = Cell(row, col)
            if sign == "x":
                targets.append(Cell(row, col))
    cells = tuple(starts[robot] for robot in sorted(starts))
    return SearchScenario(
        "drawn", seed, GridMap(data, 0.25), types, NAMES, cells, (heading,) * len(cells),
        tuple(targets), target_type,
    )  # fmt: skip


def hall(rows, cols, robots=1):
    """Return an empty hall with its robots side by side in a corner."""
    free = cols - 2
    lines = ["#" * cols, *("#" + "." * free + "#" for _ in range(rows - 2)), "#" * cols]
    first = list(lines[1])
    first[1 : 1 + robots] = map(str, range(robots))
    lines[1] = "".join(first)
    return drawn("\n".join(lines))


def mission(scenario, method="nf_h", task=EXPLORE, seed=0, **setting):
    """Return a mission that has not begun."""
    return SearchMission(scenario, method, task, Setting(**setting), seed)
