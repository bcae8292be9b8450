"""What the memory node bears: detections from several sources at once, over DDS.

    python benchmarks/node_load.py                   # 2,000 detections/s from 8 sources for 60 s
    python benchmarks/node_load.py --seconds 5 --json F

The workspace must be open (. scripts/env.sh). Memory runs in a process of its own and writes its
audit log. A stand-in of the executor has it take in everything ten times a second; the latency of
a batch is the time from its publication to the answer of the request that covered it. Nothing may
be lost: in the end every detection must be in the audit log exactly once.
"""

import argparse
import json
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import rclpy
from adm_core.grid.terrain import Terrain
from adm_core.memory.method import Focus
from adm_core.memory.records import Detection, EvidenceBatch, Source
from adm_core.memory.static import Mission, Station
from adm_core.simulation.layout import open_field
from adm_core.types import Pose2D
from adm_nodes.bringup.domain import use_private_domain
from adm_nodes.common import conversions, qos
from adm_nodes.common.client import ResendingClient
from adm_nodes.common.runner import Spinner
from adm_nodes.manager import Manager
from nav_msgs.msg import OccupancyGrid

from adm_interfaces import msg as msgs
from adm_interfaces import srv as srvs

SOURCES, RATE, BATCH, SYNC_S = 8, 2_000, 25, 0.1
SIDE, OBJECTS = 60, 200


class Load:
    """Sources that share one running number, and a stand-in of the executor.

    Parameters
    ----------
    node : Manager
        Owner of publishers and client.
    batches : int
        How many the sources publish in all.
    """

    def __init__(self, node, batches):
        self.node, self.batches = node, batches
        self.terrain = Terrain.for_robot(open_field(SIDE), 0.0, diagonal=False)
        grid = self.terrain.grid_map
        station = Station("station_A", Pose2D(0.5, 0.5), ("can",))
        mission = Mission(
            "bench", grid.map_id, (station,), OBJECTS, 1, 1.0, 0.0, False, 1.0, grid.frame_id
        )
        node.create_publisher(OccupancyGrid, "map", qos.LATCHED).publish(
            conversions.grid_to_msg(grid)
        )
        node.create_publisher(msgs.Mission, "mission", qos.LATCHED).publish(
            conversions.mission_to_msg(mission, grid, "bench")
        )
        self.out = [
            node.create_publisher(msgs.EvidenceBatch, "evidence", qos.EVIDENCE)
            for _ in range(SOURCES)
        ]
        self.client = ResendingClient(node, srvs.SyncMemory, "sync_memory")
        self.sent = np.full(batches + 1, np.nan)
        self.covered = np.full(batches + 1, np.nan)
        draw = np.random.default_rng(0)
        self.places = [Pose2D(*(draw.integers(1, SIDE - 1, 2) + 0.5)) for _ in range(OBJECTS)]
        self.choice = draw.integers(OBJECTS, size=(batches + 1, BATCH))
        self.last = 0  # last number up to which everything was published
        self.lock, self.done = threading.Lock(), set()

    def publish(self, source):
        """Publish every eighth batch at the source's rate (one thread each)."""
        period, started = BATCH * SOURCES / RATE, time.perf_counter()
        for turn, number in enumerate(range(source + 1, self.batches + 1, SOURCES)):
            wait = started + turn * period + source * period / SOURCES - time.perf_counter()
            time.sleep(max(0.0, wait))
            seen = tuple(Detection("can", self.places[i], 0.9) for i in self.choice[number])
            stamp = turn * period
            batch = EvidenceBatch(number, Source.REMOTE, f"source_{source}", stamp, seen)
            message = conversions.batch_to_msg(batch)
            self.sent[number] = time.perf_counter()
            self.out[source].publish(message)
            with self.lock:
                self.done.add(number)
                while self.last + 1 in self.done:
                    self.last += 1

    def sync_until_all(self, limit_s):
        """Have memory take everything in, again and again; return the requests it took."""
        number, covered, deadline = 0, 0, time.monotonic() + limit_s
        focus = conversions.focus_to_msg(Focus(Pose2D(0.5, 0.5)))
        while covered < self.batches and time.monotonic() < deadline:
            time.sleep(SYNC_S)
            goal = self.last
            request = srvs.SyncMemory.Request(
                number=number + 1, previous=number, now=0.0, evidence_seq=goal, focus=focus
            )
            self.client.call(request)
            self.covered[covered + 1 : goal + 1] = time.perf_counter()
            number, covered = number + 1, goal
        return number


def cpu_seconds(pid):
    """Return the processor time that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_process(folder):
    """Start a memory node in a process of its own, with an audit log in `folder`."""
    command = [sys.executable, "-m", "adm_nodes.memory", "--ros-args"]
    command += ["-p", f"audit:={folder / 'audit.sqlite'}", "-p", "method:=attention"]
    return subprocess.Popen(command)


def measure(seconds):
    """Return the figures of one load."""
    use_private_domain()
    batches = int(seconds * RATE / BATCH)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process = memory_process(folder)
        rclpy.init()
        manager = Manager(["memory"])
        spinner = Spinner(manager).start()
        try:
            load = Load(manager, batches)
            manager.bring_up()
            before, started = cpu_seconds(process.pid), time.perf_counter()
            sources = [threading.Thread(target=load.publish, args=(i,)) for i in range(SOURCES)]
            for source in sources:
                source.start()
            requests = load.sync_until_all(seconds * 5 + 60)
            wall_s = time.perf_counter() - started
            cpu_s = cpu_seconds(process.pid) - before
            load.client.close()
            manager.shut_down()
        finally:
            spinner.join()
            rclpy.try_shutdown()
            process.terminate()
            process.wait(10)
        return {**figures(load, folder, requests), "wall_s": round(wall_s, 2)} | {
            "cpu_percent": round(100 * cpu_s / wall_s, 1)
        }


def figures(load, folder, requests):
    """Return what arrived, against the audit log, and how long it took."""
    with sqlite3.connect(folder / "audit.sqlite") as log:
        rows, numbers = log.execute("SELECT count(*), count(DISTINCT seq) FROM evidence").fetchone()
    latency = 1e3 * (load.covered - load.sent)[1:]
    known = latency[np.isfinite(latency)]
    return {
        "sources": SOURCES,
        "detections": load.batches * BATCH,
        "in_log": rows,
        "lost": load.batches * BATCH - rows,
        "batches_in_log": numbers,
        "requests": requests,
        "latency_ms": {
            name: round(float(np.percentile(known, q)), 1)
            for name, q in (("p50", 50), ("p99", 99), ("max", 100))
        },
    }


def main():
    """Measure, print, and return 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    result = {**measure(args.seconds), "python": platform.python_version(), "cores": os.cpu_count()}
    print(json.dumps(result))
    if args.json:
        Path(args.json).write_text(json.dumps(result, indent=2) + "\n")
    return int(result["lost"] != 0)


if __name__ == "__main__":
    sys.exit(main())
