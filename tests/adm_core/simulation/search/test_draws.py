"""Draws of starts and targets."""

import numpy as np
import pytest
from adm_core.errors import MissionError
from adm_core.grid.distance import distance_field
from adm_core.simulation.search import draws
from adm_core.simulation.search.config import ScenarioConfig
from adm_core.types import Cell, GridMap


def rng(seed=0):
    return np.random.default_rng(seed)


def test_a_cluster_is_a_cell_and_those_nearest_to_it_by_path():
    area = np.ones((9, 9), bool)
    area[:, 4] = False
    area[8, 4] = True
    for seed in range(20):
        cells = draws.cluster(area, 6, rng(seed))
        assert len(set(cells)) == 6 and all(area[cell] for cell in cells)
        steps = distance_field(np.where(area, 0, 100).astype(np.int8), cells[0], diagonal="unit")
        farthest = max(steps[cell] for cell in cells)
        others = area & ~np.isin(np.arange(81).reshape(9, 9), [r * 9 + c for r, c in cells])
        assert steps[others].min() >= farthest


def test_picked_cells_differ_and_cover_the_area():
    area = np.zeros((3, 4), bool)
    area[1, 1:] = True
    assert set(draws.pick(area, 3, rng())) == {(1, 1), (1, 2), (1, 3)}


@pytest.mark.parametrize("draw", [draws.pick, draws.cluster])
def test_too_few_cells_are_refused(draw):
    area = np.zeros((3, 4), bool)
    area[0, :2] = True
    with pytest.raises(MissionError, match="3 robots need as many free cells to begin on, got 2"):
        draw(area, 3, rng())


def test_hidden_cells_are_far_reachable_and_out_of_sight():
    data = np.zeros((5, 60), np.int8)
    data[:, 50] = 100
    config = ScenarioConfig(target_steps=20)
    hidden = draws.hidden_cells(GridMap(data, 0.25), [Cell(2, 0), Cell(2, 1)], [0.0, 0.0], config)
    assert np.array_equal(np.flatnonzero(hidden.any(axis=0)), np.arange(21, 50))
    near = ScenarioConfig(target_steps=0)
    hidden = draws.hidden_cells(GridMap(data, 0.25), [Cell(2, 0)], [0.0], near)
    assert not hidden[2, :11].any() and hidden[2, 11]


def test_a_type_without_an_allowed_cell_gives_way():
    types = np.array([[1, 2, 2, 3]], np.uint16)
    allowed = np.array([[False, True, False, False]])
    for seed in range(10):
        assert draws.draw_target(types, allowed, [1, 2, 3], rng(seed)) == (2, (0, 1))
    with pytest.raises(MissionError, match="all are near or in sight"):
        draws.draw_target(types, allowed, [1, 3], rng())


def test_headings_go_all_around():
    angles = np.array(draws.headings(400, rng()))
    assert angles.min() < -3 and angles.max() > 3 and abs(angles.mean()) < 0.4
