"""``adm mission --world arena`` from the outside: output, files, refusals."""

import json
import os

import cv2
import pytest
from adm_core.commands import mission as command
from adm_core.commands.arena import chatter_apart

from adm_core import cli


@pytest.fixture
def adm(monkeypatch, capfd):
    """Return a function that runs ``adm mission`` and returns exit code, output and errors."""
    monkeypatch.setattr(cli, "load_commands", lambda: {"mission": command})

    def run(*arguments):
        code = cli.main(["mission", *map(str, arguments)])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


SHORT = ("--world", "arena", "--seed", "1", "--containers", "1", "--json")


def test_a_mission_in_the_arena_leaves_summary_picture_and_log_and_can_be_repeated(adm, tmp_path):
    pytest.importorskip("pybullet", reason="PyBullet is not installed (extra: rigid)")
    png, folder = tmp_path / "end.png", tmp_path / "run"
    code, out, _ = adm(*SHORT, "--png", png, "--save", folder)
    summary = json.loads(out)
    assert (code, summary["delivered"], summary["scenario"]) == (0, 1, "arena")
    assert cv2.imread(str(png)).shape == (480, 640, 3)
    assert (folder / "mission.png").exists()
    code, out, err = adm("--resume", folder, "--json")
    assert json.loads(out)["decision_sha256"] == summary["decision_sha256"], err


@pytest.mark.parametrize(
    "arguments, told",
    [
        (("--camera", "160x120@5"), "camera is an option of --world arena"),
        (("--png", "x.png"), "png is an option of --world arena"),
        (("--world", "arena", "--map", "x.yaml"), "--map is no option of --world arena"),
        (("--world", "arena", "--camera", "fine"), "camera must be like"),
        (("--world", "arena", "--camera", "160x120@31"), "camera must be 32x24 to 1920x1080"),
        (("--world", "arena", "--profile", "robust"), "robust has no scenario 'arena'"),
        (("--world", "arena", "--containers", "0"), "containers must be >= 1"),
        (("--world", "arena", "--scenario", "S-6"), "scenario is not used with --world arena"),
        (("--world", "arena", "--view-m", "2"), "view_m: not used with --world arena"),
        (("--world", "arena", "--observe-below", "0.2"), "observe_below: not used with"),
        (("--world", "arena", "--png", "nowhere/end.png"), "cannot be written"),
        (("--world", "arena", "--mp4", "nowhere/film.mp4"), "cannot be written"),
        (("--world", "arena", "--png", "end.jpg"), "--png must end in .png"),
    ],
)
def test_options_without_sense_are_refused_in_one_line(adm, arguments, told):
    code, _, err = adm(*arguments)
    assert code == 2
    assert told in err


def test_the_pictures_of_the_arena_are_refused_for_other_runs_that_are_resumed(adm, tmp_path):
    assert adm("--scenario", "S-6", "--json", "--save", tmp_path / "run")[0] in (0, 1)
    code, _, err = adm("--resume", tmp_path / "run", "--png", tmp_path / "end.png")
    assert code == 2
    assert "png is an option of --world arena" in err


def test_what_others_print_beside_us_stays_out_of_our_output(capfd):
    with chatter_apart():
        os.write(1, b"ven = somebody\n")
        print("ours")
    print("after")
    out, err = capfd.readouterr()
    assert (out, err) == ("ours\nafter\n", "ven = somebody\n")
