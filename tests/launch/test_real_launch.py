"""The launch files under the real launch package, where there is one."""

import os
import shutil
import subprocess

import pytest

pytest.importorskip("launch_ros", reason="no launch package: a ROS 2 distribution has one")
pytestmark = pytest.mark.skipif(shutil.which("ros2") is None, reason="no command ros2")


def ros2_launch(*args, **env):
    return subprocess.run(
        ["ros2", "launch", "--noninteractive", "adm_bringup", *args],
        env={**os.environ, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300.0,
        check=False,
    )


@pytest.mark.parametrize("name", ["recycling", "search", "team", "jetrover"])
def test_every_argument_is_shown(name):
    shown = ros2_launch(f"{name}.launch.py", "--show-args")
    assert shown.returncode == 0, shown.stderr
    for argument in ("namespace", "params_file", "use_sim_time", "log_level", "exit_at_end"):
        assert f"'{argument}'" in shown.stdout


def test_a_mission_comes_to_its_end(tmp_path):
    (tmp_path / "log").mkdir()
    done = ros2_launch(
        "recycling.launch.py",
        "scenario:=S-6",
        "seed:=1",
        "namespace:=site",
        "exit_at_end:=true",
        ROS_DOMAIN_ID=str(100 + os.getpid() % 100),
        ROS_LOG_DIR=str(tmp_path / "log"),
    )
    assert "mission completed: 6 delivered in 63 steps" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
    assert "process has died" not in done.stderr


def test_a_value_that_is_refused_starts_nothing():
    done = ros2_launch("recycling.launch.py", "seed:=-1")
    assert done.returncode != 0
    assert "seed must be >= 0" in done.stdout + done.stderr
    assert "process started" not in done.stdout + done.stderr
