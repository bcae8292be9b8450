"""A joint mission on nodes comes out as it does without ROS."""

import io
import json

import pytest
from adm_core.missions.setup import MissionConfig
from adm_core.missions.team_config import TeamConfig
from adm_nodes.bringup.pacing import PacingConfig
from adm_nodes.bringup.team import run_team
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
