"""``adm world`` from the outside: files, output, exit codes."""

import json

import cv2
import numpy as np
import pytest
import yaml
from adm_core.commands import map as map_command
from adm_core.commands import world as command
from adm_core.grid.floorplans import load_floorplan
from adm_core.grid.map_io import load_map
from adm_core.simulation.search.scenario import make_scenario

from adm_core import cli


@pytest.fixture
def adm(monkeypatch, capfd):
    """Return a function that runs ``adm`` and returns exit code, output and errors."""
    monkeypatch.setattr(cli, "load_commands", lambda: {"world": command, "map": map_command})

    def run(*arguments):
        code = cli.main([*map(str, arguments)])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


def test_files_of_map_server_and_labels_are_written(adm, tmp_path):
    code, out, err = adm("world", "--seed", 0, "--out", tmp_path)
    assert (code, err) == (0, "")
    assert out.startswith(f"{tmp_path}/office-medium-0.yaml\n")
    grid_map = load_map(tmp_path / "office-medium-0.yaml")
    legend = yaml.safe_load((tmp_path / "office-medium-0.labels.yaml").read_text())
    labels = cv2.imread(str(tmp_path / legend["image"]), cv2.IMREAD_UNCHANGED)[::-1]
    assert np.array_equal(labels > 0, grid_map.data == 0)
    assert set(np.unique(labels).tolist()) <= {0, *legend["names"]}
    assert legend["names"][1] == "corridor"


def test_what_is_written_has_no_traps(adm, tmp_path):
    for kind in ("office", "apartment"):
        adm("world", "--kind", kind, "--out", tmp_path, "--name", kind)
        _, out, _ = adm("map", tmp_path / f"{kind}.yaml", "--json")
        report = json.loads(out)
        assert report["warnings"] == []
        assert report["components"]["count"] == 1
        assert report["region"]["area_m2"] > 100


def test_equal_seeds_write_equal_bytes(adm, tmp_path):
    for folder in ("a", "b"):
        adm("world", "--seed", 7, "--kind", "apartment", "--png", "--out", tmp_path / folder)
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    suffixes = [".labels.png", ".labels.yaml", ".pgm", ".png", ".yaml"]
    assert names == [f"apartment-medium-7{suffix}" for suffix in suffixes]
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_json_describes_rooms_and_doors(adm, tmp_path):
    _, out, _ = adm("world", "--size", "18x12", "--rooms", 9, "--out", tmp_path, "--json")
    report = json.loads(out)
    assert report["map"] == f"{tmp_path}/office-18x12-0.yaml"
    assert sum(room["type"] != "corridor" for room in report["rooms"]) == 9
    assert all(0 <= index < len(report["rooms"]) for d in report["doors"] for index in d["rooms"])
    assert load_map(report["map"]).map_id == report["map_id"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--seed", "-1"], "--seed must be >= 0, got -1"),
        (["--size", "3x3"], "a building must be at least 7.25 m along both sides"),
        (["--size", "huge"], "size must be WIDTHxHEIGHT in metres"),
        (["--rooms", "999"], "rooms must be 2 to"),
        (["--resolution-m", "nan"], "resolution_m must be finite"),
    ],
)
def test_what_cannot_be_built_is_one_line_and_exit_code_2(adm, tmp_path, arguments, message):
    code, out, err = adm("world", "--out", tmp_path, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("adm: ") and message in err and err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_one_line(adm, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = adm("world", "--out", tmp_path / "file")
    assert code == 2
    assert "cannot be written" in err and err.count("\n") == 1


def test_a_world_of_the_experiments_is_its_scenario(adm, tmp_path):
    chosen = ("world", "--search", "small", "--seed", 5001, "--out", tmp_path)
    code, out, _ = adm(*chosen, "--json", "--png")
    report, scenario = json.loads(out), make_scenario("small", 5001)
    assert code == 0 and report["map_id"] == scenario.truth.map_id
    plan = load_floorplan(report["map"])
    assert np.array_equal(plan.types.data, scenario.room_type)
    assert plan.types.names == dict(scenario.names)
    assert np.array_equal(plan.grid_map.data, scenario.truth.data)
    assert report["starts"] == [list(cell) for cell in scenario.starts]
    assert report["target"] == list(scenario.targets[0])
    image = cv2.imread(report["picture"])
    for colour in ((60, 140, 40), (72, 72, 226)):  # robots and target
        assert (image == colour).all(axis=2).sum() > 50
    _, text, _ = adm(*chosen)
    assert f"room type {scenario.target_name}" in text


def test_a_survey_writes_figures_and_no_files(adm, tmp_path):
    code, out, _ = adm("world", "--search", "large", "--survey", 3, "--out", tmp_path)
    assert code == 0 and out.startswith("3 large worlds") and "ways around" in out
    _, out, _ = adm("world", "--search", "large", "--survey", 3, "--json", "--out", tmp_path)
    assert json.loads(out)["worlds"] == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["--survey", "3"], ["--search", "small", "--survey", "0"]])
def test_a_survey_needs_a_scale_and_a_number(adm, arguments):
    code, _, err = adm("world", *arguments)
    assert code == 2 and "--survey needs --search and a number >= 1" in err


def test_a_search_world_takes_no_building_options(adm):
    code, _, err = adm("world", "--search", "small", "--rooms", 9, "--kind", "office")
    assert code == 2 and "--search takes no building options, got kind, rooms" in err
