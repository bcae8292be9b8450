"""Search messages, field by field."""

import math

import numpy as np
import pytest
from adm_core.grid.frames import GridFrame
from adm_core.grid.windows import GridWindow, MapContent
from adm_core.rooms.area_graph import build_area_graph
from adm_core.search.coordinators import Assignment
from adm_core.search.explorer import Move
from adm_core.search.task import SearchTask
from adm_core.types import Cell, Pose2D
from adm_nodes.common.cells import pose_of
from adm_nodes.common.conversions import search as convert
from hypothesis import given
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message

import adm_interfaces.msg as msgs

FRAME = GridFrame((40, 60), 0.25, Pose2D(-3.1, 2.7, 0.0))
numbers = st.floats(-50.0, 50.0)
poses = st.builds(Pose2D, numbers, numbers, st.floats(-3.0, 3.0))


def sent(message):
    """Return a message as it arrives."""
    return deserialize_message(serialize_message(message), type(message))


@pytest.mark.parametrize("labelled", [True, False])
def test_a_window_arrives_as_it_was(labelled):
    rng = np.random.default_rng(0)
    occupancy = rng.choice(np.array([-1, 0, 37, 100], np.int8), (3, 5))
    labels = rng.integers(1, 60000, (3, 5)).astype(np.uint16) if labelled else None
    got = convert.window_from_msg(sent(convert.window_to_msg(GridWindow(7, 9, occupancy, labels))))
    assert (got.row, got.col) == (7, 9)
    assert np.array_equal(got.occupancy, occupancy) and got.occupancy.dtype == np.int8
    assert (got.labels is None) == (labels is None)
    if labels is not None:
        assert np.array_equal(got.labels, labels)


@pytest.mark.parametrize("labelled", [True, False])
def test_a_map_arrives_as_it_was(labelled):
    rng = np.random.default_rng(1)
    occupancy = rng.choice(np.array([-1, 0, 100], np.int8), FRAME.shape)
    labels = rng.integers(0, 3, FRAME.shape).astype(np.uint16) * np.uint16(labelled)
    content = MapContent(FRAME, occupancy, labels, {1: "kitchen", 2: "lab"}, "robot_1/map")
    got = convert.content_from_msg(sent(convert.content_to_msg(content)))
    assert got.frame == FRAME and got.frame_id == "robot_1/map"
    assert got.names == {1: "kitchen", 2: "lab"}
    assert np.array_equal(got.occupancy, occupancy)
    assert np.array_equal(got.labels, labels) if labelled else got.labels is None


def broken(**fields):
    content = MapContent(
        FRAME, np.zeros(FRAME.shape, np.int8), np.zeros(FRAME.shape, "H"), {1: "a"}
    )
    message = convert.content_to_msg(content)
    for name, value in fields.items():
        setattr(message, name, value)
    return message


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"rows": 41}, "map must have 41 x 60 cells"),
        ({"resolution": 0.0}, "resolution must be finite and > 0"),
        ({"resolution": math.nan}, "resolution must be finite"),
        ({"type_ids": [1, 2]}, "type_names must be 2"),
        ({"room_type": [1, 2, 3]}, "room types must have 40 x 60 cells"),
        ({"origin": msgs.PlanarPose(x=math.inf)}, "origin must be finite"),
    ],
)
def test_a_map_whose_parts_do_not_fit_is_refused(fields, rule):
    with pytest.raises(ValueError, match=rule):
        convert.content_from_msg(broken(**fields))


def test_a_window_of_another_size_than_it_says_is_refused():
    message = convert.window_to_msg(GridWindow(0, 0, np.zeros((2, 2), np.int8)))
    message.rows = 3
    with pytest.raises(ValueError, match="window must have 3 x 2 cells, got 4"):
        convert.window_from_msg(message)


@given(poses, poses)
def test_a_pose_comes_back_from_another_frame(own, pose):
    placing = convert.Placing(own)
    back = placing.to_own(placing.to_common(pose))
    assert np.allclose(back, pose, atol=1e-9)


@pytest.mark.parametrize("field", ["x", "y", "yaw"])
def test_a_pose_that_is_no_number_is_refused(field):
    with pytest.raises(ValueError, match="pose of robot 1 must be finite"):
        convert.checked_pose(msgs.PlanarPose(**{field: math.nan}), "pose of robot 1")


@given(st.integers(-5, 45), st.integers(-5, 65), st.floats(-3.0, 3.0))
def test_cell_and_heading_survive_the_way_to_metres(row, col, heading):
    report = convert.report_of(FRAME, pose_of(FRAME, Cell(row, col), heading))
    assert report.cell == Cell(row, col)
    assert report.heading_rad == heading


def test_a_move_is_told_in_the_robots_frame():
    placing = convert.Placing(Pose2D(1.0, 2.0, math.pi / 2))
    message = sent(convert.move_to_msg(Move(Cell(3, 4), 0.5), FRAME, placing, 17))
    goal = placing.to_common(convert.pose_from_msg(message.goal))
    assert message.step == 17
    assert convert.cell_of(FRAME, goal) == Cell(3, 4)
    assert goal.yaw == pytest.approx(0.5)


def test_frames_arrive_in_order():
    frames = {f"robot_{n}": convert.Placing(Pose2D(1.5 * n, -0.5 * n, 0.1 * n)) for n in range(3)}
    message = sent(convert.frames_to_msg(frames, "map"))
    assert message.frame_id == "map"
    assert convert.frames_from_msg(message) == frames
    assert list(convert.frames_from_msg(message)) == list(frames)


def test_an_assignment_arrives_as_it_was():
    assignment = Assignment({0: 7, 3: 2**40}, "seek kitchen", "llm", ("timeout",), 812.5)
    message = sent(convert.assignment_to_msg(assignment, 50, "run"))
    assert (message.step, message.run_id) == (50, "run")
    assert convert.assignment_from_msg(message) == assignment


def test_rooms_without_a_number_for_others_are_left_out():
    message = convert.assignment_to_msg(Assignment({0: -1, 1: 4}), 0, "run")
    assert (list(message.robots), list(message.rooms)) == ([1], [4])


def test_an_assignment_without_a_room_for_each_robot_is_refused():
    with pytest.raises(ValueError, match="rooms must be 2"):
        convert.assignment_from_msg(msgs.RoomAssignments(robots=[0, 1], rooms=[3]))


def test_a_task_is_what_the_order_says():
    order = msgs.SearchOrder(text="find it", object="cup", room_type="kitchen")
    assert convert.task_from_msg(sent(order)) == SearchTask("find it", "cup", "kitchen")


def test_a_graph_tells_rooms_frontiers_and_robots():
    grid = np.full((8, 20), -1, np.int8)
    grid[1:7, 1:19] = 0
    types = np.zeros((8, 20), np.uint16)
    types[:, :10] = 1
    graph = build_area_graph(grid, types, names={1: "kitchen"}, robots=[(2, 2)])
    frame = GridFrame((8, 20), 0.5, Pose2D(10.0, 20.0))
    message = sent(convert.graph_to_msg(graph, frame))
    kitchen, rest = message.rooms
    assert (kitchen.type, rest.type) == ("kitchen", "unknown")
    assert [kitchen.room_id, rest.room_id] == graph.room_ids.tolist()
    assert (kitchen.first_row, kitchen.first_col, kitchen.cells) == (1, 1, 54)
    assert (list(kitchen.robots), list(rest.robots)) == ([0], [])
    assert list(kitchen.neighbours) == [rest.room_id]
    corners = [(corner.x, corner.y) for corner in kitchen.box]
    assert corners == [(10.5, 20.5), (15.0, 23.5)]
    assert (kitchen.centre.x, kitchen.centre.y) == (12.75, 22.0)
    assert len(message.clusters) == len(graph.clusters.sizes)
    assert [item.cells for item in message.clusters] == graph.clusters.sizes.tolist()
    assert {item.room_id for item in message.clusters} <= {kitchen.room_id, rest.room_id}
