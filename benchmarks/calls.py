#!/usr/bin/env python3
"""Print what a call costs on the smallest inputs: checks, wrappers and results, hardly any work."""

import timeit

import numpy as np
from adm_core.memory.attention import top_k

from adm_core import assignment, grid, rooms

CALLS, ROUNDS = 2000, 25
GOAL_US = 2.0


def calls():
    """Return name and call of each function on 3 x 3 cells, 2 x 3 costs or 5 records."""
    cells, types = np.zeros((3, 3), np.int8), np.ones((3, 3), np.uint8)
    cells[0, 2] = -1
    column, cost = np.ones(5), np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 0.5]])
    dist = np.abs(np.subtract.outer(cost[0], cost[0]))
    pose, heading, source = np.array([[1, 1]]), np.array([0.3]), np.array([0])
    tracker = grid.MapTracker(cells, types)
    return {
        "find_frontiers": lambda: grid.find_frontiers(cells),
        "frontier_cells": lambda: grid.frontier_cells(cells),
        "cluster_frontiers": lambda: grid.cluster_frontiers(cells),
        "label_rooms": lambda: rooms.label_rooms(cells, types),
        "build_area_graph": lambda: rooms.build_area_graph(cells, types),
        "distance_field": lambda: grid.distance_field(cells, source),
        "reachable": lambda: grid.reachable(cells, source),
        "shortest_path": lambda: grid.shortest_path(cells, (0, 0), (2, 2)),
        "visible_cells": lambda: grid.visible_cells(cells, pose, heading, range_cells=1.0),
        "top_k": lambda: top_k(column, column, column, column, now=1.0),
        "assign_rounds": lambda: assignment.assign_rounds(cost),
        "order_open_path": lambda: assignment.order_open_path(dist),
        "MapTracker.update, no change": lambda: tracker.update((0, 0), cells[:2]),
        "MapTracker.frontier_cells": tracker.frontier_cells,
    }


def main():
    """Print the quickest of many rounds of each."""
    for name, call in calls().items():
        seconds = min(timeit.repeat(call, number=CALLS, repeat=ROUNDS)) / CALLS
        print(f"{name:30} {seconds * 1e6:6.2f} us{'' if seconds * 1e6 <= GOAL_US else '  over'}")


if __name__ == "__main__":
    main()
