"""How fast memory takes reports in, how much room it needs, how fast evidence gets onto disk.

    python benchmarks/records.py                 # all; --json FILE keeps the figures

A shared machine disturbs single calls, so medians and the quickest tenth are given.
"""

import argparse
import json
import math
import os
import platform
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from adm_core.grid.terrain import Terrain
from adm_core.memory.audit import AuditLog
from adm_core.memory.dynamic import DynamicMemory, MemoryConfig
from adm_core.memory.evidence import Verdict
from adm_core.memory.records import Detection, EvidenceBatch, Source
from adm_core.memory.static import Mission, Station
from adm_core.simulation.layout import open_field
from adm_core.types import Pose2D
from memory import peak_since, start

APART_M = 3.0  # objects stand apart, so that each report is about one of them
REPORT = 1_000  # objects in a report that fills a memory
BATCH_S = 0.1
#: Records to the microseconds that one accepted detection may take, and should.
MUST_US, GOAL_US = {1_000: 20.0, 100_000: 60.0}, {1_000: 5.0, 100_000: 20.0}
MUST_EVENTS, GOAL_EVENTS = 20_000, 100_000


def filled(count, association):
    """Return a memory of `count` records and where they are."""
    row = math.ceil(math.sqrt(count))
    side = int(row * APART_M) + 2
    terrain = Terrain.for_robot(open_field(side), 0.0, diagonal=False)
    station = Station("station_A", Pose2D(0.5, 0.5), ("can",))
    mission = Mission("bench", "m", (station,), count, 1, 1.0, 0.0, False, 1.0)
    made = DynamicMemory(mission, terrain, MemoryConfig(association=association))
    poses = [Pose2D(APART_M * (i % row) + 1.5, APART_M * (i // row) + 1.5) for i in range(count)]
    for first in range(0, count, REPORT):
        seen = tuple(Detection("can", pose, 0.9) for pose in poses[first : first + REPORT])
        made.observe(EvidenceBatch(1, Source.ONBOARD, "bench", 0.0, seen), 0.0)
    return made, poses


def accepted(count, association, beside_m, calls=3_000):
    """Return microseconds of taking in a report of one known object, one per call."""
    made, poses = filled(count, association)
    order = np.random.default_rng(0).integers(count, size=calls)
    spent = []
    for number, index in enumerate(order):
        pose = Pose2D(poses[index].x + beside_m, poses[index].y)
        stamp = 1_000.0 + number
        batch = EvidenceBatch(2, Source.REMOTE, "bench", stamp, (Detection("can", pose, 0.99),))
        begin = time.perf_counter()
        made.observe(batch, stamp)
        spent.append(1e6 * (time.perf_counter() - begin))
    assert len(made.records()) == count
    return np.array(spent)


def room(count):
    """Return bytes of each record of a memory of `count`, all its tables included."""
    begin = start()
    made, poses = filled(count, "gated")
    assert len(made.records()) == len(poses) == count
    return peak_since(begin) / count


def evidence_rate(folder, seconds=3.0):
    """Return events a second that are on disk, committed every 100 ms, and the longest commit."""
    item = Detection("can", Pose2D(1.0, 2.0), 0.9)
    batch = EvidenceBatch(1, Source.REMOTE, "bench", 1.0, (item,))
    with AuditLog(Path(folder) / "audit.sqlite") as audit:
        events, commits = 0, [time.perf_counter()]
        while commits[-1] - commits[0] < seconds:
            while time.perf_counter() - commits[-1] < BATCH_S:
                for _ in range(100):
                    audit.evidence(batch, item, 1.0, Verdict.ACCEPTED, "e001")
                events += 100
            audit.commit()
            commits.append(time.perf_counter())
    return events / (commits[-1] - commits[0]), max(b - a for a, b in pairwise(commits))


def run(args):
    """Print the figures and return them."""
    rows = []
    for count in (1_000, 100_000):
        for association, beside_m in (("cell", 0.0), ("gated", 0.0), ("gated", 1.0)):
            spent = accepted(count, association, beside_m)
            rows.append(
                {
                    "records": count,
                    "association": association,
                    "report beside by m": beside_m,
                    "median us": round(float(np.median(spent)), 2),
                    "quickest tenth us": round(float(np.quantile(spent, 0.1)), 2),
                    "must us": MUST_US[count],
                    "goal us": GOAL_US[count],
                }
            )
            print(rows[-1], flush=True)
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        rate, longest = evidence_rate(folder)
    durable = {
        "durable events per s": round(rate),
        "longest batch s": round(longest, 3),
        "must": MUST_EVENTS,
        "goal": GOAL_EVENTS,
    }
    print(durable, flush=True)
    size = {"records": args.records, "bytes per record": round(room(args.records))}
    print(size, flush=True)
    return {"accept": rows, "audit": durable, "room": size}


def main():
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--records", type=int, default=1_000_000, help="of the memory that is weighed"
    )
    parser.add_argument("--folder", default=".", help="on the disk that the log is written to")
    parser.add_argument("--json", help="file to keep the figures in")
    args = parser.parse_args()
    facts = {"cpus": os.cpu_count(), "python": platform.python_version()}
    figures = {"machine": facts, **run(args)}
    if args.json:
        Path(args.json).write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
