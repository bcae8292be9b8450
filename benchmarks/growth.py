"""How the cost of our functions grows, and how much memory they take at most."""

import subprocess
import sys
from pathlib import Path

import adm
import cases_lists
from harness import OURS
from inputs import make_input

SIDE = 2000
HERE = Path(__file__).parent


def run_growth(bench):
    """Time one thing after the other while all else stays the same."""
    for side in (250, 500, 1000, 2000, 4000, 8000):
        map_rows(bench, "side", side, make_input(side))
    for explored in (0.1, 0.25, 0.5, 0.75, 0.95):
        map_rows(bench, "explored", explored, make_input(SIDE, unexplored=1 - explored))
    for clutter in (0.0, 1.0, 3.0, 10.0):
        map_rows(bench, "clutter", clutter, make_input(SIDE, clutter=clutter))
    for kinds in (1, 7, 50, 200):
        map_rows(bench, "room types", kinds, make_input(SIDE, kinds=kinds))
    x = make_input(SIDE)
    for c_max in (1, 5, 10, 15, 20, 31, 32, 64):
        bench.time("B, c_max", str(c_max), OURS, lambda c=c_max: adm.clusters(x, c))
    if adm.has_adm("E"):
        for robots, frontiers in ((2, 500), (8, 500), (32, 500), (128, 500)):
            assign_row(bench, "E, robots", robots, robots, frontiers)
        for frontiers in (50, 200, 1000, 5000):
            assign_row(bench, "E, frontiers", frontiers, 16, frontiers)
    memory_rows()


def map_rows(bench, what, value, x):
    """Time the jobs on one map."""
    jobs = {
        "A": lambda: adm.mask(x),
        "A-list": lambda: adm.cells(x),
        "B10": lambda: adm.clusters(x, 10),
        "C": lambda: adm.rooms(x),
        "F": lambda: adm.distance(x),
    }
    for case, call in jobs.items():
        if adm.has_adm(case.removesuffix("10")):
            bench.time(f"{case}, {what}", str(value), OURS, call)


def assign_row(bench, case, value, robots, frontiers):
    """Time one assignment."""
    cost = cases_lists.make_costs(robots, frontiers)
    bench.time(case, str(value), OURS, lambda: adm.load("E")(cost))


#: Each runs in a process of its own; the growth of the largest resident size counts.
MEMORY = {
    "A find_frontiers": "g.find_frontiers(grid)",
    "A-list frontier_cells": "g.frontier_cells(grid)",
    "B cluster_frontiers": "g.cluster_frontiers(grid)",
    "C label_rooms": "rooms.label_rooms(grid, labels)",
    "C without label image": "rooms.label_rooms(grid, labels, labels=False)",
    "F distance_field": "g.distance_field(grid, [(0, 0)])",
    "I MapTracker": "g.MapTracker(grid, labels)",
}
SCRIPT = """
import memory
import numpy as np
from adm_core import grid as g, rooms

def job(grid, labels):
    return {call}

job(np.zeros((9, 9), np.int8), np.ones((9, 9), np.uint8))
rng, block = np.random.default_rng(0), np.ones((20, 20), np.uint8)
cells = rng.choice(np.array([255, 0, 0, 100], np.uint8), ({side} // 20, {side} // 20))
grid = np.kron(cells, block).view(np.int8)
labels = np.kron(rng.integers(1, 9, cells.shape).astype(np.uint8), block)
begin = memory.start()
kept = job(grid, labels)
print(memory.peak_since(begin))
"""


def memory_rows(side=4000):
    """Print the peak memory of each function on a grid of random blocks, in bytes a cell."""
    print(f"\npeak memory beyond the inputs, bytes a cell, {side} x {side}")
    for name, call in MEMORY.items():
        script = SCRIPT.format(call=call, side=side)
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=HERE
        )
        print(f"  {name:24} {int(done.stdout) / side**2:6.2f}")
