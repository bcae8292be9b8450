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
