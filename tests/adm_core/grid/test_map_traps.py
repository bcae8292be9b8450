"""Each trap is found where it is, and nowhere else."""

import numpy as np
import pytest
from adm_core.grid.map_image import read_image
from adm_core.grid.map_io import build_map
from adm_core.grid.map_metadata import read_metadata
from adm_core.grid.map_traps import find_traps
from adm_core.grid.statistics import describe

#: A walled room of 20 x 20 cells with unknown cells outside.
ROOM = np.full((24, 24), 205, np.uint8)
ROOM[1:23, 1:23] = 0
ROOM[2:22, 2:22] = 254


@pytest.fixture
def traps_of(write_map, make_pgm):
    """Return a function from pixels and changed keys to the traps by code."""

    def find(pixels=ROOM, content=None, **changes):
        path = write_map(make_pgm(pixels.tolist()) if content is None else content, **changes)
        meta = read_metadata(path)
        image = read_image(meta.image)
        found = find_traps(meta, image, describe(build_map(meta, image)))
        return {trap.code: trap.text for trap in found}

    return find


def test_a_sound_map_has_none(traps_of):
    assert traps_of() == {}


def test_grey_205_under_the_free_threshold(traps_of):
    text = traps_of(free_thresh="0.25")["unknown-is-free"]
    assert "205" in text
    assert "p = 0.196 < free_thresh 0.25" in text
    assert "(92 cells)" in text
    clean = np.where(ROOM == 205, 0, ROOM)
    assert "none in this map" in traps_of(clean, free_thresh="0.25")["unknown-is-free"]


def test_grey_205_when_negated(traps_of):
    assert "p = 0.804 > occupied_thresh 0.65" in traps_of(negate="1")["unknown-is-occupied"]


def test_grey_205_in_colour_and_sixteen_bits(traps_of, make_png):
    rows = [[200, 205, 210, 205, 205, 205], [255] * 6]
    content = make_png((2, 2), 8, 2, rows)
    assert "(2 cells)" in traps_of(content=content, free_thresh="0.25")["unknown-is-free"]
    content = make_png((1, 2), 16, 0, [[205, 205], [255, 255]])
    assert "(1 cells)" in traps_of(content=content, free_thresh="0.25")["unknown-is-free"]


@pytest.mark.parametrize("mode", ["trinary", "scale", "raw"])
def test_transparent_pixels_are_told_with_their_meaning(traps_of, make_png, mode):
    content = make_png((2, 1), 8, 4, [[254, 255, 254, 0]])
    assert f"mode {mode} " in traps_of(content=content, mode=mode)["transparent"]


def test_negate_in_raw_mode(traps_of):
    assert "ignored in mode raw" in traps_of(mode="raw", negate="1")["negate-in-raw"]


@pytest.mark.parametrize("yaw, told", [("0", False), ("6.283185307179586", False), ("0.5", True)])
def test_a_turned_map(traps_of, yaw, told):
    assert ("yaw" in traps_of(origin=f"[0, 0, {yaw}]")) == told


@pytest.mark.parametrize(
    "grey, code",
    [(205, "all-unknown"), (0, "no-free"), (254, "no-occupied"), (254, "no-unknown")],
)
def test_maps_of_one_grey(traps_of, grey, code):
    assert code in traps_of(np.full((30, 30), grey, np.uint8))


def test_a_room_that_is_too_narrow(traps_of):
    pixels = np.where(ROOM == 254, 0, ROOM)
    pixels[2:5, 2:22] = 254
    assert "robot fits nowhere" in traps_of(pixels)["robot-does-not-fit"]


def test_many_specks(traps_of):
    pixels = np.full((40, 40), 0, np.uint8)
    pixels[::2, ::2] = 254
    assert traps_of(pixels)["specks"].startswith("400 of 400")
