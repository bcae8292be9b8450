"""Filling of polygons by cell centres."""

import numpy as np
from adm_core.grid.floorplans.polygons import fill_polygon
from hypothesis import given
from hypothesis import strategies as st

points = st.tuples(st.integers(-8, 48), st.integers(-8, 48)).map(lambda p: (p[0] / 4, p[1] / 4))


def is_inside(ring, x, y):
    """Count the edges that a ray to the right of (x, y) crosses."""
    crossed = 0
    for (x0, y0), (x1, y1) in zip(ring, [*ring[1:], ring[0]], strict=True):
        if (y0 <= y) != (y1 <= y):
            crossed += x0 + (y - y0) / (y1 - y0) * (x1 - x0) <= x
    return crossed % 2 == 1


@given(st.lists(points, min_size=3, max_size=8))
def test_cells_are_filled_by_their_centres(ring):
    filled = fill_polygon(ring, (9, 11))
    for (row, col), value in np.ndenumerate(filled):
        assert value == is_inside(ring, col + 0.5, row + 0.5)


def test_a_rectangle_on_the_lattice_is_exact():
    filled = fill_polygon([(2, 1), (5, 1), (5, 4), (2, 4)], (6, 7))
    expected = np.zeros((6, 7), bool)
    expected[1:4, 2:5] = True
    assert np.array_equal(filled, expected)


def test_neighbours_share_no_cell_and_leave_none_out():
    left = fill_polygon([(0, 0), (3.5, 0), (2.25, 8), (0, 8)], (8, 8))
    right = fill_polygon([(3.5, 0), (8, 0), (8, 8), (2.25, 8)], (8, 8))
    assert not (left & right).any() and (left | right).all()


def test_a_strip_of_wall_two_cells_wide_stays_open_between_rooms():
    ring = [(0, 0), (4, 0), (4, 3), (6, 3), (6, 0), (10, 0), (10, 6), (0, 6)]
    assert not fill_polygon(ring, (6, 10))[:3, 4:6].any()
