"""Diagnostics node: the heartbeats of all nodes as one ROS diagnostic array."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from adm_core.config import Config, param
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from adm_interfaces.msg import NodeStatus
from adm_nodes.common import params, qos, runner
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.common.run_config import RunConfig


@dataclass(frozen=True)
class DiagnosticsConfig(Config):
    """Parameters of the diagnostics."""

    period_s: float = param(1.0, "time between two reports", unit="s", min=0.1, max=60.0)
    stale_s: float = param(2.0, "silence after which a node counts as stale", unit="s", min=0.6)


@dataclass
class Heart:
    """What is known of one node from its heartbeats."""

    status: NodeStatus
    seen: float
    restarts: int = 0
    reported: int = 0  # messages at the last report

    def beat(self, status: NodeStatus, now: float) -> None:
        """Take note of a heartbeat; another process means that the node was started again."""
        if status.pid != self.status.pid:
            self.restarts += 1
            self.reported = 0
        self.status, self.seen = status, now


class DiagnosticsNode(AdmNode):
    """Report every node that was ever heard, and the audit log; no node depends on it.

    Parameters
    ----------
    period_s, stale_s : see DiagnosticsConfig
    audit : str
        File of the audit log, whose size is reported; empty: none.

    Topics
    ------
    node_status : NodeStatus, subscribed
        Heartbeats.
    /diagnostics : DiagnosticArray, published
        One status per node; absolute, because that is where every ROS tool looks.
    """

    def __init__(self, **kwargs: object) -> None:
        super().__init__("diagnostics", **kwargs)
        params.declare(self, DiagnosticsConfig)
        params.declare(self, RunConfig, names=["audit"])
        self.reset()

    def setup(self) -> None:
        """Listen to heartbeats."""
        self._config = params.read(self, DiagnosticsConfig)
        self._audit = params.read(self, RunConfig, names=["audit"]).audit
        self._publish = self.add_publisher(DiagnosticArray, "/diagnostics", qos.STATUS)
        self.add_subscription(NodeStatus, "node_status", qos.STATUS, self._on_status)
        self.add_timer(self._config.period_s, self._report)

    def reset(self) -> None:
        """Forget all nodes."""
        self._hearts: dict[str, Heart] = {}

    def count_message(self) -> None:
        """Count nothing: diagnostics are no part of the mission."""

    def _on_status(self, message: NodeStatus) -> None:
        now = time.monotonic()
        known = self._hearts.setdefault(message.node, Heart(message, now))
        known.beat(message, now)

    def _report(self) -> None:
        if not self.is_active:
            return
        now = time.monotonic()
        report = DiagnosticArray()
        report.header.stamp = self.get_clock().now().to_msg()
        for name in sorted(self._hearts):
            heart = self._hearts[name]
            rate = (heart.status.messages_sent - heart.reported) / self._config.period_s
            heart.reported = heart.status.messages_sent
            report.status.append(diagnose(name, heart, now - heart.seen, rate, self._config))
        if self._audit:
            report.status.append(diagnose_log(Path(self._audit)))
        self._publish(report)


def diagnose(
    name: str, heart: Heart, age_s: float, rate: float, config: DiagnosticsConfig
) -> DiagnosticStatus:
    """Return the diagnosis of one node.

    OK while it is active, WARN in any other state, STALE if it has been silent for too long.
    """
    status = heart.status
    level, message = DiagnosticStatus.OK, status.state
    if age_s > config.stale_s:
        level, message = DiagnosticStatus.STALE, f"silent for {age_s:.1f} s, was {status.state}"
    elif status.state != "active":
        level = DiagnosticStatus.WARN
    values = {
        "state": status.state,
        "last beat age [s]": f"{age_s:.2f}",
        "process": status.pid,
        "restarts": heart.restarts,
        "messages sent": status.messages_sent,
        "messages per second": f"{rate:.1f}",
        "kernels loaded": len(status.kernels),
    }
    return _status(name, level, message, f"process {status.pid}", values)


def diagnose_log(path: Path) -> DiagnosticStatus:
    """Return the diagnosis of the audit log: its size with what is not yet folded in."""
    parts = [file for file in (path, path.with_name(path.name + "-wal")) if file.exists()]
    if not parts:
        return _status("audit log", DiagnosticStatus.WARN, "not written yet", "", {"file": path})
    size = sum(file.stat().st_size for file in parts)
    values = {"file": path, "size [bytes]": size}
    return _status("audit log", DiagnosticStatus.OK, f"{size / 1e6:.2f} MB", "", values)


def _status(
    name: str, level: bytes, message: str, hardware: str, values: dict[str, object]
) -> DiagnosticStatus:
    pairs = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
    return DiagnosticStatus(
        name=f"adm: {name}", level=level, message=message, hardware_id=hardware, values=pairs
    )


def main() -> int:
    """Run the node."""
    return runner.main(DiagnosticsNode)


if __name__ == "__main__":
    raise SystemExit(main())
