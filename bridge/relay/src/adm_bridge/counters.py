"""What the relay has moved and lost, per topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Counters:
    """Numbers of messages of one topic since the relay started."""

    to_ros2: int = 0  # published on the ROS 2 side
    to_ros1: int = 0  # handed to the ROS 1 half
    unread: int = 0  # from ROS 1, and nobody on the ROS 2 side subscribes
    echoes: int = 0  # own publications that came back on the ROS 2 side
    malformed: int = 0  # not a message of the topic's type
    lost_link: int = 0  # from ROS 2 while the ROS 1 half was away
    bytes_to_ros2: int = 0
    bytes_to_ros1: int = 0
    dropped_to_ros1: int = 0  # the queue to the ROS 1 half was full
    ros1: dict = field(default_factory=dict)  # what the ROS 1 half reports

    def lost(self) -> int:
        """Return how many messages did not arrive though both sides were there."""
        there = self.ros1.get("dropped", 0) + self.ros1.get("mismatched", 0)
        return self.dropped_to_ros1 + self.malformed + there

    def as_dict(self) -> dict[str, object]:
        """Return every number, flat."""
        own = {key: value for key, value in vars(self).items() if key != "ros1"}
        return own | {f"ros1_{key}": value for key, value in self.ros1.items()}


def table(counters: Mapping[str, Counters], before: Mapping[str, tuple], seconds: float) -> str:
    """Return lines for people: rates since `before` (see `snapshot`), losses since the start."""
    lines = [f"{'topic':<60} {'1>2 Hz':>8} {'2>1 Hz':>8} {'kB/s':>8} {'lost':>6}"]
    for name, now in sorted(counters.items()):
        then = before.get(name, (0, 0, 0))
        to2, to1, size = (a - b for a, b in zip(_totals(now), then, strict=True))
        if to2 or to1 or now.lost():
            lines.append(
                f"{name:<60} {to2 / seconds:8.1f} {to1 / seconds:8.1f} "
                f"{size / seconds / 1e3:8.1f} {now.lost():6d}"
            )
    return "\n".join(lines)


def snapshot(counters: Mapping[str, Counters]) -> dict[str, tuple]:
    """Return what `table` needs for rates later on."""
    return {name: _totals(item) for name, item in counters.items()}


def _totals(item: Counters) -> tuple[int, int, int]:
    return item.to_ros2 + item.unread, item.to_ros1, item.bytes_to_ros2 + item.bytes_to_ros1
