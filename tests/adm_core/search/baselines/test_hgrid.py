import numpy as np
import pytest
from adm_core.errors import ConfigError
from adm_core.search.baselines import RacerConfig
from adm_core.search.baselines.hgrid import HGrid
from adm_core.search.config import SearchConfig
from adm_core.search.team_map import TeamMap
from adm_core.types import Cell


def known_map(grid):
    known = TeamMap(grid.shape, {}, SearchConfig())
    cells = np.flatnonzero(grid.ravel() >= 0)
    known.observe(cells, grid.ravel()[cells], np.zeros(len(cells), np.uint16))
    return known


def half_known():
    grid = np.full((32, 48), -1, np.int8)
    grid[:, :20] = 0
    return grid


def test_tasks_lie_along_the_frontier_only():
    grid = HGrid((32, 48), RacerConfig())
    tasks = grid.update(known_map(half_known()), [Cell(0, 0)])
    rows, cols = np.divmod(tasks.centres, 48)
    assert len(tasks.ids) and (cols >= 19).all() and (cols <= 24).all()
    assert (half_known()[rows, cols] == -1).any()
    assert len(set(tasks.ids.tolist())) == len(tasks.ids)


def test_a_split_root_leaves_its_owner_to_its_leaves():
    config = RacerConfig(split_unknown=0.8)
    grid = HGrid((32, 48), config)
    unknown = np.full((32, 48), -1, np.int8)
    unknown[0, 0] = 0
    before = grid.update(known_map(unknown), [Cell(0, 0)])
    grid.owner[before.ids] = 3
    after = grid.update(known_map(half_known()), [Cell(0, 0)])
    assert before.ids.tolist() == [0] and grid.parent(before.ids).tolist() == [0]
    leaves = np.flatnonzero(grid.parent(np.arange(len(grid.owner))) == 0)
    assert len(leaves) == 5 and (grid.owner[leaves] == 3).all()
    assert 0 not in after.ids


def test_a_frontier_that_no_robot_can_get_to_is_no_task():
    grid = half_known()
    grid[:, 10] = 100
    found = HGrid(grid.shape, RacerConfig()).update(known_map(grid), [Cell(0, 0)])
    assert len(found.ids) == 0 and (found.cluster_task == -1).all()


def test_a_cluster_in_a_grid_cell_without_unknown_ones_is_a_task_with_a_centre():
    grid = np.full((16, 32), 0, np.int8)
    grid[:, 16:] = 100
    grid[8, 16:20] = [-1, -1, 100, 100]
    known = known_map(grid)
    tasks = HGrid(grid.shape, RacerConfig(min_unknown=50)).update(known, [Cell(0, 0)])
    assert len(tasks.ids) == 1 and tasks.cluster_task.tolist() == [0]
    assert tasks.centres[0] == known.clusters().representatives[0]
    assert tasks.demand.tolist() == [1]


def test_a_known_map_has_no_tasks():
    found = HGrid((16, 16), RacerConfig()).update(known_map(np.zeros((16, 16), np.int8)), [])
    assert [len(part) for part in found] == [0, 0, 0, 0]


def test_leaves_must_fit_into_roots():
    with pytest.raises(ConfigError, match="leaf_cells"):
        RacerConfig(root_cells=16, leaf_cells=6)
