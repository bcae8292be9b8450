"""Search missions: lockstep of world, maps, explorers and radio."""

import pytest
from adm_core.missions.search import SearchMission, Setting
from adm_core.search.task import SearchTask
from adm_core.simulation.search.scenario import make_scenario
from adm_core.simulation.search.world import remaining

EXPLORE = SearchTask()


def explored(method="nf_h", scale="small", seed=11, **setting):
    mission = SearchMission(make_scenario(scale, seed), method, EXPLORE, Setting(**setting))
    return mission, mission.finish()


def test_exploration_leaves_nothing_reachable_unknown():
    mission, result = explored()
    scenario = mission.scenario
    assert result.state == "done"
    assert remaining(scenario.truth.data, mission.maps[0], scenario.starts) == 0


def test_the_same_arguments_give_the_same_mission():
    runs = [[snapshot.cells for snapshot in explored()[0].run()] for _ in range(2)]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("seed", range(3))
def test_a_search_ends_when_a_target_is_seen(seed):
    mission = SearchMission(make_scenario("small", seed), "nf_h")
    result = mission.finish()
    assert result.state == "found"
    assert mission.maps[0].grid[mission.scenario.target] == 0
