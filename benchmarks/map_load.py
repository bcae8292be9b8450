"""Map fusion under load: one large map at 2 Hz in, what changed out to many explorers.

    python benchmarks/map_load.py --side 4000 --seconds 60 --explorers 8

A mapper publishes a whole occupancy grid twice a second, of which at most 5 % changes each time.
The fusion node sends it on; every explorer is a process that gets the whole map once and then
windows, and keeps a team map from them. Prints one JSON object: age of the map at the explorers
(from the mapper's stamp until it was applied), CPU of each role, bytes a second, and whether all
explorers ended with the mapper's map. Exit code 1 if they did not, or if an explorer got more than
one whole map.
"""

from __future__ import annotations

import argparse
import array
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import rclpy
from adm_core.search.config import SearchConfig
from adm_nodes.bringup.domain import use_private_domain
from adm_nodes.common import qos
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.map_link import MapFollower
from adm_nodes.common.runner import Spinner
from nav_msgs.msg import OccupancyGrid
from rclpy.parameter import Parameter
from sagr_nodes.config import TeamConfig
from sagr_nodes.fused_map import FusedMap
from sagr_nodes.map_fusion import MapFusionNode

import adm_interfaces.msg as msgs

RATE_HZ = 2.0
RESOLUTION_M = 0.05


def first_map(side: int) -> np.ndarray:
    """Return the mapper's grid before all changes: unknown floor with some walls."""
    data = np.full((side, side), -1, np.int8)
    data[:: max(side // 40, 2)] = 100
    return data


def change(data: np.ndarray, number: int, block: int) -> None:
    """Change one block of the grid, another one each time."""
    room = data.shape[0] - block
    row, col = (number * 977) % (room + 1), (number * 1609) % (room + 1)
    pattern = (np.arange(block) // 16 + number) % 3
    data[row : row + block, col : col + block] = np.array([0, 100, 0], np.int8)[pattern]


class ExplorerProbe(AdmNode):
    """Keeps a team map as an explorer does, and notes how old each change was."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__("explorer", **kwargs)
        self.ages: list[float] = []
        self.bytes = self.wholes = 0

    def setup(self) -> None:
        """Follow the fused map."""
        self.map = FusedMap(SearchConfig(), TeamConfig().common_frame)
        self.follower = MapFollower(self, "fused_map", self._replace, self._apply)

    def start(self) -> None:
        """Begin to ask for what is missing."""
        self.follower.open()

    def stop(self) -> None:
        """Cease to ask."""
        if hasattr(self, "follower"):
            self.follower.close()

    def _replace(self, message: msgs.LabelledMap) -> None:
        self.map.replace(message)
        self.wholes += 1

    def _apply(self, message: msgs.MapUpdate) -> None:
        self.map.apply(message)
        self.bytes += sum(len(item.occupancy) + 2 * len(item.room_type) for item in message.windows)
        if message.last:
            stamp = message.header.stamp
            self.ages.append(time.time() - stamp.sec - stamp.nanosec / 1e9)

    def digest(self) -> str:
        """Return a digest of the map, empty if there is none."""
        known = self.map.team_map
        return "" if known is None else hashlib.sha256(known.grid.tobytes()).hexdigest()


def activate(node: AdmNode) -> Spinner:
    """Bring a node up without a manager and spin it."""
    node.trigger_configure()
    node.trigger_activate()
    return Spinner(node).start()


def wait_for_end() -> None:
    """Wait until the parent closes our input."""
    sys.stdin.read()


def explorer(args: argparse.Namespace) -> dict[str, object]:
    """Follow until told to end."""
    node = ExplorerProbe(namespace=f"robot_{args.index}", cli_args=_to_root())
    spinner = activate(node)
    wait_for_end()
    spinner.join()
    return {
        "ages": node.ages,
        "bytes": node.bytes,
        "wholes": node.wholes,
        "digest": node.digest(),
    }


def _to_root() -> list[str]:
    names = ("fused_map", "fused_map_updates", "get_fused_map", "node_status")
    return ["--ros-args", *(part for name in names for part in ("-r", f"{name}:=/{name}"))]


def fusion(args: argparse.Namespace) -> dict[str, object]:
    """Fuse until told to end."""
    values = {"robots": 1, "lockstep": False, "fuse_s": 0.02, "show_s": 0.0, "map_frame": "map"}
    node = MapFusionNode(
        parameter_overrides=[Parameter(name, value=value) for name, value in values.items()]
    )
    spinner = activate(node)
    wait_for_end()
    spinner.join()
    return {}


def mapper(args: argparse.Namespace) -> dict[str, object]:
    """Publish whole grids at 2 Hz; return the digest of the last one."""
    node = rclpy.create_node("mapper")
    publish = node.create_publisher(OccupancyGrid, "robot_0/map", qos.LATCHED).publish
    spinner = Spinner(node).start()
    data, block = first_map(args.side), int(args.side * 0.22)  # 4.84 % of the cells
    message = OccupancyGrid()
    message.header.frame_id, message.info.resolution = "map", RESOLUTION_M
    message.info.height = message.info.width = args.side
    message.info.origin.orientation.w = 1.0
    sent, due = 0, time.monotonic()
    while sent < args.seconds * RATE_HZ:
        change(data, sent, block)
        message.data = array.array("b", data.tobytes())
        message.header.stamp = node.get_clock().now().to_msg()
        publish(message)
        # After the first map, which everybody gets whole, there is time to settle.
        due += args.lead if sent == 0 else 1 / RATE_HZ
        sent += 1
        time.sleep(max(0.0, due - time.monotonic()))
    print(json.dumps({"sent": sent}), flush=True)
    wait_for_end()
    spinner.join()
    return {"sent": sent, "digest": hashlib.sha256(data.tobytes()).hexdigest()}


ROLES = {"explorer": explorer, "fusion": fusion, "mapper": mapper}


def act(args: argparse.Namespace) -> int:
    """Play one role in this process."""
    rclpy.init()
    found = ROLES[args.role](args)
    used = os.times()
    Path(args.out).write_text(json.dumps({**found, "cpu_s": used.user + used.system}))
    rclpy.try_shutdown()
    return 0


def start(args: argparse.Namespace, folder: Path, role: str, index: int = 0) -> tuple:
    """Start a role; return its process and where it will leave its result."""
    out = folder / f"{role}-{index}.json"
    command = [
        sys.executable, __file__, "--role", role, "--index", str(index), "--out", str(out),
        "--side", str(args.side), "--seconds", str(args.seconds), "--lead", str(args.lead),
    ]  # fmt: skip
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True), out


def measure(args: argparse.Namespace) -> dict[str, object]:
    """Run everything; return the figures."""
    use_private_domain()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        roles = [start(args, folder, "fusion")]
        roles += [start(args, folder, "explorer", index) for index in range(args.explorers)]
        roles.append(start(args, folder, "mapper"))
        roles[-1][0].stdout.readline()  # everything was sent
        time.sleep(args.lead)
        for process, _ in roles:
            process.communicate(timeout=60)
        results = [json.loads(out.read_text()) for _, out in roles]
    return summary(args, results[0], results[1:-1], results[-1])


def summary(args: argparse.Namespace, fused: dict, explorers: list[dict], sent: dict) -> dict:
    """Return the figures from what every role has noted."""
    ages = np.concatenate([np.array(item["ages"], float) for item in explorers])
    shares = [item["cpu_s"] / args.seconds for item in explorers]
    return {
        "side": args.side,
        "seconds": args.seconds,
        "explorers": args.explorers,
        "maps_sent": sent["sent"],
        "changes_applied": len(ages),
        "age_p50_s": round(float(np.quantile(ages, 0.5)), 4) if len(ages) else None,
        "age_p99_s": round(float(np.quantile(ages, 0.99)), 4) if len(ages) else None,
        "age_max_s": round(float(ages.max()), 4) if len(ages) else None,
        "wholes": [item["wholes"] for item in explorers],
        "window_bytes_per_s": round(sum(item["bytes"] for item in explorers) / args.seconds),
        "grid_bytes_per_s": round(args.side**2 * RATE_HZ),
        "cpu_share_fusion": round(fused["cpu_s"] / args.seconds, 3),  # its start included
        "cpu_share_explorer": round(float(np.mean(shares)), 3),
        "load_average": os.getloadavg()[0],
        "equal": all(item["digest"] == sent["digest"] for item in explorers),
    }


def main() -> int:
    """Measure, or play a role for somebody who does."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--side", type=int, default=4000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--explorers", type=int, default=8)
    parser.add_argument("--lead", type=float, default=5.0, help="time to start and to settle")
    parser.add_argument("--role", choices=tuple(ROLES), help=argparse.SUPPRESS)
    parser.add_argument("--index", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--out", default="", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.role:
        return act(args)
    found = measure(args)
    print(json.dumps(found, indent=2))
    return 0 if found["equal"] and set(found["wholes"]) == {1} else 1


if __name__ == "__main__":
    raise SystemExit(main())
