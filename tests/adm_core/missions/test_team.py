"""Joint missions: searchers explore an unknown building, a manipulator collects meanwhile."""

import json
import sqlite3
from itertools import pairwise

import numpy as np
import pytest
from adm_core.commands import mission as command
from adm_core.errors import ConfigError, MissionError
from adm_core.memory.audit import AuditLog
from adm_core.memory.static import Station
from adm_core.missions.setup import MissionConfig
from adm_core.missions.spec import MissionSpec
from adm_core.missions.team import prepare_team, summarize_team, team_mission
from adm_core.missions.team_config import TeamConfig
from adm_core.missions.team_setup import make_team_setup
from adm_core.planning.ports import Command, Primitive
from adm_core.search.team_map import FREE
from adm_core.types import Cell, Pose2D
from data import ROOT

from adm_core import cli

FLOORS = ROOT / "floorplans"


def small(seed=0, containers=6, **team):
    config = MissionConfig(seed=seed, containers=containers)
    return prepare_team(config, TeamConfig(**{"scale": "small", "team_budget": 4000, **team}))


def finish(team, audit=None):
    mission = team_mission(team, audit)
    snapshots = list(mission.run())
    return summarize_team(team, mission, 0.0), mission, snapshots


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", ["small", "medium"])
def test_all_containers_of_an_unknown_apartment_are_delivered(scale, seed):
    team = prepare_team(MissionConfig(seed=seed), TeamConfig(scale=scale))
    summary, _, _ = finish(team)
    assert summary.success
    assert summary.outcome == "completed"
    assert summary.steps < summary.in_turn_steps


@pytest.mark.parametrize("plan", ["utexas_gdc/3ne/3ne.yaml", "houseexpo/apt_small.json"])
def test_all_containers_of_a_real_floor_are_delivered(plan):
    config = MissionConfig(map=str(FLOORS / plan), containers=3, seed=1)
    summary, _, _ = finish(prepare_team(config, TeamConfig(team_budget=6000)))
    assert summary.success
    assert summary.searchers == 3


def test_containers_that_jump_are_found_again():
    summary, mission, _ = finish(small(3, relocation=0.01))
    assert summary.success
    assert summary.sweeps > 0
    assert mission.world.facts().delivered == 6


def test_collecting_begins_while_the_search_goes_on():
    summary, _, snapshots = finish(small(1))
    first = next(item.step for item in snapshots if item.delivered)
    assert summary.searched_at is None or first < summary.searched_at


def test_the_manipulator_walks_on_what_the_team_knows():
    team = small(2)
    mission = team_mission(team)
    for snapshot in mission.run():
        cell = team.setup.terrain.cell(snapshot.robot)
        assert mission.world.simulated.scouts.known.grid[cell] == FREE


def test_containers_are_out_of_sight_when_it_begins():
    team = small()
    world = team.world(lambda batch: None)
    cells = [item.cell for item in world.containers]
    assert not {row * team.hiding.shape[1] + col for row, col in cells} & set(team.yard.tolist())


def test_every_report_names_its_searcher_and_lies_in_its_view():
    team = small(2, made_up=0.2)
    batches = []
    world = team.world(batches.append)
    report = world.start()
    named = set()
    for _ in range(80):
        views = world.scouts.views()
        for batch in batches:
            if batch.source_id.startswith("searcher_"):
                named.add(batch.source_id)
                view = set(views[int(batch.source_id.removeprefix("searcher_"))].tolist())
                cells = [team.setup.terrain.cell(item.pose) for item in batch.detections]
                assert {cell.row * team.hiding.shape[1] + cell.col for cell in cells} <= view
                assert batch.stamp == report.step
        batches.clear()
        report = world.act(Command(Primitive.WAIT, report.robot))
    assert named == {"searcher_0", "searcher_1"}


def test_the_same_arguments_give_the_same_mission():
    first, second = (finish(small(4))[0] for _ in range(2))
    assert first == second
    team = small(4)
    assert finish(team)[0] == finish(team)[0] == first


def test_other_seeds_give_other_missions():
    assert finish(small(0))[0].decision_sha256 != finish(small(1))[0].decision_sha256


def test_searchers_begin_anew_when_they_have_seen_everything():
    scouts = small().scouts()
    for step in range(2500):
        scouts.advance(step)
        if scouts.sweeps == 2:
            break
    assert scouts.sweeps == 2
    assert scouts.share > 0.99
    assert {len(way) for way in scouts.ways} == {step + 2}
    for way in scouts.ways:
        assert all(max(abs(a[0] - b[0]), abs(a[1] - b[1])) <= 1 for a, b in pairwise(way))


def test_more_searchers_than_the_scale_has_begin_side_by_side():
    team = make_team_setup(MissionConfig(), TeamConfig(scale="small", searchers=7))
    starts = team.building.starts
    assert len(set(starts)) == 7 == len(team.building.headings_rad)
    assert all(max(abs(np.subtract(cell, starts[0]))) <= 3 for cell in starts)
    fewer = make_team_setup(MissionConfig(), TeamConfig(scale="large", searchers=1))
    assert len(fewer.building.starts) == 1


def test_an_interrupted_mission_is_resumed_from_its_log(tmp_path):
    whole, _, _ = finish(small(5))
    path = tmp_path / "audit.sqlite"
    with AuditLog(path) as audit:
        mission = team_mission(small(5), audit)
        run = mission.run()
        for _ in range(150):
            next(run)
        run.close()
    with AuditLog(path) as audit:
        again, _, _ = finish(small(5), audit)
    assert again == whole
    with sqlite3.connect(path) as db:
        sources = {name for (name,) in db.execute("SELECT DISTINCT source_id FROM evidence")}
    assert {"searcher_0", "searcher_1"} <= sources


def test_stations_of_a_file_are_refused():
    spec = MissionSpec(stations=(Station("s", Pose2D(0, 0), ("can",)),))
    with pytest.raises(ConfigError, match="stations"):
        make_team_setup(MissionConfig(), TeamConfig(), spec=spec)


def test_a_goal_and_rules_of_a_file_are_kept():
    spec = MissionSpec(goal="tidy up", rules=("be quick",), profile=(("attention.k", 3),))
    setup = make_team_setup(MissionConfig(), TeamConfig(), spec=spec).setup
    assert (setup.mission.goal, setup.mission.rules) == ("tidy up", ("be quick",))
    assert setup.profile.attention.k == 3


def test_a_building_that_hides_nothing_is_refused(tmp_path):
    (tmp_path / "m.pgm").write_bytes(b"P5\n12 12\n255\n" + b"\xfe" * 144)
    (tmp_path / "m.yaml").write_text(
        "{image: m.pgm, resolution: 0.25, origin: [0, 0, 0], negate: 0, "
        "occupied_thresh: 0.65, free_thresh: 0.196}"
    )
    config = MissionConfig(map=str(tmp_path / "m.yaml"), containers=100)
    with pytest.raises(MissionError, match="100 containers need as many places out of sight"):
        make_team_setup(config, TeamConfig())


# --- adm mission --team ------------------------------------------------------------------------


@pytest.fixture
def adm(monkeypatch, capfd):
    monkeypatch.setattr(cli, "load_commands", lambda: {"mission": command})

    def run(*arguments):
        code = cli.main(["mission", *map(str, arguments)])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


def test_command_saves_summary_log_and_picture(adm, tmp_path):
    folder = tmp_path / "run"
    options = ["--team", "--scale", "small", "--seed", 1, "--containers", 4, "--save", folder]
    code, out, err = adm(*options, "--json")
    summary = json.loads(out)
    assert (code, err) == (0, "")
    assert (summary["delivered"], summary["searchers"]) == (4, 2)
    assert summary["steps"] < summary["in_turn_steps"]
    assert {item.name for item in folder.iterdir()} >= {
        "summary.json",
        "audit.sqlite",
        "mission.png",
    }
    again, _, _ = adm("--resume", folder)
    assert again == 0


def test_command_tells_people_about_the_searchers(adm):
    code, out, _ = adm("--team", "--scale", "small", "--containers", 2, "--searchers", 4)
    assert code == 0
    assert "4 by sagr+" in out
    assert "steps in turn" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--searchers", 2], "need --team"),
        (["--team", "--search-method", "magic"], "method must be one of"),
        (["--team", "--searchers", 100], "searchers"),
        (["--team", "--world", "world.sock"], "--world"),
        (["--team", "--map", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_command_refuses_what_makes_no_sense(adm, options, message):
    code, _, err = adm(*options)
    assert code == 2
    assert message in err


def test_a_cell_is_a_step():
    team = small()
    assert team.setup.mission.step_m == team.building.truth.resolution
    assert isinstance(team.setup.layout.start, Cell)
