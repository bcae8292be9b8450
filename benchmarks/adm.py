"""Where our public functions are plugged in: case -> call on one input."""

import functools
import importlib

import numpy as np

#: Case -> module and function that it needs.
NEEDS = {
    "A": ("adm_core.grid", "find_frontiers"),
    "A-list": ("adm_core.grid", "frontier_cells"),
    "B": ("adm_core.grid", "cluster_frontiers"),
    "C": ("adm_core.rooms", "label_rooms"),
    "graph": ("adm_core.rooms", "build_area_graph"),
    "D": ("adm_core.memory", "top_k"),
    "E": ("adm_core.assignment", "assign_rounds"),
    "E2": ("adm_core.assignment", "order_open_path"),
    "F": ("adm_core.grid", "distance_field"),
    "I": ("adm_core.grid", "MapTracker"),
}


@functools.cache
def load(case):
    """Return the function of a case."""
    module, name = NEEDS[case]
    return getattr(importlib.import_module(module), name)


def has_adm(case):
    """Tell whether our function of a case is there."""
    try:
        load(case)
    except (ImportError, AttributeError):
        return False
    return True


def mask(x, threads=1):
    """A: frontier mask, bool[rows, cols]."""
    return load("A")(x.grid, threads=threads)


def mask_into(x, out):
    """A: the same into memory that is kept."""
    return load("A")(x.grid, out=out)


def cells(x, threads=1):
    """A-list: frontier cells, int64[n]."""
    return load("A-list")(x.grid, threads=threads)


def clusters(x, c_max, threads=1):
    """B: owner of each frontier cell, sizes, centroids, representatives."""
    return load("B")(x.grid, c_max=c_max, threads=threads)[:4]


def top_k(x):
    """D: indices of the k best records."""
    return x.call().indices


def assign(x):
    """E: robot and round of each frontier."""
    return load("E")(x.cost)


def order(x):
    """E2: open path from node 0."""
    return np.asarray(load("E2")(x.dist, 0))


def distance(x):
    """F: steps to the nearest source, -1 where there is no way."""
    return load("F")(x.grid, x.sources)


def rooms(x, threads=1):
    """C: label image, number of instances, edges (pairs of labels)."""
    found = load("C")(x.grid, x.labels, threads=threads)
    return found.labels, len(found), found.edges


def map_to_graph(x, c_max, threads=1):
    """A + B + C: frontier list, clusters with representatives, instances and edges."""
    return (
        load("B")(x.grid, c_max=c_max, threads=threads),
        load("C")(x.grid, x.labels, threads=threads),
    )


def area_graph(x, c_max):
    """A + B + C as the graph itself, which needs no label image."""
    return load("graph")(x.grid, x.labels, c_max=c_max)


def prepare_top_k(x):
    """D: the call with the harness's form of the score, arrays as a memory would keep them."""
    from adm_core.memory.attention import AttentionConfig

    config = AttentionConfig(
        k=x.k, decay="exp", decay_s=x.tau, distance="exp", distance_m=x.lam, floor=0.0
    )
    stamp, active, select = -x.age, x.status == 0, load("D")
    return lambda: select(
        x.weights, x.confidence, stamp, x.distance, now=0.0, config=config, source=x.source,
        mask=active,
    )  # fmt: skip
