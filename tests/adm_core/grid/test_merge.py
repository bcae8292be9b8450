"""Merging of maps: in world coordinates, for every start pose, in bounded time and memory."""

import math
import time
import tracemalloc

import numpy as np
import pytest
from adm_core.errors import MapError
from adm_core.grid.distance import reachable
from adm_core.grid.frames import GridFrame
from adm_core.grid.labels import LabelGrid
from adm_core.grid.map_io import load_map
from adm_core.grid.merge import merge_maps
from adm_core.types import GridMap, Pose2D
from data import ROOT
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

RES = 0.05
occupancies = st.sampled_from([-1, 0, 0, 30, 100])
data = arrays(np.int8, st.tuples(st.integers(1, 9), st.integers(1, 9)), elements=occupancies)


def house(rows=60, cols=80):
    """Return a map with a wall around and across it, a door, and something unknown."""
    grid = np.zeros((rows, cols), np.int8)
    grid[[0, -1]] = grid[:, [0, -1]] = 100
    grid[:, cols // 2] = 100
    grid[rows // 3 : rows // 3 + 8, cols // 2] = 0
    grid[rows - 12 : rows - 5, 5:12] = -1
    grid[10:14, 60:70] = 100
    return grid


def seen_from(truth, yaw, x=0.0, y=0.0, resolution=RES, margin=25):
    """Return what a robot that started turned and elsewhere would have mapped of a world.

    The truth lies at the world's origin; the robot's map has its own lattice, whose pose in
    the world is (x, y, yaw).
    """
    rows, cols = truth.shape
    half = math.hypot(rows, cols) * RES / 2 + margin * RES
    side = math.ceil(2 * half / resolution)
    frame = GridFrame((side, side), resolution, Pose2D(x, y, yaw))
    # Put the middle of the robot's map near the middle of the world.
    cx, cy = frame.to_world(side / 2, side / 2)
    pose = Pose2D(x + cols * RES / 2 - float(cx), y + rows * RES / 2 - float(cy), yaw)
    frame = GridFrame((side, side), resolution, pose)
    u, v = np.meshgrid(np.arange(side) + 0.5, np.arange(side) + 0.5, indexing="ij")
    wx, wy = frame.to_world(u, v)
    row, col = np.floor(wy / RES).astype(int), np.floor(wx / RES).astype(int)
    inside = (row >= 0) & (row < rows) & (col >= 0) & (col < cols)
    seen = np.where(inside, truth[np.clip(row, 0, rows - 1), np.clip(col, 0, cols - 1)], -1)
    return GridMap(seen.astype(np.int8), resolution, pose)


def at(grid_map, x, y):
    cell = grid_map.world_to_cell(x, y)
    return int(grid_map.data[cell]) if grid_map.contains(cell) else -1


@given(data, data, st.integers(-5, 5), st.integers(-5, 5))
def test_whole_cells_merge_to_the_larger_occupancy(a, b, rows, cols):
    first, second = GridMap(a, RES), GridMap(b, RES, Pose2D(cols * RES, rows * RES, 0.0))
    merged = merge_maps([first, second]).grid_map
    for row in range(-6, 15):
        for col in range(-6, 15):
            x, y = (col + 0.5) * RES, (row + 0.5) * RES
            assert at(merged, x, y) == max(at(first, x, y), at(second, x, y))


@given(data, st.floats(-3, 3), st.floats(-3, 3), st.floats(-4, 4))
def test_one_map_alone_comes_back_as_it_is(a, x, y, yaw):
    only = GridMap(a, RES, Pose2D(x, y, yaw))
    merged = merge_maps([only]).grid_map
    assert np.array_equal(merged.data, a) and np.allclose(merged.origin, only.origin)


@pytest.mark.parametrize("yaw_deg", [0, 90, 30, 180, -45, 7.5])
@pytest.mark.parametrize("start", [(0.0, 0.0), (3.21, -1.87)])
def test_other_start_poses_and_yaws_fall_into_place_complaint_19(yaw_deg, start):
    """Merge wrong for other start poses or yaw: 0, 90 and 30 degrees and some more."""
    truth = house()
    mine = GridMap(truth, RES)
    turned = seen_from(truth, math.radians(yaw_deg), *start)
    merged = merge_maps([mine, turned]).grid_map
    rows, cols = truth.shape
    shift = merged.world_to_cell(RES / 2, RES / 2)
    part = merged.data[shift.row : shift.row + rows, shift.col : shift.col + cols]
    # A wall may gain a cell on either side, it is never lost; nothing lands anywhere else.
    assert (part[truth == 100] == 100).all()
    near = np.pad(truth == 100, 2)
    thick = np.zeros_like(near)
    for row in range(-2, 3):
        for col in range(-2, 3):
            thick |= np.roll(near, (row, col), (0, 1))
    away = ~thick[2:-2, 2:-2]
    assert (part[away] == truth[away]).mean() > 0.98
    outside = merged.data.copy()
    outside[shift.row - 2 : shift.row + rows + 2, shift.col - 2 : shift.col + cols + 2] = -1
    assert (outside == -1).all()


@pytest.mark.parametrize("yaw_deg", [0, 90, 30, 45, 61])
def test_a_wall_one_cell_thick_stays_tight_when_it_is_turned(yaw_deg):
    """Only the turned map knows the wall, and nothing may leak through it."""
    truth = house()
    truth[20:28, 40] = 100  # shut the door
    blank = GridMap(np.full((4, 4), -1, np.int8), RES)
    turned = seen_from(truth, math.radians(yaw_deg))
    merged = merge_maps([blank, turned]).grid_map
    west = merged.world_to_cell(0.5, 0.5)
    east = merged.world_to_cell(3.5, 0.4)
    reached = reachable(merged.data, [west], diagonal="unit")
    assert reached[west] and not reached[east] and merged.data[east] == 0


@pytest.mark.parametrize("dx, dy", [(0.3, 0.0), (0.49, -0.49), (0.5, 0.5), (1.7, -2.2)])
def test_origins_between_cells_are_at_most_half_a_cell_off_complaint_18(dx, dy):
    """Merged map shifted, even with static transforms: origins that are no whole cells."""
    truth = house()
    other = GridMap(truth, RES, Pose2D(dx * RES, dy * RES, 0.0))
    merged = merge_maps([GridMap(np.full((2, 2), -1, np.int8), RES), other]).grid_map
    rows, cols = np.nonzero(merged.data == 100)
    x, y = (cols.mean() + 0.5) * RES + merged.origin.x, (rows.mean() + 0.5) * RES + merged.origin.y
    true_rows, true_cols = np.nonzero(truth == 100)
    assert len(rows) == len(true_rows)
    assert abs(x - ((true_cols.mean() + 0.5) * RES + dx * RES)) <= RES / 2 + 1e-9
    assert abs(y - ((true_rows.mean() + 0.5) * RES + dy * RES)) <= RES / 2 + 1e-9


@pytest.mark.parametrize("order", [1, -1])
def test_maps_of_other_resolution_merge_both_ways(order):
    truth = house()
    fine, coarse = GridMap(truth, RES), seen_from(truth, 0.0, resolution=0.1)
    merged = merge_maps([fine, coarse][::order]).grid_map
    assert merged.resolution == RES
    rows, cols = np.nonzero(truth == 100)
    assert all(
        at(merged, (c + 0.5) * RES, (r + 0.5) * RES) == 100 for r, c in zip(rows, cols, strict=True)
    )


def test_a_coarser_frame_loses_no_wall():
    truth = house()
    frame = GridFrame((13, 17), 0.25, Pose2D(0.0, 0.0, 0.0))
    merged = merge_maps([GridMap(truth, RES)], frame=frame).grid_map
    blocks = np.pad(truth, ((0, 5), (0, 5)), constant_values=-1)
    expected = blocks.reshape(13, 5, 17, 5).max(axis=(1, 3))
    assert np.array_equal(merged.data, expected)


def test_real_maps_of_one_floor_lie_on_each_other():
    one, two = (load_map(ROOT / f"maps/tmcl/{name}.yaml") for name in ("FMap", "GMap"))
    merged = merge_maps([one, two]).grid_map
    for item in (one, two):
        assert (merged.data == 100).sum() >= (item.data == 100).sum()
        row, col = np.argwhere(item.data == 100)[0]
        pose = item.cell_to_world((int(row), int(col)))
        assert at(merged, pose.x, pose.y) == 100


def test_labels_are_joined_by_name_and_by_majority():
    free = GridMap(np.zeros((1, 4), np.int8), RES)

    def labels(values, names):
        return LabelGrid(np.array([values], np.uint8), names)

    merged = merge_maps(
        [free, free, free, free],
        [
            labels([1, 1, 0, 1], {1: "kitchen"}),
            labels([2, 1, 0, 2], {1: "office", 2: "kitchen"}),
            labels([3, 3, 3, 0], {3: "office"}),
            None,
        ],
    ).labels
    named = [merged.names.get(int(label), "") for label in merged.data[0]]
    assert named == ["kitchen", "office", "office", "kitchen"]
    assert set(merged.names.values()) == {"kitchen", "office"}


def test_a_tie_of_labels_goes_to_the_first_map():
    free = GridMap(np.zeros((1, 1), np.int8), RES)
    one, two = (LabelGrid(np.array([[1]], np.uint8), {1: name}) for name in ("lab", "office"))
    assert set(merge_maps([free, free], [one, two]).labels.names.values()) == {"lab"}
    assert set(merge_maps([free, free], [two, one]).labels.names.values()) == {"office"}


def test_labels_turn_with_their_map():
    truth = house()
    turned = seen_from(truth, math.radians(90))
    types = np.where(turned.data == 0, 4, 0).astype(np.uint16)
    merged = merge_maps(
        [GridMap(np.full((2, 2), -1, np.int8), RES), turned], [None, LabelGrid(types, {4: "hall"})]
    )
    free = merged.grid_map.data == 0
    assert (merged.labels.data[free] == 4).mean() > 0.999
    assert free.sum() > 0.9 * (truth == 0).sum()


def test_no_labels_give_no_labels():
    assert merge_maps([GridMap(np.zeros((1, 1), np.int8), RES)]).labels is None


def test_a_large_merge_keeps_time_and_memory_in_bounds_complaint_20():
    """Merge crashes or misaligns on large maps: two of 4000 x 4000, one of them turned."""
    rng = np.random.default_rng(0)
    big = np.where(rng.random((4000, 4000)) < 0.05, 100, 0).astype(np.int8)
    first, second = GridMap(big, RES), GridMap(big, RES, Pose2D(120.0, -30.0, math.radians(30)))
    tracemalloc.start()
    before, begin = tracemalloc.get_traced_memory()[0], time.process_time()
    merged = merge_maps([first, second]).grid_map
    spent = time.process_time() - begin
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert peak < 2.5 * merged.data.size + 150e6
    assert spent < 30.0
    for item in (first, second):
        for cell in ((0, 0), (3999, 3999), (17, 3000)):
            pose = item.cell_to_world(cell)
            assert at(merged, pose.x, pose.y) >= item.data[cell]


def test_a_map_far_away_is_refused_rather_than_filling_the_memory():
    near, far = (GridMap(np.zeros((9, 9), np.int8), RES, Pose2D(x, 0.0, 0.0)) for x in (0, 1e7))
    with pytest.raises(MapError, match="one of them lies far away"):
        merge_maps([near, far])


@pytest.mark.parametrize(
    "maps, labels, message",
    [
        ([], None, "one map or more"),
        ([1], [None, None], "labels must be 1, one a map, got 2"),
        ([1], [LabelGrid(np.zeros((2, 2), np.uint8))], "like their map"),
    ],
)
def test_bad_arguments_are_refused(maps, labels, message):
    maps = [GridMap(np.zeros((1, 1), np.int8), RES) for _ in maps]
    with pytest.raises(ValueError, match=message):
        merge_maps(maps, labels)
