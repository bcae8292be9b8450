import numpy as np
from adm_core.grid.terrain import Terrain
from adm_core.planning.coverage import Coverage
from adm_core.types import Cell, GridMap
from worlds import field


def test_a_search_sees_every_cell_and_then_begins_anew():
    terrain = field(4)
    coverage, robot, seen = Coverage(terrain, 1.0), Cell(0, 0), set()
    coverage.look(robot)
    for _ in range(16):
        robot = coverage.next_goal(robot)
        seen.add(robot)
        coverage.look(robot)
    grid = np.zeros((4, 4), bool)
    for row, col in seen:
        for r, c in ((row, col), (row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)):
            if 0 <= r < 4 and 0 <= c < 4:
                grid[r, c] = True
    assert grid.all()


def test_the_nearest_unseen_place_comes_first():
    coverage = Coverage(field(6), 0.0)
    coverage.look(Cell(2, 2))
    assert coverage.next_goal(Cell(2, 2)) == Cell(1, 2)


def test_with_nothing_left_to_see_the_robot_stays():
    terrain = Terrain.for_robot(GridMap(np.zeros((1, 1), np.int8), 1.0), 0.0)
    coverage = Coverage(terrain, 1.0)
    coverage.look(Cell(0, 0))
    assert coverage.next_goal(Cell(0, 0)) == Cell(0, 0)


def test_of_equally_near_places_the_one_that_shows_most_comes_first():
    coverage = Coverage(field(6), 1.0)
    coverage.look(Cell(0, 0))
    coverage.look(Cell(0, 1))
    assert coverage.next_goal(Cell(0, 1)) == Cell(2, 1)  # row-major order would hug the wall


def test_the_first_of_equal_places_comes_row_major():
    coverage = Coverage(field(7), 1.0)
    coverage.look(Cell(3, 3))
    assert coverage.next_goal(Cell(3, 3)) == Cell(1, 3)
