"""scripts/env.sh, sourced by each shell that this machine has."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILT = (ROOT / ".venv/adm-identity").exists() and (ROOT / "install/local_setup.sh").exists()
SHELLS = [shell for shell in ("bash", "dash", "zsh") if shutil.which(shell)]

needs_workspace = pytest.mark.skipif(not BUILT, reason="nothing is built: run 'make setup'")


def run(shell, script, **env):
    """Run a script in the root of the repository, with an environment that knows nothing of it."""
    clean = {"HOME": os.environ.get("HOME", "/"), "PATH": "/usr/local/bin:/usr/bin:/bin", **env}
    command = [shutil.which(shell), "-c", script]
    return subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True, check=False)


@needs_workspace
@pytest.mark.parametrize("shell", SHELLS)
def test_everything_imports_and_adm_runs(shell):
    code = "import rclpy, adm_interfaces.msg, adm_nodes, adm_core; print(adm_core.__version__)"
    done = run(shell, f'. scripts/env.sh && cd / && python -c "{code}" && adm --version')
    assert done.returncode == 0, done.stderr
    version, adm = done.stdout.splitlines()
    assert adm.startswith(f"adm {version} (compiled kernels: ")
    assert done.stderr == ""


@needs_workspace
def test_bash_finds_the_workspace_from_any_folder():
    done = run("bash", f"cd / && . {ROOT}/scripts/env.sh && command -v adm")
    assert Path(done.stdout.strip()).is_relative_to(ROOT)


@needs_workspace
@pytest.mark.parametrize("shell", SHELLS)
def test_twice_is_once_and_strict_callers_survive(shell):
    done = run(
        shell,
        "set -eu; . scripts/env.sh; a=$PATH$LD_LIBRARY_PATH; . scripts/env.sh; "
        'echo "$-"; [ "$a" = "$PATH$LD_LIBRARY_PATH" ] && echo same',
    )
    options, same = done.stdout.splitlines()
    assert {"e", "u"} <= set(options)
    assert same == "same"


@needs_workspace
@pytest.mark.parametrize(
    ("chosen", "reach"),
    [
        ({}, "LOCALHOST"),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}, "SUBNET"),
        ({"ROS_LOCALHOST_ONLY": "0"}, ""),
        ({"ROS_STATIC_PEERS": "192.0.2.1"}, ""),
        ({"FASTRTPS_DEFAULT_PROFILES_FILE": "/profiles.xml"}, ""),
    ],
)
def test_discovery_stays_here_unless_the_user_has_chosen(chosen, reach):
    script = '. scripts/env.sh; echo "${ROS_AUTOMATIC_DISCOVERY_RANGE:-}|${ROS_DOMAIN_ID:-none}"'
    assert run("bash", script, **chosen).stdout.strip() == f"{reach}|none"
    assert run("bash", script, ROS_DOMAIN_ID="7", **chosen).stdout.strip() == f"{reach}|7"


@pytest.mark.parametrize("shell", SHELLS)
def test_an_unbuilt_workspace_says_what_to_do_and_leaves_no_trace(shell, tmp_path):
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/env.sh", tmp_path / "scripts")
    script = (
        f"cd {tmp_path}; a=$PATH; . scripts/env.sh; echo $?; [ $a = $PATH ] && set | grep ^_adm"
    )
    done = run(shell, script)
    assert done.stdout.split() == ["1"]
    assert "run 'make setup'" in done.stderr
