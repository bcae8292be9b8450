from dataclasses import replace

import pytest
from adm_core.missions.search import SearchMission, Setting
from adm_core.search.baselines import BASELINES
from adm_core.search.config import SearchConfig
from adm_core.search.methods import METHODS
from adm_core.search.task import SearchTask
from adm_core.simulation.search.config import ScenarioConfig
from adm_core.simulation.search.scenario import make_scenario
from adm_core.simulation.search.world import remaining


def explore(name, seed=1001):
    scenario = replace(make_scenario("small", seed), targets=())
    mission = SearchMission(scenario, name, SearchTask(), seed=seed)
    return scenario, mission, mission.finish()


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_explores_all_that_can_be_reached(name):
    scenario, mission, result = explore(name)
    assert result.state == "done"
    assert remaining(scenario.truth.data, mission.maps[0], scenario.starts) == 0


@pytest.mark.parametrize("name", ["aep_dvc", "racer"])
def test_equal_seeds_give_equal_missions(name):
    first, second = explore(name)[2], explore(name)[2]
    assert first == second


def test_every_baseline_is_a_method():
    assert set(BASELINES) <= set(METHODS)


def test_views_are_weighed_with_the_sensor_of_the_robots():
    sensor = ScenarioConfig(fov_deg=90.0, range_cells=8.0)
    mission = SearchMission(make_scenario("small", 1001), "aep_dvc", None, Setting(sensor=sensor))
    config = mission.maps[0].config
    assert (config.fov_deg, config.range_cells) == (90.0, 8.0)


def test_by_default_views_have_the_sensor_of_the_experiments():
    config, sensor = SearchConfig(), ScenarioConfig()
    assert (config.fov_deg, config.range_cells) == (sensor.fov_deg, sensor.range_cells)
