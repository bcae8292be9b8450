"""The digital twin end to end: roscore, rospy, the relay, our nodes, the real djitellopy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import ros1_graph

pytest.importorskip("pybullet", reason="the twin needs PyBullet")
pytest.importorskip("djitellopy", reason="the twin's drone needs djitellopy")
#: A little faster than real: the same mission in less of everybody's time.
RATE = "1.5"


def run(folder, domain, *more):
    """Run `adm twin`; return its result, its folder, and what it said."""
    command = [sys.executable, "-m", "adm_core.cli", "twin", "--json", "--runs", str(folder)]
    done = subprocess.run(
        [*command, *more],
        env={**os.environ, "ROS_DOMAIN_ID": str(domain)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout.strip(), done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1]), folder / "latest", done.stderr


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.timeout(660)
def test_a_mission_is_complete_and_safe_and_leaves_nothing_behind(tmp_path, domain):
    if ros1_graph.missing():
        pytest.skip(ros1_graph.missing())
    result, folder, said = run(tmp_path, domain, "--seed", "1", "--rate", RATE)
    assert result["outcome"] == "completed", said[-3000:]
    assert result["complete"] and result["delivered"] == result["containers"] == 5
    assert result["safe"], result["observer"]
    assert result["observer"]["counts"]["velocities"] > 100
    assert result["observer"]["counts"]["servo_commands"] > 100
    assert result["assignment_changed"]  # in this layout the known container is of the other class
    pids = json.loads((folder / "processes.json").read_text())
    assert {"roscore", "jetrover", "adapter", "bridge", "skills", "tello"} <= set(pids)
    assert [name for name, pid in pids.items() if is_running(pid)] == []
