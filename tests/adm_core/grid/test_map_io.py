"""Whole map files: real ones, written ones, broken ones."""

import os
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from adm_core.grid.map_io import load_map

DATA = Path(os.environ.get("ADM_TEST_DATA", Path(__file__).parents[4] / "shared/data"))
MAPS = sorted(DATA.glob("maps/*/*.yaml"))


def test_the_real_maps_are_there():
    assert len(MAPS) >= 19, f"no real maps under {DATA}: set ADM_TEST_DATA"


@pytest.mark.parametrize("path", MAPS, ids=lambda path: path.stem)
def test_real_map_equals_the_published_rule(path):
    keys = yaml.safe_load(path.read_text())
    image = cv2.imread(str(path.parent / keys["image"]), cv2.IMREAD_GRAYSCALE)
    p = (255 - image.astype(float)) / 255
    expected = np.where(p < keys["free_thresh"], 0, -1)
    expected[p > keys["occupied_thresh"]] = 100
    grid_map = load_map(path)
    assert np.array_equal(grid_map.data, expected[::-1])
    assert grid_map.resolution == keys["resolution"]
    assert tuple(grid_map.origin) == tuple(keys["origin"])
