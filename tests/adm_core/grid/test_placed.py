"""Maps seen from other frames."""

import math

import numpy as np
import pytest
from adm_core.grid.frames import GridFrame, frame_of
from adm_core.grid.placed import PlacedMap
from adm_core.types import GridMap, Pose2D
from scipy import ndimage


def whole(placed, array, fill=-1):
    """Return what a map shows on its whole frame."""
    out = np.full(placed.frame.shape, fill, array.dtype)
    for window, values in placed.read(array, fill):
        out[window] = values
    return out


@pytest.mark.parametrize("yaw", [0.0, 0.3, math.pi / 2])
def test_reading_blocks_and_reading_single_cells_agree(yaw):
    data = np.random.default_rng(1).integers(0, 50, (23, 31)).astype(np.int8)
    grid_map = GridMap(data, 0.1, Pose2D(0.4, -0.7, yaw))
    placed = PlacedMap(grid_map, GridFrame((60, 70), 0.07, Pose2D(-2.0, -2.0, 0.1)))
    seen = whole(placed, data, 0)
    cells = np.arange(seen.size)
    assert np.array_equal(placed.at(cells, data), seen.ravel())
    assert (seen > 0).mean() > 0.1


def test_each_cell_reads_the_one_at_its_centre():
    data = np.arange(30, dtype=np.int8).reshape(5, 6)
    grid_map = GridMap(data, 0.1, Pose2D(0.3, 0.2, math.radians(25)))
    frame = GridFrame((20, 20), 0.05, Pose2D(0.0, 0.0, 0.0))
    seen = whole(PlacedMap(grid_map, frame), data)
    for (row, col), value in np.ndenumerate(seen):
        cell = grid_map.world_to_cell((col + 0.5) * 0.05, (row + 0.5) * 0.05)
        assert value == (data[cell] if grid_map.contains(cell) else -1)


def test_its_own_frame_shows_a_map_as_it_is():
    data = np.array([[0, 100], [-1, 40]], np.int8)
    grid_map = GridMap(data, 0.1, Pose2D(5.0, 5.0, 1.0))
    assert np.array_equal(whole(PlacedMap(grid_map, frame_of(grid_map)), data), data)


@pytest.mark.parametrize("yaw_deg", range(0, 91, 15))
@pytest.mark.parametrize("scale", [1.0, 0.6, 2.5])
def test_walls_that_hang_together_by_corners_stay_whole(yaw_deg, scale):
    data = np.zeros((40, 40), np.int8)
    steps = np.arange(5, 35)
    data[steps, steps] = 100  # a staircase of corners
    data[5:35:2, 3] = 0
    grid_map = GridMap(data, 0.1, Pose2D(3.0, 3.0, math.radians(yaw_deg)))
    frame = GridFrame((int(150 / scale), int(150 / scale)), 0.1 * scale, Pose2D(-2.0, -1.0, 0.05))
    seen = np.full(frame.shape, -1, np.int8)
    PlacedMap(grid_map, frame).raise_to(seen)
    assert ndimage.label(seen == 100, np.ones((3, 3)))[1] == 1
