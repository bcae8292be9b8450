"""Furniture stands where it may."""

import numpy as np
import pytest
from adm_core.grid.regions import shrink
from adm_core.simulation.building.furniture import CATALOGUE, GAP_M, Floor, Kind
from adm_core.simulation.building.plan import Rect
from adm_core.simulation.building.program import ROOM_TYPES
from scipy import ndimage


def furnished(type_, seed, size=(70, 90), clear=()):
    floor = Floor(Rect(100, 200, 100 + size[0], 200 + size[1]), list(clear), 0.05, 0.2)
    floor.furnish(CATALOGUE[type_], np.random.default_rng(seed))
    return floor


def free_cells(floor):
    free = np.ones((floor.rect.height, floor.rect.width), bool)
    for piece in floor.pieces:
        rect = piece.rect
        free[
            rect.y0 - floor.rect.y0 : rect.y1 - floor.rect.y0,
            rect.x0 - floor.rect.x0 : rect.x1 - floor.rect.x0,
        ] = False
    return free


def gap(a, b):
    return max(a.x0 - b.x1, b.x0 - a.x1, a.y0 - b.y1, b.y0 - a.y1)


def test_every_room_type_has_furniture():
    assert set(CATALOGUE) == set(ROOM_TYPES)


@pytest.mark.parametrize("type_", CATALOGUE)
def test_pieces_stay_inside_apart_and_out_of_the_way(type_):
    clear = [Rect(120, 195, 140, 220), Rect(95, 250, 120, 270)]
    placed = 0
    for seed in range(20):
        floor = furnished(type_, seed, clear=clear)
        placed += len(floor.pieces)
        rects = [piece.rect for piece in floor.pieces]
        for rect in rects:
            assert floor.rect.x0 <= rect.x0 < rect.x1 <= floor.rect.x1
            assert floor.rect.y0 <= rect.y0 < rect.y1 <= floor.rect.y1
            assert all(gap(rect, area) >= 0 for area in clear)
            assert all(gap(rect, other) * 0.05 >= GAP_M for other in rects if other is not rect)
    assert placed > 20


@pytest.mark.parametrize("type_", CATALOGUE)
@pytest.mark.parametrize("size", [(40, 45), (70, 90), (200, 50)])
def test_the_robot_gets_everywhere(type_, size):
    for seed in range(10):
        free = free_cells(furnished(type_, seed, size))
        assert ndimage.label(free)[1] == 1
        assert ndimage.label(shrink(free, 4.0))[1] == 1


def test_a_room_full_of_wishes_ends_with_what_fits():
    floor = Floor(Rect(0, 0, 60, 60), [], 0.05, 0.2)
    floor.furnish((Kind("bed", 1.6, 2.0, True, 50, 50),), np.random.default_rng(0))
    assert 0 < len(floor.pieces) < 5


def test_pieces_larger_than_the_room_are_left_out():
    floor = Floor(Rect(0, 0, 30, 30), [], 0.05, 0.2)
    floor.furnish((Kind("ship", 9.0, 2.0, True, 1, 1),), np.random.default_rng(0))
    assert floor.pieces == []


def test_wall_pieces_stand_at_a_wall_and_free_ones_do_not():
    for seed in range(20):
        for piece in furnished("living", seed).pieces:
            rect = piece.rect
            margins = (rect.x0 - 100, rect.y0 - 200, 170 - rect.x1, 290 - rect.y1)
            if piece.name in ("sofa", "shelf"):
                assert min(margins) == 0
                assert not any(0 < margin * 0.05 < 0.35 for margin in margins)
            else:
                assert min(margins) * 0.05 >= 0.7
