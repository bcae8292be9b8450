"""``adm mission`` from the outside: output, files, exit codes."""

import json
import sqlite3

import pytest
from adm_core.commands import mission as command
from adm_core.memory.audit import AuditLog
from adm_core.planning import executor
from data import maps

from adm_core import cli

KEYS = {
    "scenario",
    "method",
    "seed",
    "containers",
    "delivered",
    "steps",
    "planner_calls",
    "context_units",
    "replans",
    "wall_s",
    "ros",
    "decision_sha256",
    "processes",
}


@pytest.fixture
def adm(monkeypatch, capfd):
    """Return a function that runs ``adm mission`` and returns exit code, output and errors."""
    monkeypatch.setattr(cli, "load_commands", lambda: {"mission": command})

    def run(*arguments):
        code = cli.main(["mission", *map(str, arguments)])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


def test_json_is_one_object_with_the_documented_keys(adm):
    code, out, err = adm("--scenario", "DN-14", "--seed", 0, "--json")
    summary = json.loads(out)
    assert (code, err) == (0, "")
    assert summary.keys() >= KEYS
    assert (summary["scenario"], summary["method"], summary["seed"]) == ("DN-14", "attention", 0)
    assert (summary["containers"], summary["delivered"], summary["ros"]) == (14, 14, False)
    assert summary["replans"][0].keys() == {"step", "reason", "entity", "field"}


def test_people_get_events_and_a_summary(adm):
    code, out, _ = adm("--scenario", "S-6")
    assert code == 0
    assert "delivered 6/6" in out
    assert "mission S-6 (method attention, seed 0) complete" in out


def test_an_incomplete_mission_exits_with_one(adm):
    code, out, _ = adm("--method", "none", "--json")
    assert code == 1
    assert json.loads(out)["delivered"] < 14


def test_save_writes_summary_audit_log_and_picture_once(adm, tmp_path):
    folder = tmp_path / "run"
    assert adm("--scenario", "S-6", "--save", folder)[0] == 0
    assert {item.name for item in folder.iterdir()} >= {
        "summary.json",
        "audit.sqlite",
        "mission.png",
    }
    code, _, err = adm("--scenario", "S-6", "--save", folder)
    assert code == 2
    assert "already holds a run" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scenario", "S-7"), "scenario must be one of S-6, D-10, DN-14, got 'S-7'"),
        (("--seed", "-1"), "seed must be >= 0, got -1"),
        (("--map", "nowhere.yaml"), "nowhere.yaml"),
        (("--map", "/"), "/"),
        (("--containers", "0"), "containers must be >= 1, got 0"),
        (("--step-m", "nan"), "step_m must be finite, got nan"),
        (("--save", "/dev/null/run"), "cannot be made"),
    ],
)
def test_bad_input_is_one_clear_line(adm, arguments, message):
    code, out, err = adm(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_map_without_room_for_the_robot_is_refused(adm):
    tight = next(path for path in maps() if path.stem == "tb3_sandbox")
    code, _, err = adm("--map", tight, "--robot-radius-m", "30")
    assert code == 2
    assert "no free cell of the map leaves room for the robot" in err


def test_an_interrupted_mission_leaves_a_readable_log(adm, tmp_path, monkeypatch):
    snapshot, calls = executor.Executor._snapshot, []

    def interrupting(self, activity):
        calls.append(activity)
        if len(calls) == 30:
            raise KeyboardInterrupt
        return snapshot(self, activity)

    monkeypatch.setattr(executor.Executor, "_snapshot", interrupting)
    code, _, err = adm("--save", tmp_path / "run")
    assert (code, err) == (130, "adm: interrupted\n")
    with sqlite3.connect(tmp_path / "run" / "audit.sqlite") as db:
        assert db.execute("SELECT count(*) FROM pose").fetchone()[0] >= 28
    monkeypatch.setattr(executor.Executor, "_snapshot", snapshot)
    code, out, _ = adm("--resume", tmp_path / "run", "--json")
    whole = json.loads(adm("--json")[1])
    assert code == 0
    assert json.loads(out)["decision_sha256"] == whole["decision_sha256"]


def test_resuming_what_is_no_run_is_refused(adm, tmp_path):
    code, _, err = adm("--resume", tmp_path)
    assert code == 2
    assert "holds no run" in err


@pytest.mark.parametrize("facts", [{}, {"mission": {"scenario": "S-6"}, "ros": True}])
def test_a_log_of_another_kind_is_not_resumed_but_left_alone(adm, tmp_path, facts):
    with AuditLog(tmp_path / "audit.sqlite") as audit:
        audit.run(facts)
    code, _, err = adm("--resume", tmp_path)
    assert code == 2
    assert "holds no run of 'adm mission'" in err
    with sqlite3.connect(tmp_path / "audit.sqlite") as db:
        assert db.execute("SELECT count(*) FROM pose").fetchone() == (0,)


@pytest.mark.parametrize(
    "mistake",
    [
        ("--map", "nosuch.yaml"),
        ("--scenario", "NOPE"),
        ("--approve", "pick"),
        ("--seed", "-1"),
        ("--planner", "replay"),
        ("--png", "x.png"),
    ],
)
def test_a_refused_mission_does_not_use_its_folder_up(adm, tmp_path, mistake):
    folder = tmp_path / "runs" / "r1"
    assert adm("--save", folder, *mistake)[0] == 2
    assert not (tmp_path / "runs").exists()
    assert adm("--scenario", "S-6", "--save", folder)[0] == 0


def test_what_else_a_folder_holds_outlives_a_refused_mission(adm, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    assert adm("--save", tmp_path, "--scenario", "NOPE")[0] == 2
    assert [item.name for item in tmp_path.iterdir()] == ["notes.txt"]


def test_a_log_that_could_not_be_opened_leaves_no_folder(adm, tmp_path, monkeypatch):
    def full(path, **_):
        path.touch()
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr("adm_core.memory.audit.sqlite3.connect", full)
        assert adm("--scenario", "S-6", "--save", tmp_path / "r1")[0] == 2
    assert not (tmp_path / "r1").exists()


def test_a_resumed_run_keeps_its_own_parameters(adm, tmp_path):
    adm("--scenario", "S-6", "--save", tmp_path / "run")
    code, _, err = adm("--resume", tmp_path / "run", "--seed", "4")
    assert code == 2
    assert "give no others" in err


@pytest.mark.parametrize("pace", ["nan", "-1", "inf", "slow"])
def test_a_pace_is_a_duration(adm, pace):
    with pytest.raises(SystemExit) as stopped:
        adm("--pace", pace)
    assert stopped.value.code == 2


def test_as_many_containers_as_cells_can_be_told_apart_and_delivered(adm, tmp_path):
    (tmp_path / "m.pgm").write_bytes(b"P5 3 3 255 " + bytes([254] * 9))
    keys = (
        "resolution: 1.0\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196"
    )
    (tmp_path / "m.yaml").write_text(f"image: m.pgm\n{keys}\n")
    code, out, _ = adm(
        "--map", tmp_path / "m.yaml", "--containers", 7, "--robot-radius-m", 0, "--json"
    )
    assert code == 0
    assert json.loads(out)["delivered"] == 7
