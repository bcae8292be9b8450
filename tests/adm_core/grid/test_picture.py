"""Pictures: what is where, in which colour and at which size."""

import math

import numpy as np
import pytest
from adm_core.grid import picture
from adm_core.grid.picture import MapPicture, framed, legend_for, nice_length
from adm_core.types import GridMap, Pose2D


def colour_at(drawn, x, y):
    right, down = drawn.pixel(x, y)
    return tuple(int(value) for value in drawn.image[round(down), round(right)])


@pytest.fixture
def grid_map():
    """Unknown space with a walled room in it, turned by 30 degrees."""
    data = np.full((60, 80), -1, np.int8)
    data[20:40, 30:70] = 100
    data[21:39, 31:69] = 0
    return GridMap(data, 0.1, Pose2D(3.0, -2.0, math.radians(30)))


@pytest.mark.parametrize("longest", [30, 61, 150, 1000])
def test_cells_are_found_at_their_places_at_any_zoom(grid_map, longest):
    region = np.zeros(grid_map.shape, bool)
    region[25:35, 40:60] = True
    drawn = MapPicture(grid_map, region, longest)
    assert max(drawn.image.shape) == longest
    for cell, colour in [
        ((30, 50), picture.REGION),
        ((22, 33), picture.FREE),
        ((37, 66), picture.FREE),
    ]:
        assert colour_at(drawn, *grid_map.cell_to_world(cell)[:2]) == colour
    if longest >= 150:  # walls of one cell keep their colour only when they are enlarged
        for cell in [(20, 50), (39, 50), (30, 30), (30, 69)]:
            assert colour_at(drawn, *grid_map.cell_to_world(cell)[:2]) == picture.OCCUPIED
        assert colour_at(drawn, *grid_map.cell_to_world((19, 50))[:2]) == picture.UNKNOWN


def test_scale_is_metres_to_pixels(grid_map):
    drawn = MapPicture(grid_map, longest_px=500)
    along = np.subtract(drawn.pixel(5.0, 5.0), drawn.pixel(5.0, 6.0))
    assert math.hypot(*along) == pytest.approx(drawn.px_per_m)


def test_only_the_known_part_is_shown(grid_map):
    drawn = MapPicture(grid_map, longest_px=500)
    assert drawn.shows(*grid_map.cell_to_world((30, 50))[:2])
    assert not drawn.shows(*grid_map.cell_to_world((5, 5))[:2])
    unknown = GridMap(np.full((4, 5), -1, np.int8), 1.0)
    assert MapPicture(unknown, longest_px=500).image.shape == (400, 500, 3)


def test_what_is_drawn_lands_where_it_belongs(grid_map):
    drawn = MapPicture(grid_map, longest_px=500)
    a, b = (grid_map.cell_to_world(cell)[:2] for cell in ((30, 40), (30, 60)))
    drawn.line([a, b], (0, 0, 255), 5)
    drawn.dot(*b, 8, (255, 0, 0))
    assert colour_at(drawn, *grid_map.cell_to_world((30, 50))[:2]) == (0, 0, 255)
    assert colour_at(drawn, *b) == (255, 0, 0)


def test_axes_point_along_the_map_frame():
    grid_map = GridMap(np.zeros((40, 40), np.int8), 0.1, Pose2D(-2.0, -2.0, 0.0))
    drawn = MapPicture(grid_map, longest_px=400)
    drawn.draw_axes(60)
    half = 30 / drawn.px_per_m
    assert colour_at(drawn, half, 0.0) == picture.X_AXIS
    assert colour_at(drawn, 0.0, half) == picture.Y_AXIS


def test_a_far_origin_does_not_break_the_axes():
    grid_map = GridMap(np.zeros((4, 4), np.int8), 0.1, Pose2D(1e9, 1e9, 0.0))
    drawn = MapPicture(grid_map, longest_px=400)
    assert not drawn.shows(0.0, 0.0)
    drawn.draw_axes()


def test_the_frame_keeps_the_picture_whole(grid_map):
    drawn = MapPicture(grid_map, longest_px=600)
    page = framed(drawn, "title", "subtitle", legend_for(drawn, "region"))
    height, width = drawn.image.shape[:2]
    left = (page.shape[1] - width) // 2
    assert page.shape[1] >= 900
    assert any(
        np.array_equal(page[top : top + height, left : left + width], drawn.image)
        for top in range(page.shape[0] - height)
    )


@pytest.mark.parametrize("limit, length", [(0.9, 0.5), (1.0, 1), (4.9, 2), (5, 5), (99, 50)])
def test_scale_bars_have_round_lengths(limit, length):
    assert nice_length(limit) == pytest.approx(length)
