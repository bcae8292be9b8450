import math

import numpy as np
import pytest
from adm_core.planning.standoff import StandoffChoice
from adm_core.types import GridMap, Pose2D
from hypothesis import given
from hypothesis import strategies as st

CHOICE = StandoffChoice(0.5, 0.19)


def room(*boxes, side=4.0, resolution=0.05):
    """An empty room with walls, and boxes (x0, x1, y0, y1) in it."""
    cells = round(side / resolution)
    data = np.zeros((cells, cells), np.int8)
    data[[0, -1], :] = data[:, [0, -1]] = 100
    grid_map = GridMap(data, resolution, Pose2D(-side / 2, -side / 2))
    for x0, x1, y0, y1 in boxes:
        low, high = grid_map.world_to_cell(x0, y0), grid_map.world_to_cell(x1, y1)
        data[low.row : high.row + 1, low.col : high.col + 1] = 100
    return GridMap(data, resolution, Pose2D(-side / 2, -side / 2))


coordinates = st.floats(-1.3, 1.3)


@given(coordinates, coordinates, coordinates, coordinates)
def test_the_place_is_free_at_the_distance_and_faces_the_target(x, y, tx, ty):
    place = CHOICE.place(room(), Pose2D(x, y), (tx, ty))
    assert place is not None
    assert math.hypot(place.x - tx, place.y - ty) == pytest.approx(0.5)
    assert max(abs(place.x), abs(place.y)) <= 2.0 - 0.19
    bearing = math.atan2(ty - place.y, tx - place.x)
    assert math.remainder(place.yaw - bearing, 2 * math.pi) == pytest.approx(0.0, abs=1e-9)


def test_the_shortest_way_decides():
    place = CHOICE.place(room(), Pose2D(-1.5, 0.0), (0.5, 0.0))
    assert (place.x, place.y) == pytest.approx((0.0, 0.0), abs=0.06)


def test_nothing_stands_between_the_place_and_the_target():
    wall = (-0.05, 0.05, -0.6, 0.6)
    place = CHOICE.place(room(wall), Pose2D(-1.0, 0.0), (0.3, 0.0))
    assert place is not None and place.x > 0.19


def test_a_station_is_approached_from_its_side():
    place = CHOICE.place(room(), Pose2D(0.0, 1.0), (1.6, 0.0), heading=0.0)
    assert place == pytest.approx((1.1, 0.0, 0.0))


def test_a_blocked_side_of_a_station_is_passed_over():
    place = CHOICE.place(room((1.0, 1.2, -0.1, 0.1)), Pose2D(0.0, 1.0), (1.6, 0.0), heading=0.0)
    assert place is not None and place.yaw != 0.0


def test_a_walled_in_target_has_no_place():
    walls = ((0.4, 1.6, 0.4, 0.5), (0.4, 1.6, 1.5, 1.6), (0.4, 0.5, 0.4, 1.6), (1.5, 1.6, 0.4, 1.6))
    assert CHOICE.place(room(*walls), Pose2D(-1.0, -1.0), (1.0, 1.0)) is None


def test_a_robot_off_the_map_has_no_place():
    assert CHOICE.place(room(), Pose2D(9.0, 0.0), (0.0, 0.0)) is None


def test_what_is_unknown_is_no_obstacle():
    known = room()
    data = known.data.copy()
    data[:, 40:] = -1
    place = CHOICE.place(GridMap(data, 0.05, known.origin), Pose2D(-1.0, 0.0), (1.0, 0.0))
    assert place is not None


def test_a_place_that_was_refused_is_not_offered_again():
    first = CHOICE.place(room(), Pose2D(-1.5, 0.0), (0.5, 0.0))
    second = CHOICE.place(room(), Pose2D(-1.5, 0.0), (0.5, 0.0), avoid=[first])
    assert math.hypot(first.x - second.x, first.y - second.y) >= 0.1
