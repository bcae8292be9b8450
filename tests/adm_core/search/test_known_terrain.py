import numpy as np
from adm_core.search.config import SearchConfig
from adm_core.search.known_terrain import KnownTerrain
from adm_core.search.team_map import TeamMap
from adm_core.types import Cell, GridMap
from search_worlds import draw


def terrain_of(team_map):
    return KnownTerrain(GridMap(np.zeros(team_map.shape, np.int8), 0.5), team_map)


def test_only_what_is_known_can_be_walked_on():
    terrain = terrain_of(draw("..?..\n###.#"))
    assert terrain.standable.tolist() == [
        [True, True, False, True, True],
        [False, False, False, True, False],
    ]
    assert terrain.path(Cell(0, 0), Cell(0, 3)) == []
    assert np.isinf(terrain.distances(terrain.pose(Cell(0, 0)), [terrain.pose(Cell(0, 4))]))


def test_ways_open_as_the_map_grows():
    team_map = draw("..?..\n###.#")
    terrain = terrain_of(team_map)
    assert terrain.path(Cell(0, 0), Cell(0, 4)) == []
    team_map.observe(np.array([2]), np.array([0], np.int8), np.array([0], np.uint16))
    terrain.follow(team_map)
    assert terrain.path(Cell(0, 0), Cell(0, 4)) == [Cell(0, col) for col in range(5)]
    assert terrain.distances(terrain.pose(Cell(0, 0)), [terrain.pose(Cell(0, 4))]) == [2.0]


def test_another_map_takes_the_place_of_the_first():
    terrain = terrain_of(draw("..."))
    terrain.follow(draw(".#."))
    assert terrain.path(Cell(0, 0), Cell(0, 2)) == []


def test_room_for_the_robot_is_the_maps():
    team_map = TeamMap((3, 5), {}, SearchConfig(radius_cells=1.0))
    cells = np.arange(15)
    team_map.observe(cells, np.zeros(15, np.int8), np.zeros(15, np.uint16))
    team_map.observe(cells[:1], np.array([100], np.int8), np.zeros(1, np.uint16))
    terrain = terrain_of(team_map)
    assert not terrain.is_standable(Cell(0, 1))
    assert terrain.is_standable(Cell(1, 2))
