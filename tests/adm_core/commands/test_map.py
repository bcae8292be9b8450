"""``adm map`` from the outside: output, exit codes, one-line errors."""

import json
import os
from pathlib import Path

import cv2
import pytest
from adm_core.commands import map as command

from adm_core import cli

DATA = Path(os.environ.get("ADM_TEST_DATA", Path(__file__).parents[4] / "shared/data"))
MAPS = sorted(DATA.glob("maps/*/*.yaml"))
KEYS = """image: {image}
resolution: 0.05
origin: [0, 0, 0]
negate: 0
occupied_thresh: 0.65
free_thresh: 0.196
"""


@pytest.fixture
def adm(monkeypatch, capfd):
    """Return a function that runs ``adm map`` and returns exit code, output and errors."""
    monkeypatch.setattr(cli, "load_commands", lambda: {"map": command})

    def run(*arguments):
        code = cli.main(["map", *map(str, arguments)])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.mark.parametrize("path", MAPS, ids=lambda path: path.stem)
def test_every_real_map_is_described(adm, path):
    code, out, err = adm(path, "--json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert sum(report["cells"].values()) == report["rows"] * report["cols"]
    assert sum(report["shares"].values()) == pytest.approx(1, abs=1e-5)
    assert 0 < report["region"]["cells"] <= report["components"]["largest_cells"]


def test_the_205_trap_is_told_for_the_depot_and_not_for_others(adm):
    _, out, _ = adm(DATA / "maps/nav2_bringup_sim/depot.yaml")
    assert "grey 205" in out and "free_thresh 0.25" in out
    _, out, _ = adm(DATA / "maps/uos_tools/avz5floor_open.yaml")
    assert "grey 205" not in out
    assert "897 x 481 cells of 0.05 m = 44.85 x 24.05 m" in out


def test_json_has_the_size_and_the_region(adm):
    _, out, _ = adm(DATA / "maps/uos_tools/avz5floor_open.yaml", "--json", "--radius", "0.2")
    report = json.loads(out)
    assert (report["rows"], report["cols"], report["resolution_m"]) == (481, 897, 0.05)
    assert report["region"] == {"radius_m": 0.2, "cells": 95023, "area_m2": 237.5575}


def test_a_larger_robot_has_less_room(adm):
    path = DATA / "maps/uos_tools/avz5floor_open.yaml"
    regions = [
        json.loads(adm(path, "--json", "--radius", radius)[1])["region"]["cells"]
        for radius in (0, 0.2, 0.5)
    ]
    assert regions[0] > regions[1] > regions[2] > 0


def test_the_picture_is_written(adm, tmp_path):
    out = tmp_path / "new" / "map.png"
    code, _, _ = adm(MAPS[0], "--png", out)
    assert code == 0
    assert 1000 <= max(cv2.imread(str(out)).shape) <= 1700


GOOD = KEYS.format(image="m.pgm")
PGM = b"P5\n2 2\n255\n\0\0\0\0"
#: Files of a map, and the part of the message that names the broken rule.
BAD_MAPS = {
    "no yaml": ({}, "no such map file"),
    "no image": ({"m.yaml": GOOD}, "no such image file"),
    "cut image": ({"m.yaml": GOOD, "m.pgm": PGM[:-1]}, "truncated image"),
    "zero size": ({"m.yaml": GOOD, "m.pgm": b"P5\n0 0\n255\n"}, "zero-size"),
    "nan origin": ({"m.yaml": GOOD.replace("[0,", "[.nan,"), "m.pgm": PGM}, "origin must be"),
    "infinite": ({"m.yaml": GOOD.replace("0.05", ".inf"), "m.pgm": PGM}, "resolution must be"),
    "no size": ({"m.yaml": GOOD.replace("0.05", "0"), "m.pgm": PGM}, "resolution must be"),
    "no number": ({"m.yaml": GOOD.replace("0.05", "fine"), "m.pgm": PGM}, "resolution must be"),
    "no negate": ({"m.yaml": GOOD.replace("negate: 0\n", ""), "m.pgm": PGM}, "missing key negate"),
    "swapped": ({"m.yaml": GOOD.replace("0.196", "0.7"), "m.pgm": PGM}, "free_thresh must be"),
    "no picture": ({"m.yaml": GOOD, "m.pgm": b"hello, world"}, "not an image"),
    "empty": ({"m.yaml": GOOD, "m.pgm": b""}, "empty image file"),
    "binary yaml": ({"m.yaml": PGM}, "m.yaml: not a YAML text file"),
    "huge": ({"m.yaml": GOOD, "m.pgm": b"P5\n60000 60000\n255\n\0"}, "more than"),
    "cut png": ({"m.yaml": GOOD, "m.pgm": b"\x89PNG\r\n\x1a\n\0\0"}, "truncated PNG"),
}


@pytest.mark.parametrize("files, message", BAD_MAPS.values(), ids=BAD_MAPS)
def test_a_bad_map_is_one_line_and_exit_code_2(adm, tmp_path, files, message):
    for name, content in files.items():
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    code, out, err = adm(tmp_path / "m.yaml")
    assert (code, out) == (2, "")
    assert err.startswith("adm: ") and err.endswith("\n") and err.count("\n") == 1
    assert str(tmp_path) in err
    assert message in err


def test_a_folder_is_one_line_and_exit_code_2(adm, tmp_path):
    code, _, err = adm(tmp_path)
    assert code == 2
    assert err == f"adm: {tmp_path}: is a directory, expected the .yaml file of a map\n"


@pytest.mark.parametrize("radius", ["-1", "nan", "inf"])
def test_a_bad_radius_is_one_line_and_exit_code_2(adm, radius):
    code, _, err = adm(MAPS[0], f"--radius={radius}")
    assert code == 2
    assert err.startswith("adm: --radius must be") and err.count("\n") == 1


def test_a_picture_that_cannot_be_written_is_one_line(adm, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = adm(MAPS[0], "--png", tmp_path / "file" / "map.png")
    assert code == 2
    assert "cannot be written" in err and err.count("\n") == 1
