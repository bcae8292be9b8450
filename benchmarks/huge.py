#!/usr/bin/env python3
"""Send a map of 20,000 x 20,000 cells (400 MB) through map-to-graph; report time and memory.

Fails if the process was swapped out. `python benchmarks/huge.py 8000` takes another side.
"""

import resource
import sys
import time
from pathlib import Path

import numpy as np
from adm_core.grid import cluster_frontiers
from adm_core.rooms import label_rooms
from inputs import make_grid

TILE = 4000


def swapped_kb():
    """Return how much of this process lies in swap space."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmSwap")), 0)


def main(side=20_000):
    """Build the map, run, and print a row."""
    grid, labels = make_grid(min(TILE, side))
    times = -(-side // TILE)
    grid, labels = (np.tile(part, (times, times))[:side, :side].copy() for part in (grid, labels))
    before = resource.getrusage(resource.RUSAGE_SELF)
    begin = time.perf_counter()
    clusters = cluster_frontiers(grid)
    middle = time.perf_counter()
    rooms = label_rooms(grid, labels)
    end = time.perf_counter()
    after = resource.getrusage(resource.RUSAGE_SELF)
    extra = 1024 * (after.ru_maxrss - before.ru_maxrss) / grid.size
    print(
        f"{side} x {side}: {len(clusters.cells)} frontier cells, {len(clusters.sizes)} clusters in "
        f"{middle - begin:.2f} s; {len(rooms)} rooms, {len(rooms.edges)} edges and the label image "
        f"in {end - middle:.2f} s; peak memory beyond the inputs {extra:.2f} bytes a cell; "
        f"{after.ru_majflt - before.ru_majflt} major page faults, {swapped_kb()} kB swapped"
    )
    return 1 if swapped_kb() else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
