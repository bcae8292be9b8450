#!/usr/bin/env python3
"""Send a map of 20,000 x 20,000 cells (400 MB) through map-to-graph; report time and memory.

Fails if the process was swapped out. `python benchmarks/huge.py 8000` takes another side.
"""

import sys
import time

import memory
import numpy as np
from adm_core.grid import cluster_frontiers
from adm_core.rooms import label_rooms
from inputs import make_grid

TILE = 4000


def main(side=20_000):
    """Build the map, run, and print a row."""
    grid, labels = make_grid(min(TILE, side))
    times = -(-side // TILE)
    grid, labels = (np.tile(part, (times, times))[:side, :side].copy() for part in (grid, labels))
    resident = memory.start()
    begin = time.perf_counter()
    clusters = cluster_frontiers(grid)
    middle = time.perf_counter()
    rooms = label_rooms(grid, labels)
    end = time.perf_counter()
    extra, swapped = memory.peak_since(resident) / grid.size, memory.swapped_kb()
    print(
        f"{side} x {side}: {len(clusters.cells)} frontier cells, {len(clusters.sizes)} clusters in "
        f"{middle - begin:.2f} s; {len(rooms)} rooms, {len(rooms.edges)} edges and the label image "
        f"in {end - middle:.2f} s; peak memory beyond the inputs {extra:.2f} bytes a cell; "
        f"{swapped} kB swapped"
    )
    return 1 if swapped else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
