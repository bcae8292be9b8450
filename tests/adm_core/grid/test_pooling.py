"""Pooling: a coarse cell is free only where all of it is known to be free."""

import math

import numpy as np
import pytest
from adm_core.errors import MapError
from adm_core.grid.floorplans import LabelledMap, PlanObject
from adm_core.grid.labels import LabelGrid
from adm_core.grid.pooling import cell_ratio, pool_labelled, pool_labels, pool_map
from adm_core.types import Cell, GridMap, Pose2D
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import ndimage

grids = arrays(
    np.int8,
    st.tuples(st.integers(1, 23), st.integers(1, 23)),
    elements=st.sampled_from([0, 0, 0, 0, 0, -1, 40, 64, 65, 100]),
)
ratios = st.one_of(st.integers(1, 6).map(float), st.floats(1.0, 5.0))


def pooled_cell(grid, row0, row1, col0, col1):
    """Return what the rule says of the fine cells that lie in, or partly in, a coarse one."""
    rows = range(math.floor(row0 + 1e-6), math.ceil(row1 - 1e-6))
    cols = range(math.floor(col0 + 1e-6), math.ceil(col1 - 1e-6))
    inside = [
        int(grid[r, c]) if 0 <= r < grid.shape[0] and 0 <= c < grid.shape[1] else -1
        for r in rows
        for c in cols
    ]
    if max(inside) >= 65:
        return 100
    return -1 if min(inside) < 0 else max(inside)


@given(grids, ratios, st.integers(0, 3), st.integers(0, 3))
def test_every_coarse_cell_follows_the_rule(grid, ratio, down, left):
    fine = GridMap(grid, 0.05, Pose2D(1.0, 2.0, 0.7))
    pooled = pool_map(fine, 0.05 * ratio, phase=(down, left))
    exact = cell_ratio(fine, 0.05 * ratio)
    for (row, col), value in np.ndenumerate(pooled.data):
        rows = row * exact - down, (row + 1) * exact - down
        cols = col * exact - left, (col + 1) * exact - left
        assert value == pooled_cell(grid, *rows, *cols)


@given(grids, ratios, st.integers(0, 3))
def test_pooling_never_joins_what_is_apart(grid, ratio, shift):
    fine = GridMap(grid, 0.05)
    pooled = pool_map(fine, 0.05 * ratio, phase=(shift, shift))
    parts, _ = ndimage.label(grid == 0)
    coarse, count = ndimage.label(pooled.data == 0)
    for part in range(1, count + 1):
        under = set()
        for cell in np.argwhere(coarse == part):
            pose = pooled.cell_to_world(cell)
            under.add(int(parts[fine.world_to_cell(pose.x, pose.y)]))
        assert len(under) == 1 and 0 not in under


@given(grids, st.integers(1, 5), st.integers(0, 4), st.floats(-4, 4))
def test_coarse_cells_lie_where_their_fine_ones_lie(grid, ratio, shift, yaw):
    fine = GridMap(grid, 0.05, Pose2D(-3.0, 4.0, yaw))
    pooled = pool_map(fine, 0.05 * ratio, phase=(shift, 0))
    pose = fine.cell_to_world((0, 0))
    cell = pooled.world_to_cell(pose.x, pose.y)
    assert cell == ((shift + 0.5) // ratio, 0)
    assert pooled.contains(pooled.world_to_cell(*fine.cell_to_world((-1 + grid.shape[0], 0))[:2]))


def test_cells_of_the_same_size_change_nothing():
    fine = GridMap(np.array([[0, -1, 100, 30]], np.int8), 0.05)
    assert np.array_equal(pool_map(fine, 0.05).data, [[0, -1, 100, 30]])


def test_ratios_that_are_whole_but_for_rounding_are_whole():
    fine = GridMap(np.zeros((15, 15), np.int8), 0.05)
    assert cell_ratio(fine, 0.15) == 3.0 and pool_map(fine, 0.15).shape == (5, 5)


@pytest.mark.parametrize("cell_m", [0.04, 0.0, -1.0, math.nan, math.inf])
def test_cells_finer_than_the_map_are_refused(cell_m):
    with pytest.raises(MapError, match=r"at least as large as the map's 0\.05 m"):
        pool_map(GridMap(np.zeros((3, 3), np.int8), 0.05), cell_m)


def test_a_negative_phase_is_refused():
    with pytest.raises(ValueError, match="phase must be >= 0"):
        pool_map(GridMap(np.zeros((3, 3), np.int8), 0.05), 0.1, phase=(-1, 0))


def test_the_most_frequent_label_wins_and_none_is_no_label():
    labels = np.array([[0, 0, 2, 2], [0, 5, 7, 0], [3, 3, 0, 0], [2, 2, 0, 0]], np.uint16)
    assert pool_labels(labels, 2.0, (2, 2)).tolist() == [[5, 2], [2, 0]]


def test_objects_move_to_a_free_cell_of_their_room():
    data = np.zeros((10, 20), np.int8)
    data[:, 9:11] = 100
    types = np.full((10, 20), 3, np.uint16)
    rooms = np.where(np.arange(20) < 10, 1, 2)[None].repeat(10, 0).astype(np.uint16)
    grid_map = GridMap(data, 0.05)
    # At the wall, on the eastern side: the nearest free coarse cell is in the west.
    pose = grid_map.cell_to_world((5, 11))
    item = PlanObject("key", "key", pose, Cell(5, 11), "east", "office")
    lost = PlanObject("far", "far", Pose2D(50, 50), Cell(0, 0))
    names = LabelGrid(rooms, {1: "west", 2: "east"})
    plan = LabelledMap(grid_map, LabelGrid(types, {3: "office"}), names, (item, lost))
    pooled = pool_labelled(plan, 0.25)
    (moved,) = pooled.objects
    assert pooled.grid_map.data[0].tolist() == [0, 100, 100, 0]
    assert moved.cell == (1, 3) and moved.pose == pose
    assert pooled.rooms.data[moved.cell] == 2
    assert "left out far" in pooled.notes[-1]
