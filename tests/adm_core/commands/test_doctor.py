"""``adm doctor``: its JSON, its exit code, and what it says when a piece is missing or crashes."""

import json
import os
import subprocess
import sys
from importlib import metadata

import pytest
from adm_core.commands import doctor, doctor_pieces, doctor_probes
from adm_core.commands.doctor_probes import BROKEN, LOW, MISSING, OK, Result

from adm_core import cli

FIELDS = {"name", "status", "required", "detail", "enables", "remedy"}
SECRET = "sk-never-shown"


@pytest.fixture
def adm(monkeypatch, capfd):
    """Return a function that runs ``adm doctor`` and returns exit code and output."""
    monkeypatch.setattr(cli, "load_commands", lambda: {"doctor": doctor})

    def run(*arguments):
        code = cli.main(["doctor", *arguments])
        return code, capfd.readouterr().out

    return run


@pytest.fixture
def pieces(monkeypatch):
    """Return a function that makes the doctor look at these results instead."""

    def replace(**results):
        made = [
            doctor_pieces.Piece(name, lambda r=result: r, "flying", "buy one", name == "core")
            for name, result in results.items()
        ]
        monkeypatch.setattr(doctor_pieces, "PIECES", tuple(made))

    return replace


def test_json_describes_every_piece_of_this_installation(adm, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    code, out = adm("--json")
    assert SECRET not in out
    report = json.loads(out)
    by_name = {piece["name"]: piece for piece in report["pieces"]}
    assert set(report) == {"version", "healthy", "pieces"}
    assert all(set(piece) == FIELDS for piece in report["pieces"])
    assert all(piece["status"] in (OK, MISSING, BROKEN, LOW) for piece in report["pieces"])
    assert (code, report["healthy"]) == (0, True)
    assert "frontier" in by_name["kernels"]["detail"]
    assert by_name["numpy"]["detail"] == metadata.version("numpy")


def test_names_are_unique_and_cover_what_users_ask_about():
    names = [piece.name for piece in doctor_pieces.PIECES]
    asked = {"ros2", "compiler", "nav2", "ros1", "pybullet", "realsense", "tello", "llm_endpoint"}
    assert len(names) == len(set(names))
    assert asked <= set(names)


def test_a_missing_option_is_explained_and_no_failure(adm, pieces):
    pieces(core=Result(OK, "1.0"), wings=Result(MISSING, "not installed"))
    code, out = adm()
    assert code == 0
    assert "missing  wings" in out
    assert "for: flying" in out
    assert "get: buy one" in out
    assert out.endswith("the core works\n")


@pytest.mark.parametrize("status", [MISSING, BROKEN])
def test_a_required_piece_that_does_not_work_is_a_failure(adm, pieces, status):
    pieces(core=Result(status, "gone"), wings=Result(OK, "2"))
    code, out = adm()
    assert code == 1
    assert out.endswith("the core does not work: core\n")
    assert json.loads(adm("--json")[1])["healthy"] is False


def test_a_module_that_is_not_there_is_missing():
    assert doctor_probes.package("no_such_module_here")() == Result(MISSING, "not installed")
    several = doctor_probes.packages("json", "no_such_module_here")()
    assert several == Result(MISSING, "not installed: no_such_module_here")


@pytest.mark.parametrize(
    ("source", "detail"),
    [
        ("raise ImportError('no libusb')", "ImportError: no libusb"),
        ("import os; os.abort()", "ends the interpreter with signal 6"),
        ("import sys; sys.exit(3)", "exit code 3"),
    ],
)
def test_a_module_that_fails_or_crashes_is_broken(tmp_path, monkeypatch, source, detail):
    (tmp_path / "shaky_module.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    assert doctor_probes.package("shaky_module")() == Result(BROKEN, detail)


def test_a_module_that_never_ends_its_import_is_broken(monkeypatch):
    monkeypatch.setattr(doctor_probes, "IMPORT_TIMEOUT_S", 0.2)
    assert doctor_probes.run_python("while True: pass").status == BROKEN


def test_a_numpy_that_crashes_is_reported_by_the_whole_command(tmp_path):
    (tmp_path / "numpy.py").write_text("import os; os.abort()")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    call = "from adm_core import cli; from adm_core.commands import doctor; "
    call += "cli.load_commands = lambda: {'doctor': doctor}; exit(cli.main(['doctor', '--json']))"
    done = subprocess.run(
        [sys.executable, "-c", call], env=env, capture_output=True, text=True, check=False
    )
    report = json.loads(done.stdout)
    numpy = next(piece for piece in report["pieces"] if piece["name"] == "numpy")
    assert done.returncode == 1
    assert numpy["status"] == BROKEN


@pytest.mark.parametrize(
    ("url", "detail"),
    [
        (None, "OPENAI_API_KEY set, the SDK's own endpoint"),
        ("http://localhost:8080/v1", "OPENAI_API_KEY set, endpoint localhost:8080"),
        (f"https://user:{SECRET}@llm.example/v1", "OPENAI_API_KEY set, endpoint llm.example"),
        ("localhost", "OPENAI_API_KEY set, OPENAI_BASE_URL names no host"),
        (f"http://[{SECRET}", "OPENAI_API_KEY set, OPENAI_BASE_URL names no host"),
    ],
)
def test_the_endpoint_is_told_without_any_secret(monkeypatch, url, detail):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    if url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
    assert doctor_probes.llm_endpoint().detail == detail
    assert SECRET not in detail


def test_without_key_and_address_the_endpoint_is_missing(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert doctor_probes.llm_endpoint().status == MISSING


def test_two_builds_of_opencv_are_a_fault(monkeypatch):
    monkeypatch.setattr(
        doctor_probes, "version_of", lambda name: "5.0" if name.startswith("opencv-python") else ""
    )
    assert doctor_probes.opencv() == Result(
        BROKEN, "several builds in one environment: opencv-python, opencv-python-headless"
    )


def test_a_sourced_distribution_of_another_python_is_a_fault(monkeypatch):
    monkeypatch.setenv("ROS_DISTRO", "humble")
    monkeypatch.setattr(doctor_probes, "found", lambda module: False)
    assert doctor_probes.ros2().status == BROKEN
    monkeypatch.delenv("ROS_DISTRO")
    assert doctor_probes.ros2().status == MISSING


@pytest.mark.parametrize(
    ("settings", "reach"),
    [
        ({}, "local network"),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}, "this machine only"),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"}, "OFF"),
        ({"ROS_LOCALHOST_ONLY": "1"}, "this machine only"),
    ],
)
def test_discovery_is_named_as_the_middleware_will_read_it(monkeypatch, settings, reach):
    for name in ("ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert doctor_probes.discovery() == reach


def test_the_bridge_is_found_where_the_variable_or_a_prefix_says(tmp_path, monkeypatch):
    bridge = tmp_path / "lib/ros1_bridge/parameter_bridge"
    bridge.parent.mkdir(parents=True)
    bridge.touch(mode=0o755)
    monkeypatch.setenv("AMENT_PREFIX_PATH", "")
    monkeypatch.delenv("ADM_ROS1_BRIDGE", raising=False)
    assert doctor_probes.ros1_bridge().status == MISSING
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"/nowhere:{tmp_path}")
    assert doctor_probes.ros1_bridge() == Result(OK, str(bridge))
    monkeypatch.setenv("ADM_ROS1_BRIDGE", str(tmp_path / "nothing"))
    assert doctor_probes.ros1_bridge().status == BROKEN


def test_little_disk_space_is_low_not_missing():
    assert doctor_probes.disk(least_gb=0.0).status == OK
    assert doctor_probes.disk(least_gb=1e9).status == LOW
