"""Half-explored plans."""

import numpy as np
import pytest
from adm_core.errors import MissionError
from adm_core.grid.distance import distance_field
from adm_core.grid.floorplans import LabelledMap, load_floorplan
from adm_core.grid.frontiers import frontier_cells
from adm_core.grid.labels import LabelGrid
from adm_core.search.task import SearchTask
from adm_core.simulation.search.reveal import partial_view, reveal
from adm_core.simulation.search.scenario import make_scenario
from adm_core.types import Cell, GridMap
from floorplans import PLANS
from scipy import ndimage


@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.5, 0.99, 1.0])
def test_the_nearest_part_is_known_with_its_walls(fraction):
    truth = make_scenario("small", 1).truth.data
    start = Cell(*np.argwhere(truth == 0)[100].tolist())
    known = reveal(truth, [start], fraction)
    free = known == 0
    assert ndimage.label(free)[1] == 1 and free[start]
    assert free.sum() == max(1, np.ceil(fraction * (truth == 0).sum()))
    steps = distance_field(truth, start)
    assert steps[free].max() <= steps[(truth == 0) & ~free].min(initial=10**6)
    around = ndimage.binary_dilation(free, np.ones((3, 3)))
    assert np.array_equal(known == 100, around & (truth != 0))
    assert (len(frontier_cells(known)) == 0) == (fraction == 1.0)


def test_behind_walls_and_in_the_unknown_nothing_can_ever_be_seen():
    truth = np.array([[0, 0, -1], [100, 100, 100], [0, 0, 0]], np.int8)
    known = reveal(truth, [Cell(0, 0)], 1.0)
    assert known.tolist() == [[0, 0, 100], [100, 100, 100], [-1, -1, -1]]


@pytest.mark.parametrize("fraction", [-0.1, 1.1, np.nan])
def test_other_fractions_are_refused(fraction):
    with pytest.raises(ValueError, match="fraction must be between 0 and 1"):
        reveal(np.zeros((2, 2), np.int8), [Cell(0, 0)], fraction)


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_teams_stand_on_the_known_floor_of_real_plans(path):
    plan = load_floorplan(path, cell_m=0.25)
    view = partial_view(plan, 3, 7, fraction=0.5, task=SearchTask("find", "cup", "office"))
    assert [robot.id for robot in view.robots] == [0, 1, 2]
    assert all(view.map.grid[robot.cell] == 0 for robot in view.robots)
    graph = view.map.graph(view.robot_cells)
    assert (graph.robot_room > 0).all() and graph.nodes
    again = partial_view(plan, 3, 7, fraction=0.5)
    assert np.array_equal(view.map.grid, again.map.grid)
    assert not np.array_equal(view.map.grid, partial_view(plan, 3, 8, fraction=0.5).map.grid)


def test_a_map_may_be_taken_as_it_is():
    data = np.array([[0, 0, -1], [0, 0, 100]], np.int8)
    plan = LabelledMap(GridMap(data, 0.25), LabelGrid(np.ones((2, 3), np.uint16), {1: "hall"}))
    view = partial_view(plan, 1, 0)
    assert np.array_equal(view.map.grid, data)


def test_more_robots_than_floor_are_refused():
    plan = LabelledMap(
        GridMap(np.zeros((2, 2), np.int8), 0.25), LabelGrid(np.zeros((2, 2), np.uint16))
    )
    with pytest.raises(MissionError, match="5 robots"):
        partial_view(plan, 5, 0)
