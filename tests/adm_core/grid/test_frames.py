"""Frames: what is kept by cell follows a map that grows on any side."""

import math

import numpy as np
import pytest
from adm_core.errors import MapError
from adm_core.grid.frames import (
    GridFrame,
    aligned,
    cells_of,
    common_frame,
    frame_of,
    reindex,
    shift_between,
)
from adm_core.grid.frontiers import frontier_cells
from adm_core.rooms import RoomRegistry, build_area_graph, label_rooms
from adm_core.simulation.search.scenario import make_scenario
from adm_core.types import GridMap, Pose2D
from hypothesis import given
from hypothesis import strategies as st

RES = 0.05
small = st.integers(-6, 6)


def frame(rows, cols, x=0.0, y=0.0, yaw=0.0, resolution=RES):
    return GridFrame((rows, cols), resolution, Pose2D(x, y, yaw))


def grown(old, left=0, right=0, below=0, above=0):
    """Return a frame with cells added on each side."""
    x, y = old.to_world(-below, -left)
    rows, cols = old.shape
    return GridFrame(
        (rows + below + above, cols + left + right),
        old.resolution,
        Pose2D(float(x), float(y), old.origin.yaw),
    )


@pytest.mark.parametrize("side", ["left", "right", "below", "above"])
@pytest.mark.parametrize("yaw", [0.0, math.pi / 2, math.radians(30), -2.0])
def test_a_map_that_grows_on_one_side_keeps_its_state_complaint_13(side, yaw):
    """Costmap resized or origin shifted: illegal bounds, the process dies."""
    old = frame(4, 5, 1.3, -2.7, yaw)
    values = np.arange(20).reshape(4, 5)
    new = grown(old, **{side: 3})
    moved = reindex(values, shift_between(new, old), new.shape, -1)
    window = {
        "left": np.s_[:, 3:],
        "right": np.s_[:, :5],
        "below": np.s_[3:, :],
        "above": np.s_[:4, :],
    }[side]
    assert np.array_equal(moved[window], values)
    assert (moved == -1).sum() == moved.size - values.size


@given(small, small, small, small, st.floats(-4, 4))
def test_values_stay_at_their_place_in_the_world(left, right, below, above, yaw):
    """Also where a map shrinks: sides may be negative."""
    old = frame(20, 17, -3.0, 8.0, yaw)
    new = grown(old, left, right, below, above)
    values = np.arange(old.shape[0] * old.shape[1]).reshape(old.shape)
    moved = reindex(values, shift_between(new, old), new.shape, -1)
    for row in range(0, new.shape[0], 3):
        for col in range(0, new.shape[1], 3):
            at = old.to_local(*new.to_world(row + 0.5, col + 0.5))
            there = tuple(int(np.floor(part)) for part in at)
            inside = all(0 <= k < n for k, n in zip(there, old.shape, strict=True))
            assert moved[row, col] == (values[there] if inside else -1)


def test_frames_that_do_not_overlap_leave_nothing():
    assert (reindex(np.ones((3, 3), int), (50, -80), (4, 4), 7) == 7).all()


def test_more_dimensions_move_along():
    colours = np.arange(24).reshape(2, 4, 3)
    assert np.array_equal(reindex(colours, (0, 1), (2, 3), 0), colours[:, 1:])


@pytest.mark.parametrize(
    "part, cells", [(0.3, 0), (0.49, 0), (0.5, 0), (0.51, 1), (0.7, 1), (-0.5, -1)]
)
def test_an_origin_off_by_part_of_a_cell_goes_to_the_nearest_complaint_18(part, cells):
    """Merged map shifted, origin off centre: parts of a cell, always rounded the same way."""
    for base in (0.0, 123.45, -987.6):
        old, new = frame(9, 9, base, base), frame(9, 9, base + part * RES, base)
        assert shift_between(new, old) == (0, cells)


@pytest.mark.parametrize("other", [{"resolution": 0.1}, {"yaw": 0.1}])
def test_other_resolution_or_yaw_is_no_shift(other):
    assert not aligned(frame(9, 9), frame(9, 9, **other))
    with pytest.raises(ValueError, match="equal resolution and yaw"):
        shift_between(frame(9, 9), frame(9, 9, **other))


def test_a_full_turn_is_no_turn():
    assert aligned(frame(9, 9, yaw=math.pi), frame(9, 9, yaw=-math.pi))


def test_the_common_frame_contains_all_and_keeps_the_first_lattice():
    first = frame(10, 20, 1.0, 2.0, 0.4)
    others = [frame(40, 8, -3.0, 5.0, 2.0), frame(5, 5, 4.0, 0.0, 0.0, 0.1)]
    common = common_frame([first, *others])
    assert common.resolution == RES and aligned(common, first)
    for item in (first, *others):
        row, col = common.to_local(*item.corners())
        assert row.min() > -1e-3 and row.max() < common.shape[0] + 1e-3
        assert col.min() > -1e-3 and col.max() < common.shape[1] + 1e-3
    row, col = common.to_local(first.origin.x, first.origin.y)
    assert abs(row - round(float(row))) < 1e-6 and abs(col - round(float(col))) < 1e-6


def test_the_common_frame_of_one_map_is_its_own():
    grid_map = GridMap(np.zeros((3, 4), np.int8), 0.05, Pose2D(0.1, 0.2, 0.3))
    common = common_frame([frame_of(grid_map)])
    assert common.shape == (3, 4) and np.allclose(common.origin, grid_map.origin)


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (([],), ValueError, "one frame or more"),
        (([frame(3, 3)], 0.0), ValueError, "resolution must be finite and > 0 m, got 0"),
        (([frame(3, 3), frame(3, 3, 1e9, 1e9)],), MapError, "far away"),
    ],
)
def test_bad_frames_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        common_frame(*arguments)


def test_robots_off_the_map_are_left_out_and_nothing_crashes_complaint_14():
    """Robot start off the global costmap while mapping: skip it."""
    grid_map = GridMap(np.zeros((4, 6), np.int8), 0.5, Pose2D(-1.0, 2.0, math.pi / 2))
    inside = grid_map.cell_to_world((1, 2))
    poses = [Pose2D(50, 50), inside, Pose2D(math.nan, 0.0), grid_map.cell_to_world((4, 0))]
    cells = cells_of(grid_map, poses)
    assert cells == (None, (1, 2), None, None)
    types = np.ones(grid_map.shape, np.uint8)
    on_map = [cell for cell in cells if cell is not None]
    assert build_area_graph(grid_map.data, types, robots=on_map).robot_room.tolist() == [1]


@pytest.mark.parametrize("side", ["left", "right", "below", "above"])
def test_rooms_keep_their_ids_and_frontiers_their_places_while_a_map_grows(side):
    """Growth on all four sides: what was known by cell is moved, ids last."""
    plan = make_scenario("small", 3)
    seen = np.where(np.arange(plan.truth.shape[1]) < 34, plan.truth.data, np.int8(-1))
    old = frame_of(plan.truth)
    registry = RoomRegistry()
    before = label_rooms(seen, plan.room_type, untyped=True)
    ids = registry.update(before)
    new = grown(old, **{side: 7})
    shift = shift_between(new, old)
    data = reindex(seen, shift, new.shape, np.int8(-1))
    types = reindex(plan.room_type, shift, new.shape, 0)
    after = label_rooms(data, types, untyped=True)
    assert registry.update(after, shift).tolist() == ids.tolist()
    places = [
        sorted(zip(*np.round(item.to_world(*np.divmod(cells, item.shape[1])), 6), strict=True))
        for item, cells in ((old, frontier_cells(seen)), (new, frontier_cells(data)))
    ]
    assert places[0] == places[1] and len(places[0]) > 10
