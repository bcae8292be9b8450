"""The three modes, grey by grey and with transparency."""

from pathlib import Path

import numpy as np
import pytest
from adm_core.grid._blocks import row_blocks
from adm_core.grid.map_image import MapImage
from adm_core.grid.map_metadata import MapMetadata
from adm_core.grid.map_modes import occupancy_table, to_occupancy
from adm_core.types import Pose2D
from hypothesis import given
from hypothesis import strategies as st


def meta(**changes):
    return MapMetadata(Path("m.pgm"), 0.05, Pose2D(0, 0, 0), **changes)


@pytest.mark.parametrize(
    "changes, grey, value",
    [
        # trinary: p = (255 - v) / 255 against 0.65 and 0.196, both strict
        ({}, 0, 100),
        ({}, 89, 100),
        ({}, 90, -1),
        ({}, 205, -1),
        ({}, 206, 0),
        ({}, 254, 0),
        ({}, 255, 0),
        ({"free_thresh": 0.25}, 205, 0),
        ({"free_thresh": 0.2}, 204, -1),
        ({"occupied_thresh": 0.2}, 204, -1),
        ({"occupied_thresh": 0.2}, 203, 100),
        ({"negate": True}, 0, 0),
        ({"negate": True}, 255, 100),
        ({"negate": True}, 205, 100),
        ({"negate": True}, 128, -1),
        ({"negate": True}, 50, -1),
        ({"negate": True}, 49, 0),
        # scale: 0..100 between the thresholds
        ({"mode": "scale"}, 0, 100),
        ({"mode": "scale"}, 255, 0),
        ({"mode": "scale"}, 205, 0),
        ({"mode": "scale"}, 204, 1),
        ({"mode": "scale"}, 147, 50),
        ({"mode": "scale"}, 90, 99),
        ({"mode": "scale", "negate": True}, 147, 84),
        ({"mode": "scale", "free_thresh": 0.0, "occupied_thresh": 1.0}, 0, 100),
        ({"mode": "scale", "free_thresh": 0.0, "occupied_thresh": 1.0}, 51, 80),
        # raw: the pixel itself, negate has no say
        ({"mode": "raw"}, 0, 0),
        ({"mode": "raw"}, 42, 42),
        ({"mode": "raw"}, 100, 100),
        ({"mode": "raw"}, 101, -1),
        ({"mode": "raw"}, 255, -1),
        ({"mode": "raw", "negate": True}, 42, 42),
    ],
)
def test_grey_by_grey(changes, grey, value):
    assert occupancy_table(255, meta(**changes))[grey] == value


@given(
    st.integers(1, 70_000),
    st.floats(0, 0.99),
    st.floats(0.01, 1),
    st.booleans(),
    st.sampled_from(["trinary", "scale"]),
)
def test_occupancy_never_falls_as_pixels_darken(levels, free, gap, negate, mode):
    limits = {"free_thresh": free, "occupied_thresh": min(1.0, free + gap)}
    table = occupancy_table(levels, meta(mode=mode, negate=negate, **limits))
    known = table[table >= 0]
    steps = np.diff(known.astype(int))
    assert (steps >= 0).all() if negate else (steps <= 0).all()
    assert table.min() >= -1 and table.max() <= 100


def test_row_zero_is_the_bottom_of_the_image():
    pixels = np.array([[0, 0], [205, 205], [254, 254]], np.uint8)
    grid = to_occupancy(MapImage(pixels, 255), meta())
    assert grid.tolist() == [[0, 0], [-1, -1], [100, 100]]


def test_blocks_of_rows_make_no_difference():
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (333, 1000), dtype=np.uint8)
    assert len(list(row_blocks(pixels.shape))) > 3
    expected = occupancy_table(255, meta())[pixels[::-1]]
    assert np.array_equal(to_occupancy(MapImage(pixels, 255), meta()), expected)


def test_colour_is_averaged():
    pixels = np.array([[[0, 0, 255], [255, 255, 255], [0, 0, 0], [204, 206, 208]]], np.uint8)
    grid = to_occupancy(MapImage(pixels, 255), meta())
    assert grid.tolist() == [[100, 0, 100, 0]]  # p = 0.667, 0, 1, 0.192


def test_sixteen_bits_and_small_peaks_use_their_own_white():
    wide = np.array([[0, 52685, 65535]], np.uint16)
    assert to_occupancy(MapImage(wide, 65535), meta()).tolist() == [[100, -1, 0]]
    narrow = np.array([[0, 12, 15, 200]], np.uint8)
    assert to_occupancy(MapImage(narrow, 15), meta()).tolist() == [[100, -1, 0, 0]]
    assert to_occupancy(MapImage(wide, 65535), meta(mode="raw")).tolist() == [[0, -1, -1]]


@pytest.mark.parametrize(
    "mode, expected",
    [
        # four channels are averaged: p = 0, 0.75, 0.12, 0.87, 0.25, 1
        ("trinary", [0, 100, 0, 100, -1, 100]),
        ("scale", [0, 100, -1, -1, -1, -1]),
        ("raw", [-1, 0, -1, 0, -1, 0]),
    ],
)
def test_transparency_by_mode(mode, expected):
    grey = np.array([[255, 0, 255, 0, 255, 0]], np.uint8)
    alpha = np.array([[255, 255, 128, 128, 0, 0]], np.uint8)
    image = MapImage(np.repeat(grey[:, :, None], 3, axis=2), 255, alpha)
    assert to_occupancy(image, meta(mode=mode)).tolist() == [expected]
