"""What is drawn of a search is what its nodes said."""

import pytest
from adm_core.types import Pose2D
from adm_nodes.common.markers.shapes import GREY, PALETTE
from sagr_nodes.markers import colour_of, graph_markers, team_markers, track_markers

from adm_interfaces.msg import (
    AreaGraph,
    AreaRoom,
    FrontierCluster,
    PlanarPose,
    RoomAssignments,
    SearcherReport,
)

SIZE_M = 0.3


def place(x, y):
    return PlanarPose(x=float(x), y=float(y))


def room(number, low, high, *neighbours):
    middle = place((low[0] + high[0]) / 2, (low[1] + high[1]) / 2)
    return AreaRoom(
        room_id=number,
        type="office",
        centre=middle,
        box=[place(*low), place(*high)],
        neighbours=list(neighbours),
    )


GRAPH = AreaGraph(
    rooms=[room(3, (0, 0), (2, 2), 4), room(4, (2, 0), (6, 2), 3)],
    clusters=[
        FrontierCluster(room_id=4, cells=30, place=place(5, 1)),
        FrontierCluster(room_id=0, cells=1, place=place(9, 9)),
    ],
)


def report(robot=0, **changes):
    values = {"robot": robot, "active": True, "state": "running", "pose": place(1, 1)}
    return SearcherReport(**(values | changes))


def of_kind(markers, kind):
    return [item for item in markers if item.ns == kind]


def xy(points):
    return [(item.x, item.y) for item in points]


def rgb(marker):
    return pytest.approx((marker.color.r, marker.color.g, marker.color.b), abs=1e-6)


def test_rooms_are_drawn_with_their_types_and_each_edge_once():
    markers = graph_markers(GRAPH, SIZE_M)
    assert [item.text for item in of_kind(markers, "room name")] == ["office 3", "office 4"]
    outline = of_kind(markers, "room")[1]
    assert xy(outline.points) == [(2, 0), (6, 0), (6, 2), (2, 2), (2, 0)]
    (edges,) = of_kind(markers, "edge")
    assert xy(edges.points) == [(1, 1), (4, 1)]


def test_a_frontier_has_the_colour_of_its_room_and_grows_with_its_size():
    inside, outside = of_kind(graph_markers(GRAPH, SIZE_M), "frontier")
    assert colour_of(4)[:3] == rgb(inside)
    assert GREY[:3] == rgb(outside)
    assert inside.scale.x > outside.scale.x > 0


def test_a_robot_is_drawn_with_its_goal_and_the_room_it_was_given():
    given = RoomAssignments(robots=[0, 1], rooms=[4, 99])
    reports = {0: report(has_goal=True, goal=place(5, 1)), 1: report(1, active=False)}
    markers = team_markers(reports, GRAPH, given, SIZE_M)
    (goal,) = of_kind(markers, "goal")
    (assignment,) = of_kind(markers, "assignment")  # a room that is no more draws nothing
    assert (xy(goal.points), xy(assignment.points)) == ([(1, 1), (5, 1)], [(1, 1), (4, 1)])
    first, second = of_kind(markers, "robot")
    assert PALETTE[0][:3] == rgb(first)
    assert GREY[:3] == rgb(second)


def test_what_was_found_and_what_cannot_be_reached_is_drawn():
    done = report(
        found=True, target=place(5, 2), state="found", unreachable=[place(7, 7), place(8, 7)]
    )
    markers = team_markers({0: done}, GRAPH, RoomAssignments(), SIZE_M)
    (target,) = of_kind(markers, "target")
    assert (target.pose.position.x, target.pose.position.y) == (5, 2)
    assert len(of_kind(markers, "unreachable")) == 2
    assert [item.text for item in of_kind(markers, "robot name")] == ["robot 0 found"]


def test_tracks_have_the_colours_of_their_robots():
    tracks = {1: [Pose2D(0, 0), Pose2D(1, 0)], 0: [Pose2D(5, 5)]}
    first, second = track_markers(tracks, SIZE_M)
    assert PALETTE[0][:3] == rgb(first)
    assert xy(second.points) == [(0, 0), (1, 0)]
