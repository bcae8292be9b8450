from dataclasses import replace

import pytest
from adm_core.missions.search import SearchMission, Setting
from adm_core.search.baselines import BASELINES
from adm_core.search.config import SearchConfig
from adm_core.search.methods import METHODS
from adm_core.search.task import SearchTask
from adm_core.simulation.search.config import ScenarioConfig
from adm_core.simulation.search.scenario import make_scenario
from adm_core.simulation.search.world import Faults, remaining


def explore(name, seed=1001, faults=None):
    scenario = replace(make_scenario("small", seed), targets=())
    setting = Setting(faults=faults or Faults())
    mission = SearchMission(scenario, name, SearchTask(), setting, seed)
    return scenario, mission, mission.finish()


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_explores_all_that_can_be_reached(name):
    scenario, mission, result = explore(name)
    assert result.state == "done"
    assert remaining(scenario.truth.data, mission.maps[0], scenario.starts) == 0


@pytest.mark.parametrize("silent", [True, False])
@pytest.mark.parametrize("name", ["aep_dvc", "racer", "racer_hgrid"])
def test_the_others_do_the_work_of_a_robot_that_stops(name, silent):
    """RACER 53, 55, 58: a stopped robot kept its tasks, and the end was not that of the team."""
    faults = Faults(stops=1, stops_at=40, silent=silent)
    scenario, mission, result = explore(name, faults=faults)
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
