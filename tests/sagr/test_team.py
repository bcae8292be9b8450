"""A joint mission on nodes comes out as it does without ROS."""

import io
import json

import pytest
from adm_core.missions.coordinators import CoordinatorSetup
from adm_core.missions.search_setup import SearchMissionConfig, set_up_search
from adm_core.missions.setup import MissionConfig
from adm_core.missions.team import prepare_team
from adm_core.missions.team_config import TeamConfig
from adm_nodes.bringup.pacing import PacingConfig
from adm_nodes.bringup.search_nodes import SearchParameters, search_nodes
from adm_nodes.bringup.spec import ros_args, write_parameters
from adm_nodes.bringup.stack import load_class
from adm_nodes.bringup.team import run_team
from adm_nodes.bringup.team_nodes import team_nodes
from adm_nodes.common.run_config import RunConfig
from small_floor import write_small_floor


def carried_out(folder, seed, one_per_process=False, **joint):
    config = MissionConfig(map=str(write_small_floor(folder)), seed=seed, containers=2, stations=1)
    screen = io.StringIO()
    code = run_team(
        config,
        TeamConfig(searchers=2, **joint),
        PacingConfig(patience_s=60.0),
        one_per_process,
        folder,
        screen,
    )
    summary = json.loads((folder / "latest" / "summary.json").read_text())
    return code, summary, screen.getvalue()


@pytest.mark.parametrize(("seed", "budget"), [(0, 0), (2, 400)])
def test_searchers_find_what_the_manipulator_delivers(domain, tmp_path, seed, budget):
    code, summary, printed = carried_out(tmp_path, seed, team_budget=budget)
    assert summary["plain"]["equal"], (summary, printed)
    assert (code, summary["outcome"]) == (0, "completed")
    assert summary["delivered"] == summary["containers"] == 2
    assert summary["late_moves"] == 0
    if seed == 2:
        assert summary["sweeps"] > 0  # the searchers began anew


def test_one_process_per_node(domain, tmp_path):
    code, summary, printed = carried_out(tmp_path, 0, one_per_process=True, team_budget=400)
    assert summary["plain"]["equal"], (summary, printed)
    assert code == 0
    assert len(set(summary["processes"].values())) == len(summary["processes"]) == 10


def specs_of_everything(folder):
    """Return the nodes of a search and of a joint mission with every parameter they are given."""
    floor = str(write_small_floor(folder))
    given = SearchParameters(SearchMissionConfig(map=floor, robots=2))
    setup = set_up_search(given.mission, given.sensor, 0.0, CoordinatorSetup("policy"))
    config, joint = MissionConfig(map=floor, containers=2), TeamConfig(searchers=2, team_budget=9)
    team = team_nodes(config, joint, PacingConfig(), RunConfig(), prepare_team(config, joint))
    return [*search_nodes(given, setup), *team]


def test_nodes_know_every_parameter_that_they_are_given(spinning, tmp_path):
    for number, spec in enumerate(specs_of_everything(tmp_path)):
        parameters = write_parameters(tmp_path / f"{number}.yaml", [spec])
        node = load_class(spec)(context=spinning.context, cli_args=ros_args(spec, parameters))
        given = set(node._parameter_overrides) - {"use_sim_time"}
        assert given <= set(node._parameters), spec.path
        node.destroy_node()
