"""The reference that knows the layout and the type."""

from adm_core.search.config import SearchConfig
from adm_core.search.task import SearchTask
from adm_core.simulation.search.oracle import InformedMap
from adm_core.simulation.search.scenario import make_scenario
from search_teams import drawn, mission


def test_it_wants_unseen_cells_of_the_type_only():
    scenario = drawn("########\n#0ccckk#\n########")
    known = InformedMap(scenario, SearchConfig(), "kitchen")
    assert known.frontier().tolist() == [8 + 5, 8 + 6]
    assert InformedMap(scenario, SearchConfig(), "").frontier_mask().sum() == 6


def test_it_is_faster_than_those_that_do_not_know():
    scenarios = [make_scenario("small", seed) for seed in range(50, 54)]
    steps = {
        method: sum(mission(one, method, None).finish().steps for one in scenarios)
        for method in ("oracle", "nf_h")
    }
    assert steps["oracle"] < steps["nf_h"]


def test_it_ends_when_nothing_of_the_type_is_left():
    team = mission(drawn("######\n#0ck##\n######"), "oracle", SearchTask("f", "cup", "kitchen"))
    assert team.finish().state in ("done", "found")
