"""`adm graph`: the graph of any map, and the text that a model would get."""

import json

import cv2
import numpy as np
import pytest
from adm_core.commands import graph as command
from adm_core.grid.labels import LabelGrid
from adm_core.grid.map_io import load_map, save_map
from adm_core.search.assignment_schema import INSTRUCTIONS
from adm_core.types import GridMap
from floorplans import GDC_3NE, PLANS

from adm_core import cli


@pytest.fixture(autouse=True)
def only_this_command(monkeypatch):
    """Run without an installed package."""
    monkeypatch.setattr(cli, "load_commands", lambda: {"graph": command})


def graph(capsys, *args, code=0):
    assert cli.main(["graph", *map(str, args)]) == code
    shown = capsys.readouterr()
    return shown.err if code else shown.out


def as_json(capsys, *args):
    return json.loads(graph(capsys, *args, "--json"))


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_every_plan_has_a_graph_and_a_query_under_its_limit(capsys, path):
    report = as_json(capsys, path, "--explored", 0.5, "--robots", 3)
    assert report["nodes"] and report["frontier_cells"] > 0
    assert report["query"]["tokens"] <= 500
    told = json.loads(report["query"]["text"])
    assert (
        len(told["robots"]) == 3 and [row[0] for row in told["rooms"]] == report["query"]["rooms"]
    )
    assert report["query"]["instructions"] == INSTRUCTIONS
    ids = {node["room_id"] for node in report["nodes"]}
    for node in report["nodes"]:
        assert set(node["neighbours"]) <= ids - {node["room_id"]}
        assert node["clusters"]


def test_the_text_report_ends_with_the_exact_query(capsys):
    args = (GDC_3NE, "--explored", 0.6, "--robots", 3, "--task", "find the printer in the lab")
    report, text = as_json(capsys, *args), graph(capsys, *args)
    assert text.rstrip().endswith(report["query"]["text"])
    assert INSTRUCTIONS in text
    assert report["task"]["object"] == "printer" and report["task"]["room_type"] == "lab"
    for node in report["nodes"]:
        assert any(
            line.split()[:2] == [str(node["room_id"]), node["type"]] for line in text.splitlines()
        )


def test_equal_seeds_show_equal_graphs(capsys):
    first, again, other = (
        as_json(capsys, GDC_3NE, "--explored", 0.4, "--seed", seed) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_a_complete_map_says_why_it_has_no_frontier(capsys, tmp_path):
    """A complete map has no frontier; the values of its cells are told."""
    data = np.full((8, 8), 100, np.int8)
    data[1:7, 1:7] = 0
    path = save_map(GridMap(data, 0.25), tmp_path / "box.yaml")
    text = graph(capsys, path)
    assert "no frontier" in text and "0: 36, 100: 28" in text and "--explored 0.5" in text


def test_grey_maps_have_frontiers_with_their_thresholds(capsys, tmp_path):
    data = np.full((8, 8), -1, np.int8)
    data[1:7, 1:7] = 30
    path = save_map(GridMap(data, 0.25), tmp_path / "grey.yaml")
    message = graph(capsys, path, code=2)
    assert "need as many free cells" in message
    assert as_json(capsys, path, "--free-max", 40)["frontier_cells"] == 20


def test_a_label_image_can_be_named(capsys, tmp_path):
    grid_map = GridMap(np.zeros((8, 8), np.int8), 0.25)
    path = save_map(grid_map, tmp_path / "plain.yaml")
    labels = LabelGrid(np.full((8, 8), 3, np.uint8), {3: "pantry"})
    other = save_map(grid_map, tmp_path / "labelled.yaml", labels)
    args = (path, "--explored", 0.5)
    assert {node["type"] for node in as_json(capsys, *args)["nodes"]} == {"unknown"}
    named = as_json(capsys, *args, "--rooms", other.with_name("labelled.labels.yaml"))
    assert {node["type"] for node in named["nodes"]} == {"pantry"}


def test_the_picture_shows_frontiers_and_nodes(capsys, tmp_path):
    out = tmp_path / "graph.png"
    graph(capsys, PLANS[2], "--explored", 0.5, "--png", out)
    image = cv2.imread(str(out))
    for colour in ((72, 72, 226), (110, 74, 40), (60, 140, 40), (150, 120, 92)):
        assert (image == colour).all(axis=2).sum() > 50
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert "cannot be written" in graph(
        capsys, PLANS[2], "--explored", 0.5, "--png", blocked / "a.png", code=2
    )


def test_cells_may_be_kept_as_they_are(capsys):
    report = as_json(capsys, PLANS[3], "--cell", 0, "--explored", 0.3)
    assert report["resolution_m"] == 0.05


@pytest.mark.parametrize(
    "args, message",
    [
        (["--explored", "1.5"], "--explored must be between 0 and 1"),
        (["--robots", "0"], "--robots must be between 1 and 64"),
        (["--seed", "-1"], "--seed must be >= 0"),
        (["--cell", "-1"], "--cell must be between 0 and 10 m"),
        (["--free-max", "70"], "--free-max and --occupied-min"),
        (["--min-size", "0"], "min_size must be >= 1"),
    ],
)
def test_bad_arguments_are_refused(capsys, args, message):
    assert message in graph(capsys, PLANS[3], *args, code=2)


def test_frontiers_are_clustered_as_told(capsys):
    args = (GDC_3NE, "--explored", 0.5)
    few, many = (as_json(capsys, *args, "--c-max", depth)["nodes"] for depth in (30, 2))
    assert sum(len(n["clusters"]) for n in few) < sum(len(n["clusters"]) for n in many)


def test_a_missing_map_is_refused(capsys):
    assert "no such file" in graph(capsys, "none.yaml", code=2)


def test_maps_are_left_as_they_are(capsys):
    before = load_map(GDC_3NE).map_id
    graph(capsys, GDC_3NE, "--explored", 0.5)
    assert load_map(GDC_3NE).map_id == before
