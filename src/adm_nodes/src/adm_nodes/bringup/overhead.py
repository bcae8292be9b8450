"""What ROS costs: the same mission in this process, beside the run over nodes."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from adm_core.memory.audit import AuditLog
from adm_core.missions.recycling import LocalMission
from adm_core.missions.setup import MissionSetup


def measure_plain(setup: MissionSetup) -> tuple[float, str]:
    """Run a mission without ROS, audit log included; return wall seconds and decision digest."""
    with tempfile.TemporaryDirectory() as folder, AuditLog(Path(folder) / "audit") as audit:
        mission = LocalMission(setup, audit)
        started = time.perf_counter()
        for _ in mission.run():
            pass
        return time.perf_counter() - started, mission.executor.digest.hexdigest()


def overhead(setup: MissionSetup, wall_s: float, digest: str, steps: int, messages: int) -> dict:
    """Return wall times with and without ROS, messages per step, and whether decisions agree."""
    plain_wall_s, plain_digest = measure_plain(setup)
    return {
        "wall_s": round(wall_s, 4),
        "plain_wall_s": round(plain_wall_s, 4),
        "ms_per_step": round(1e3 * (wall_s - plain_wall_s) / max(steps, 1), 3),
        "messages": messages,
        "messages_per_step": round(messages / max(steps, 1), 2),
        "plain_decision_sha256": plain_digest,
        "decisions_equal": plain_digest == digest,
    }
