"""scripts/setup: nothing twice, no damage, and a clear word where it cannot go on."""

import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
TOOLS = (
    *(
        "bash",
        "sh",
        "env",
        "dirname",
        "basename",
        "readlink",
        "cat",
        "sed",
        "tail",
        "grep",
        "paste",
    ),
    *(
        "tr",
        "id",
        "uname",
        "mkdir",
        "touch",
        "flock",
        "find",
        "sort",
        "xargs",
        "sha256sum",
        "make",
        "gcc",
    ),
)
OPEN = os.environ.get("VIRTUAL_ENV") == str(ROOT / ".venv")


@pytest.fixture
def compiled():
    """Python files as a first use compiles them, one named like a build file."""
    path = ROOT / "src/adm_core/src/adm_core/missions/__pycache__/setup.cpython-0.pyc"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"")
    yield
    path.unlink()


@pytest.mark.skipif(not OPEN, reason="the workspace is not open: run 'make test'")
def test_second_run_does_no_work(sandbox, compiled):
    identity = ROOT / ".venv/adm-identity"
    before = identity.stat().st_mtime_ns, (ROOT / "install/setup.sh").stat().st_mtime_ns
    done = sandbox.run(str(ROOT / "scripts/setup"), **os.environ)
    assert done.returncode == 0, done.stdout
    assert "nothing to do" in done.stdout, (ROOT / "log/setup.log").read_text()
    assert "..." not in done.stdout, "a step was made"
    assert before == (
        identity.stat().st_mtime_ns,
        (ROOT / "install/setup.sh").stat().st_mtime_ns,
    )


def test_a_missing_compiler_that_may_not_be_installed_ends_in_one_command(sandbox):
    sandbox.only(*TOOLS)
    sandbox.command("apt-get", "exit 9")
    sandbox.command("apt-cache", "exit 1")
    sandbox.command("sudo", "exit 1")
    (sandbox.commands / "id").unlink()
    sandbox.command("id", "echo 1000")
    done = sandbox.setup(PYTHON=PYTHON)
    commands = [line for line in done.stdout.splitlines() if "sudo apt-get install" in line]
    assert done.returncode == 1
    assert len(commands) == 1
    assert "g++" in commands[0].split()
    assert "make" not in commands[0].split(), "is there"
    assert not (sandbox.root / ".venv").exists()


def test_root_installs_what_is_missing_and_a_failure_shows_the_log(sandbox):
    sandbox.only(*TOOLS)
    (sandbox.commands / "id").unlink()
    sandbox.command("id", "echo 0")
    sandbox.command("apt-cache", "exit 1")
    sandbox.command("apt-get", 'echo "apt: $*"; [ "$1" = update ]')
    done = sandbox.setup(PYTHON=PYTHON)
    assert done.returncode == 1
    assert "system packages: " in done.stdout
    assert "| apt: install -y --no-install-recommends" in done.stdout
    assert str(sandbox.root / "log/setup.log") in done.stdout


def test_without_apt_the_packages_are_named(sandbox):
    sandbox.only(*TOOLS)
    done = sandbox.setup(PYTHON=PYTHON)
    assert done.returncode == 1
    assert "install what Debian calls: " in done.stdout


def test_a_python_that_does_not_fit_is_not_used(sandbox):
    sandbox.only(*TOOLS)
    sandbox.command("old-python", "echo /usr/bin/old-python; exit 1")
    done = sandbox.setup(PYTHON="old-python /no/such/python")
    assert done.returncode == 1
    assert "python3-venv" in done.stdout


def test_an_environment_of_somebody_else_is_left_alone(sandbox):
    treasure = sandbox.root / ".venv/treasure"
    treasure.parent.mkdir()
    treasure.touch()
    done = sandbox.setup(PYTHON=PYTHON)
    assert done.returncode == 1
    assert "was not made by this script" in done.stdout
    assert treasure.exists()


def test_a_moved_checkout_is_built_anew_and_a_failed_download_is_told(sandbox):
    old = sandbox.root / ".venv/old"
    old.parent.mkdir()
    old.touch()
    (old.parent / "adm-identity").write_text("/elsewhere | wheels | /usr/bin/python3 3.11.2\n")
    done = sandbox.setup(PYTHON=PYTHON)
    assert "building it anew" in done.stdout
    assert not old.exists()
    assert done.returncode == 1
    assert "  | ERROR: " in done.stdout, "the last lines of the log"
    assert str(sandbox.root / "log/setup.log") in done.stdout
    assert not (sandbox.root / ".venv/adm-requirements").exists(), "or the next run would skip it"


def test_a_sourced_distribution_is_used_and_keeps_its_own_numpy(sandbox, tmp_path):
    distribution = tmp_path / "ros"
    (distribution / "rclpy").mkdir(parents=True)
    (distribution / "rclpy/__init__.py").touch()
    numpy = distribution / "numpy-1.26.4.dist-info"
    numpy.mkdir()
    (numpy / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 1.26.4\n")
    sandbox.command("python3", f'exec {PYTHON} "$@"')
    done = sandbox.setup(ROS_DISTRO="jazzy", PYTHONPATH=str(distribution))
    assert "setup: ROS 2 jazzy" in done.stdout
    assert done.returncode == 1, "pip cannot download anything here"
    settings = (sandbox.root / ".venv/pyvenv.cfg").read_text()
    assert "include-system-site-packages = true" in settings
    pins = (sandbox.root / ".venv/adm-pins").read_text().split()
    assert "numpy==1.26.4" in pins
    assert not [pin for pin in pins if pin.startswith(("scipy==", "opencv-python=="))]


def test_without_rclpy_the_name_of_a_distribution_is_not_enough(sandbox):
    sandbox.command("python3", f'exec {PYTHON} "$@"')
    (sandbox.root / ".venv").mkdir()  # ends it behind the line that counts
    assert "setup: ROS 2 wheels" in sandbox.setup(ROS_DISTRO="jazzy").stdout


def test_a_path_with_a_blank_is_refused_at_once(sandbox, tmp_path):
    spaced = tmp_path / "my robot"
    shutil.move(sandbox.root, spaced)
    sandbox.root = spaced
    done = sandbox.setup()
    assert done.returncode == 1
    assert "no colon or blank in its path" in done.stdout
