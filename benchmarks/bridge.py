"""Delay and throughput of `adm bridge relay`, between real rospy and real rclpy nodes.

    . scripts/env.sh && python benchmarks/bridge.py [--seconds 10]

Both ends run on this machine, so that one clock stamps and reads. For each message and direction:
the delay at a steady rate, the share that was lost, the relay's CPU time per message (both halves
together), and how many a second get through when the sender does not pause.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import rclpy  # noqa: E402
import ros1_graph  # noqa: E402
from adm_nodes.bringup.domain import use_private_domain  # noqa: E402
from bridge_sides import RelayProcess, Ros2, wait  # noqa: E402
from geometry_msgs.msg import PoseStamped  # noqa: E402
from rclpy.qos import QoSProfile  # noqa: E402
from sensor_msgs.msg import CompressedImage, Image  # noqa: E402

ROS1_END = ROOT / "benchmarks" / "bridge_ros1.py"
#: name -> topic, class, bytes of content, steady rate. A JPEG of 640 x 480 is 40 to 90 kB.
CASES = {
    "pose": ("/pose", PoseStamped, 0, 50),
    "JPEG 640x480": ("/jpeg", CompressedImage, 60_000, 30),
    "raw 640x480": ("/raw", Image, 640 * 480 * 3, 30),
}
CONFIG = """
topics:
  - {topic: /pose, type: geometry_msgs/msg/PoseStamped, queue_size: 10}
  - {topic: /jpeg, type: sensor_msgs/msg/CompressedImage, queue_size: 2}
  - {topic: /raw, type: sensor_msgs/msg/Image, queue_size: 2}
services_2_to_1: []
services_1_to_2: []
"""
_TICK = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pids: list[int]) -> float:
    """Return the CPU time that processes have used."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() for pid in pids]
    return sum(int(item[11]) + int(item[12]) for item in fields) / _TICK


class Bench:
    """A master, a relay and a ROS 2 node."""

    def __init__(self, folder: Path) -> None:
        (folder / "bridge.yaml").write_text(CONFIG, "utf-8")
        domain = use_private_domain()
        self.master = ros1_graph.Master(folder / "master.log")
        options = ("--config", str(folder / "bridge.yaml"))
        self.relay = RelayProcess(self.master, domain, folder / "relay.log", *options)
        self.relay.wait_for("ROS 1: connected")
        self.pids = [self.relay.process.pid, self.relay.half()]
        self.ros2 = Ros2(domain)
        wait(lambda: self.ros2.node.count_publishers("/pose"))
        time.sleep(2.0)  # the relay has found this node, too

    def close(self) -> None:
        """End everything."""
        self.ros2.close()
        self.relay.close()
        self.master.stop()

    def ros1(self, *arguments: object) -> subprocess.Popen:
        """Start the ROS 1 end."""
        return subprocess.Popen(
            [ros1_graph.PYTHON, str(ROS1_END), *map(str, arguments)],
            env=self.master.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def to_ros2(self, case: tuple, rate: float, seconds: float) -> tuple[int, list, float]:
        """Return how many were sent, the delays in ms of those heard, and CPU seconds."""
        topic, kind, size, _ = case
        delays: list[float] = []

        def heard(message: object) -> None:
            stamp = message.header.stamp  # type: ignore[attr-defined]
            delays.append(1e3 * (time.time() - stamp.sec - 1e-9 * stamp.nanosec))

        subscription = self.ros2.node.create_subscription(kind, topic, heard, QoSProfile(depth=2))
        before = cpu_seconds(self.pids)
        name = f"{kind.__module__.split('.')[0]}/{kind.__name__}"
        end = self.ros1("publish", topic, name, size, rate, seconds)
        sent = json.loads(end.stdout.readline())
        end.wait()
        self.ros2.node.destroy_subscription(subscription)
        return sent, delays, cpu_seconds(self.pids) - before

    def to_ros1(self, case: tuple, rate: float, seconds: float) -> tuple[int, list, float]:
        """Return how many were sent, the delays in ms of those heard, and CPU seconds."""
        topic, kind, size, _ = case
        name = f"{kind.__module__.split('.')[0]}/{kind.__name__}"
        end = self.ros1("listen", topic, name)
        end.stdout.readline()
        publisher = self.ros2.node.create_publisher(kind, topic, QoSProfile(depth=2))
        wait(lambda: publisher.get_subscription_count() >= 1)
        time.sleep(1.5)
        before = cpu_seconds(self.pids)
        sent = self._publish(publisher, kind, size, rate, seconds)
        time.sleep(2.0)
        used = cpu_seconds(self.pids) - before
        delays = json.loads(end.communicate()[0])
        self.ros2.node.destroy_publisher(publisher)
        return sent, delays, used

    def _publish(self, publisher: object, kind: type, size: int, rate: float, span: float) -> int:
        message, count, begin = kind(), 0, time.time()
        if size:
            message.data = bytes(size)
        while time.time() - begin < span:
            now = time.time()
            message.header.stamp.sec, message.header.stamp.nanosec = int(now), int(now % 1 * 1e9)
            publisher.publish(message)  # type: ignore[attr-defined]
            count += 1
            if rate:
                time.sleep(max(0.0, begin + count / rate - time.time()))
        return count


def row(name: str, way: str, steady: tuple, flood: tuple, seconds: float) -> str:
    """Return one line of the table."""
    sent, delays, used = steady
    median, high = np.percentile(delays, [50, 95]) if delays else (np.nan, np.nan)
    lost = 100 * (1 - len(delays) / sent)
    per_message = 1e3 * used / max(1, len(delays))
    return (
        f"| {name} | {way} | {median:.1f} | {high:.1f} | {lost:.1f} | {per_message:.2f} "
        f"| {len(flood[1]) / seconds:.0f} |"
    )


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="per measurement")
    seconds = parser.parse_args().seconds
    if ros1_graph.missing():
        sys.exit(ros1_graph.missing())
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        load = os.getloadavg()[0]
        print(f"rclpy {Path(rclpy.__file__).parent}, {os.cpu_count()} cores, load {load:.1f}")
        print("| message | way | median ms | 95 % ms | lost % | CPU ms each | at most Hz |")
        print("|---|---|---|---|---|---|---|")
        try:
            for name, case in CASES.items():
                for way, run in (("1 > 2", bench.to_ros2), ("2 > 1", bench.to_ros1)):
                    steady, flood = run(case, case[3], seconds), run(case, 0, seconds)
                    print(row(name, way, steady, flood, seconds), flush=True)
        finally:
            bench.close()


if __name__ == "__main__":
    main()
