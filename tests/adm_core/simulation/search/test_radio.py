"""Limited and lossy radio: each robot has its own map and merges it on contact."""

import numpy as np
import pytest
from adm_core.search.config import SearchConfig
from adm_core.search.team_map import TeamMap
from adm_core.simulation.search.radio import Radio, RadioConfig
from adm_core.simulation.search.scenario import make_scenario
from adm_core.simulation.search.world import remaining
from adm_core.types import Cell
from search_teams import mission


def maps_with(count):
    """Return maps of which each knows another cell."""
    found = [TeamMap((1, count), {}, SearchConfig()) for _ in range(count)]
    for i, known in enumerate(found):
        known.observe(np.array([i]), np.zeros(1, np.int8), np.zeros(1, np.uint16))
    return found


def test_without_limits_all_hear_all():
    radio = Radio(RadioConfig(), 3, 0)
    assert not radio.limited
    assert radio.hears(0, 2)


def test_maps_are_merged_in_reach_also_over_others():
    radio, maps = Radio(RadioConfig(radio_cells=5.0), 3, 0), maps_with(3)
    radio.share([Cell(0, 0), Cell(0, 4), Cell(0, 8)], maps)
    assert all((known.grid == 0).all() for known in maps)
    assert radio.hears(0, 2)


def test_maps_stay_apart_out_of_reach():
    radio, maps = Radio(RadioConfig(radio_cells=5.0), 2, 0), maps_with(2)
    radio.share([Cell(0, 0), Cell(0, 9)], maps)
    assert [int((known.grid == 0).sum()) for known in maps] == [1, 1]
    assert not radio.hears(0, 1)


def test_a_total_loss_keeps_all_apart():
    radio, maps = Radio(RadioConfig(radio_loss=1.0), 2, 0), maps_with(2)
    radio.share([Cell(0, 0), Cell(0, 1)], maps)
    assert not radio.hears(0, 1)
    assert radio.hears(0, 0)


@pytest.mark.parametrize("method", ["nf_h", "sagr", "sagr+"])
@pytest.mark.parametrize("radio", [RadioConfig(radio_cells=12.0), RadioConfig(radio_loss=0.8)])
def test_a_team_explores_with_a_poor_radio(method, radio):
    team = mission(make_scenario("small", 46), method, radio=radio)
    assert team.finish().state == "done"
    scenario = team.scenario
    for known in team.maps:
        assert remaining(scenario.truth.data, known, scenario.starts) == 0
