"""`adm search`: a team explores a building, or finds something in it."""

import json

import cv2
import pytest
from adm_core.commands import search as command
from floorplans import GDC_3NE, PLANS

from adm_core import cli


@pytest.fixture(autouse=True)
def only_this_command(monkeypatch):
    """Run without an installed package."""
    monkeypatch.setattr(cli, "load_commands", lambda: {"search": command})


def search(capsys, *args, code=0):
    assert cli.main(["search", *map(str, args)]) == code
    shown = capsys.readouterr()
    return shown.err if code == 2 else shown.out


def as_json(capsys, *args, code=0):
    return json.loads(search(capsys, *args, "--json", code=code))


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_every_plan_is_explored_until_nothing_reachable_is_unknown(capsys, path):
    result = as_json(capsys, "--map", path, "--robots", 3, "--task", "explore")
    assert result["success"]
    assert result["state"] in ("done", "done_except_unreachable")
    assert result["reachable_unknown_cells"] == 0
    assert result["seen_share"] == 1.0


def test_the_printer_is_found_in_a_lab(capsys, tmp_path):
    out = tmp_path / "out.png"
    result = as_json(
        capsys, "--map", GDC_3NE, "--robots", 3, "--seed", 0,
        "--task", "find the printer in the lab", "--png", out,
    )  # fmt: skip
    assert result["state"] == "found"
    assert result["task"] == {
        "text": "find the printer in the lab", "object": "printer", "room_type": "lab"
    }  # fmt: skip
    assert "printer" in result["found"]["name"]
    assert cv2.imread(str(out)) is not None


def test_a_printer_outside_a_lab_does_not_end_the_search(capsys):
    anywhere = as_json(capsys, "--map", GDC_3NE, "--seed", 1, "--task", "find the printer")
    in_lab = as_json(capsys, "--map", GDC_3NE, "--seed", 1, "--task", "find the printer in the lab")
    assert anywhere["steps"] <= in_lab["steps"] or anywhere["found"] != in_lab["found"]
    assert in_lab["found"]["room"].startswith("l3_3")


def test_a_generated_world_is_searched_and_shown(capsys, tmp_path):
    picture, film = tmp_path / "out.png", tmp_path / "out.gif"
    text = search(capsys, "--scale", "small", "--seed", 3, "--png", picture, "--gif", film)
    assert "found after" in text
    assert cv2.imread(str(picture)) is not None
    assert film.read_bytes()[:6] == b"GIF89a"


def test_the_same_arguments_print_the_same(capsys):
    args = ("--scale", "small", "--seed", 4, "--method", "aep_dvc", "--json")
    assert search(capsys, *args) == search(capsys, *args)


def test_a_search_that_ends_without_the_target_exits_with_one(capsys):
    result = as_json(capsys, "--scale", "small", "--seed", 5, "--budget", 3, code=1)
    assert (result["success"], result["state"], result["steps"]) == (False, "budget", 3)


def test_faults_and_radio_are_options(capsys):
    args = ("--scale", "medium", "--task", "explore", "--stops", 1, "--radio-cells", 25)
    assert as_json(capsys, *args)["success"]


def test_a_wide_robot_reports_what_it_cannot_get_to(capsys):
    result = as_json(capsys, "--scale", "small", "--task", "explore", "--radius-cells", 1.2)
    assert result["success"]
    if result["unreachable"]:
        assert set(result["unreachable"][0]) == {"row", "col", "x", "y"}


@pytest.mark.parametrize("silent", [False, True])
def test_a_team_that_has_stopped_is_no_success(capsys, silent):
    args = ("--scale", "large", "--seed", 4, "--stops", 4, "--silent", silent, "--task", "explore")
    result = as_json(capsys, *args, code=1)
    assert (result["state"], result["success"]) == ("stopped", False)
    assert result["reachable_unknown_cells"] > 1000
    assert result["unreachable"] == []


@pytest.mark.parametrize("silent", [False, True])
def test_a_robot_that_stopped_out_of_reach_does_not_hold_up_the_end(capsys, silent):
    result = as_json(
        capsys, "--scale", "small", "--seed", 3, "--radio-cells", 20, "--stops", 1,
        "--silent", silent, "--task", "explore", "--budget", 1500,
    )  # fmt: skip
    assert (result["state"], result["reachable_unknown_cells"]) == ("done", 0)


@pytest.mark.parametrize("stops", [0, 1, 2])
@pytest.mark.parametrize("radio", [0, 25])
@pytest.mark.parametrize("blocking", [False, True])
def test_an_exploration_succeeds_only_if_the_flood_fill_agrees(capsys, stops, radio, blocking):
    args = ("--scale", "small", "--seed", 8, "--task", "explore", "--budget", 2000, "--json")
    faults = ("--stops", stops, "--radio-cells", radio, "--blocking", blocking)
    code = cli.main(["search", *map(str, args + faults)])
    result = json.loads(capsys.readouterr().out)
    assert (code == 0) == result["success"]
    assert result["state"] != "budget"
    assert result["success"] == (result["reachable_unknown_cells"] == 0)


def test_a_sentence_says_what_to_look_for_in_a_generated_world(capsys):
    known = search(capsys, "--scale", "small", "--seed", 7, "--task", "find the bed")
    assert "saw bed_" in known and "in bedroom" in known
    drawn = search(
        capsys, "--scale", "small", "--seed", 7, "--task", "find my jacket left in my bedroom"
    )
    assert "saw jacket" in drawn
    assert "its place was drawn from a room called 'bedroom'" in drawn


@pytest.mark.parametrize("seed", range(3))
def test_starts_and_flood_fill_know_the_radius_of_the_robots(capsys, seed):
    args = ("--map", GDC_3NE, "--radius-cells", 2, "--seed", seed, "--task", "explore")
    result = as_json(capsys, *args)
    assert result["state"] == "done_except_unreachable"
    assert result["reachable_unknown_cells"] == 0
    assert result["steps"] > 20


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "give either --map FILE or --scale"),
        (("--map", "a.yaml", "--scale", "small"), "give either"),
        (("--map", "nowhere.yaml"), "no such file"),
        (("--scale", "small", "--robots", "3"), "the scale fixes the number of robots"),
        (("--scale", "small", "--seed", "-1"), "--seed must be >= 0"),
        (("--map", "a.yaml", "--robots", "65"), "--robots must be <= 64"),
        (("--map", "a.yaml", "--cell", "0"), "--cell must be > 0 m"),
        (("--scale", "small", "--t-coord", "0"), "t_coord must be >= 1"),
        (("--scale", "small", "--radius-cells", "30"), "fit nowhere"),
        (("--map", GDC_3NE, "--task", "don't explore"), "only what not to do"),
        (("--scale", "small", "--gif", "out.mp4"), "--gif must end in .gif, got out.mp4"),
        (("--scale", "small", "--png", "out"), "--png must end in .png, got out"),
    ],
)
def test_bad_options_are_refused_in_one_line(capsys, args, message):
    assert message in search(capsys, *args, code=2)
