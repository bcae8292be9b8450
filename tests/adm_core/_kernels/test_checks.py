import numpy as np
import pytest
from adm_core._kernels import checks

GRID = np.zeros((3, 4), np.int8)


@pytest.mark.parametrize(
    ("grid", "free_max", "occupied_min"),
    [
        (GRID.astype(np.uint8), 0, 65),
        (GRID.astype(">i2"), 0, 65),
        (GRID[0], 0, 65),
        (GRID[:, ::2], 0, 65),
        (GRID.T, 0, 65),
        (memoryview(GRID), 0, 65),
        (GRID.tolist(), 0, 65),
        (GRID, -1, 65),
        (GRID, 65, 65),
        (GRID, 0, 128),
        (GRID, 0.0, 65),
        (GRID, None, 65),
    ],
)
def test_a_grid_that_needs_a_second_look_is_not_plain(grid, free_max, occupied_min):
    assert not checks.is_plain_grid(grid, free_max, occupied_min)
    assert checks.is_plain_grid(GRID, 0, 65)


def test_an_image_is_plain_in_its_types_and_shape_only():
    image = np.zeros((3, 4), np.uint16)
    assert checks.is_plain_image(image, b"BH", (3, 4))
    assert not checks.is_plain_image(image, b"B", (3, 4))
    assert not checks.is_plain_image(image, b"BH", (4, 3))
    assert not checks.is_plain_image(image, b"BH", (3,))
    assert not checks.is_plain_image(image.astype(">u2"), b"BH", (3, 4))
    assert not checks.is_plain_image(image[:, ::-1], b"BH", (3, 4))


def test_an_array_is_plain_in_its_types_and_dimensions_only():
    array = np.zeros(4)
    assert checks.is_plain_array(array, b"d", 1)
    assert not checks.is_plain_array(array, b"lq", 1)
    assert not checks.is_plain_array(array, b"d", 2)
    assert not checks.is_plain_array(array[::2], b"d", 1)
    assert not checks.is_plain_array([0.0], b"d", 1)


@pytest.mark.parametrize("cells", [[[0, 0], [2, 3]], [0, 11]])
def test_cells_on_the_grid_are_flattened(cells):
    flat = np.empty(2, np.int64)
    assert checks.flatten_cells(np.array(cells), 3, 4, flat) == -1
    assert flat.tolist() == [0, 11]


@pytest.mark.parametrize("bad", [[-1, 0], [3, 0], [0, -1], [0, 4], -1, 12])
def test_the_first_cell_off_the_grid_is_found(bad):
    good = [1, 1] if isinstance(bad, list) else 1
    cells = np.array([good, bad, bad])
    assert checks.flatten_cells(cells, 3, 4, np.empty(3, np.int64)) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_distances_that_are_none_have_no_largest_one(bad):
    dist = np.array([[0.0, 2.0, 1.0], [2.0, 0.0, 3.0], [1.0, 3.0, 0.0]])
    assert checks.longest_distance(dist, 3) == 3.0
    dist[0, 2] = dist[2, 0] = bad
    assert checks.longest_distance(dist, 3) == -1.0
    dist[0, 2] = dist[2, 0] = 1.0
    dist[2, 1] = 2.5
    assert checks.longest_distance(dist, 3) == -1.0


def test_poses_are_plain_in_one_form_only():
    where, heading = np.zeros((2, 2), np.int64), np.zeros(2)
    assert checks.are_plain_poses(where, heading)
    assert not checks.are_plain_poses(where.astype(np.int32), heading)
    assert not checks.are_plain_poses(where[:, :1], heading)
    assert not checks.are_plain_poses(np.zeros((2, 3), np.int64), heading)
    assert not checks.are_plain_poses(where, heading[:1])
    assert not checks.are_plain_poses(where, heading[:, None])
    assert not checks.are_plain_poses([[0, 0]], [0.0])
