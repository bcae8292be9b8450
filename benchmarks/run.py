#!/usr/bin/env python3
"""Time our kernels beside their peers on the same inputs and compare the answers.

python benchmarks/run.py --peers                       every case at the sizes of the README
python benchmarks/run.py --peers --cases A --sizes 500 a quick look
python benchmarks/run.py                               ours alone, checked against NumPy twins
"""

import argparse
import contextlib
import json
import os
import platform
import sys
from pathlib import Path

import adm
import cases_lists
import cases_map
import growth
import numpy as np
from adm_core.commands import bench as command
from case_window import case_window
from harness import OURS, Bench, optional
from inputs import make_input
from plots import save_plots
from summary import summarise

MAP_CASES = {
    "A": [("A", cases_map.case_mask)],
    "A-list": [("A-list", cases_map.case_list)],
    "B": [
        ("B", lambda *args, c_max=c_max: cases_map.case_clusters(*args, c_max))
        for c_max in (10, 20)
    ],
    "C": [("C", cases_map.case_rooms)],
    "F": [("F", cases_map.case_distance)],
}
RECORDS = (100, 1000, 10_000, 100_000, 1_000_000)
COSTS = ((2, 10), (8, 50), (16, 200), (2, 1000), (16, 1000), (64, 1000), (64, 5000))
TOURS = (10, 20, 80, 200, 1000)


def inputs(args):
    """Yield name and input of each map."""
    for side in [int(size) for size in args.sizes.split(",") if size]:
        yield str(side), make_input(side)
    if args.maps:
        paths = sorted(args.maps.glob("**/*.pgm"), key=lambda path: path.stat().st_size)[-8:]
        for path in paths:
            try:
                yield path.stem[:24], make_input(path)
            except ValueError as err:
                print(f"left out {path.name}: {err}")


def run_maps(bench, args, cases):
    """Run the cases on maps; case I runs on the largest map up to 4000 cells wide."""
    sides = [int(size) for size in args.sizes.split(",") if size and int(size) <= 4000]
    for name, x in inputs(args):
        rows, cols = x.grid.shape
        shares = [float(np.mean(x.grid == value)) for value in (0, -1)]
        print(f"\n{name}: {rows} x {cols}, free {shares[0]:.2f}, unknown {shares[1]:.2f}")
        for case, calls in MAP_CASES.items():
            for _, call in calls if case in cases else ():
                call(bench, name, x, args.threads)
        if "B" in cases and "C" in cases and adm.has_adm("C"):
            run_whole(bench, name, x, args.threads)
        if "I" in cases and sides and name == str(max(sides)):
            case_window(bench, name, x, args.threads)


def run_whole(bench, name, x, threads, c_max=20):
    """Run map-to-graph in one go and compare it with the parts, which have checks of their own."""
    owner, (labels, count, _) = adm.clusters(x, c_max)[0], adm.rooms(x)
    for number in (1, threads) if x.grid.size >= cases_map.LARGE_CELLS else (1,):
        clusters, rooms = bench.time(
            "A+B+C", name, OURS, lambda n=number: adm.map_to_graph(x, c_max, n), number
        )
        same = np.array_equal(clusters.owner, owner) and np.array_equal(rooms.labels, labels)
        bench.check("A+B+C", name, OURS, same)
    graph = bench.time("graph", name, OURS, lambda: adm.area_graph(x, c_max))
    same = np.array_equal(graph.clusters.owner, owner) and len(graph.rooms) >= count
    bench.check("graph", name, OURS, same)


def run_lists(bench, args, cases):
    """Run the cases on lists."""
    if "D" in cases:
        for n in RECORDS:
            cases_lists.case_top_k(bench, n, args.threads)
        cases_lists.case_top_k_orders(bench, 100_000)
    if "E" in cases:
        for robots, frontiers in COSTS:
            cases_lists.case_assign(bench, robots, frontiers, args.threads)
    if "E2" in cases:
        for n in TOURS:
            cases_lists.case_order(bench, n, args.threads)


def without_peers():
    """Make every optional peer look as if it were not installed."""
    for module in (
        cases_map,
        cases_lists,
        sys.modules["case_window"],
        cases_map.lib,
        cases_lists.lib,
    ):
        for name in ("nb", "numba", "cv2", "cc3d", "ndi", "skmeasure", "numexpr", "csgraph"):
            if hasattr(module, name):
                setattr(module, name, None)
        for name in ("dijkstra3d", "skgraph", "skfmm", "lap", "elkai", "fast_tsp"):
            if hasattr(module, name):
                setattr(module, name, None)


def run(args):
    """Run, print the summary, and return 0 if every answer is right and none is missing."""
    with contextlib.redirect_stdout(sys.stderr if args.json else sys.stdout):
        bench = measure(args)
        code = 0 if args.growth else verdict(bench)
    text = json.dumps(bench.as_json(), indent=1)
    if args.json:
        print(text)
    if args.save:
        args.save.mkdir(parents=True, exist_ok=True)
        (args.save / "kernels.json").write_text(text + "\n")
        save_plots(bench, args.save)
    return code


def measure(args):
    """Run the chosen cases."""
    bench = Bench(args.repeat, args.budget, machine=describe_machine())
    print("\n".join(f"{key}: {value}" for key, value in bench.machine.items()))
    if not args.peers:
        without_peers()
    if args.growth:
        growth.run_growth(bench)
        return bench
    cases = [case for case in args.cases.split(",") if case]
    run_maps(bench, args, cases)
    run_lists(bench, args, cases)
    bench.summary = summarise(bench)
    return bench


def describe_machine():
    """Return what a reader needs to judge a duration."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.split(":")[1].strip() for line in lines if "model name" in line), "unknown")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    packages = ("numpy", "scipy", "numba", "cv2", "cc3d", "skimage", "numexpr", "lap", "ortools")
    versions = [
        f"{name} {getattr(optional(name), '__version__', 'installed')}"
        for name in packages
        if optional(name)
    ]
    return {
        "cpu": f"{model}, {os.cpu_count()} cores",
        "load before the run": f"{load:.1f}",
        "python": platform.python_version(),
        "packages": ", ".join(versions),
    }


def verdict(bench):
    """Print what is wrong; 1 if an answer differs or ours has no checked row somewhere."""
    different = bench.different()
    missing = [job for job in bench.unchecked() if job[0] != "I-read"]
    print(f"\n{len(bench.checks)} checks, {len(different)} differ")
    for case, size, peer in different:
        print(f"  differs: {case} {size} {peer}")
    for case, size in missing:
        print(f"  no checked row of {OURS}: {case} {size}")
    return 1 if different or missing else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.add_options(parser)
    sys.exit(run(parser.parse_args()))
