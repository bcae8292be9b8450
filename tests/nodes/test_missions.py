"""The same mission gives the same decisions with and without ROS."""

import io
import json
import os
import signal

import pytest
from adm_core.llm.config import LlmConfig
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig
from adm_core.missions.summary import summarize
from adm_nodes.bringup import recycling
from adm_nodes.bringup.recycling import run_recycling
from adm_nodes.common.run_config import SteeringConfig
from adm_nodes.manager import ORDER
from data import maps

MISSIONS = [
    {"scenario": "S-6"},
    {"scenario": "D-10", "seed": 1, "profile": "robust"},
    {"scenario": "DN-14"},
    {"scenario": "DN-14", "observe_below": 0.162},
    {"scenario": "S-6", "method": "none"},
    {"scenario": "S-6", "method": "static", "seed": 3},
    {"scenario": "S-6", "method": "unfiltered"},
    {"scenario": "S-6", "method": "oracle"},
]

#: What must be equal; the rest is time and ROS.
SAME = (
    "scenario",
    "method",
    "seed",
    "containers",
    "delivered",
    "steps",
    "budget_steps",
    "planner_calls",
    "context_units",
    "replans",
    "stale_visits",
    "ghost_visits",
    "path_m",
    "decision_sha256",
)


def run_on_nodes(config, folder, one_per_process=False, **more):
    screen = io.StringIO()
    code = run_recycling(config, one_per_process, folder, screen, **more)
    latest = folder / "latest"
    summary = json.loads((latest / "summary.json").read_text())
    return code, summary, latest, screen.getvalue()


def run_plain(config):
    setup = prepare(config)
    mission = LocalMission(setup)
    for _ in mission.run():
        pass
    return summarize(setup, mission.executor, mission.world.facts(), 0.0).as_dict()


def assert_same(summary, plain):
    assert {key: summary[key] for key in SAME} == {key: plain[key] for key in SAME}
    assert summary["ros_overhead"]["decisions_equal"]
    assert summary["ros_overhead"]["plain_decision_sha256"] == plain["decision_sha256"]


@pytest.mark.parametrize("mission", MISSIONS, ids=lambda item: "-".join(map(str, item.values())))
def test_decisions_do_not_depend_on_ros(mission, domain, tmp_path):
    config = MissionConfig(**mission)
    code, summary, latest, screen = run_on_nodes(config, tmp_path)
    plain = run_plain(config)
    assert_same(summary, plain)
    assert summary["ros"] is True
    assert summary["processes"] == dict.fromkeys(ORDER, os.getpid())
    assert code == (0 if plain["delivered"] == plain["containers"] else 1)
    assert (latest / "mission.png").read_bytes().startswith(b"\x89PNG")
    assert f"{plain['delivered']} of {plain['containers']}" in screen


def test_a_model_plans_on_nodes_and_people_are_asked(domain, tmp_path):
    pytest.importorskip("openai")
    from adm_core.testing.llm_server import StrictLlmServer

    config = MissionConfig(scenario="S-6")
    with StrictLlmServer() as server:
        llm = LlmConfig(mode="responses_strict", base_url=server.base_url)
        nobody = SteeringConfig(approve="navigate,approach", approval_s=0.2)
        _, asked, latest, _ = run_on_nodes(config, tmp_path, llm=llm, steering=nobody)
        code, summary, latest, _ = run_on_nodes(config, tmp_path, llm=llm)
    assert "nobody to ask" in asked["outcome"]
    assert code == 0
    assert (summary["planner"], summary["delivered"]) == ("responses_strict", 6)
    assert summary["decision_sha256"] == run_plain(config)["decision_sha256"]
    assert len((latest / "llm_calls.jsonl").read_text().splitlines()) > summary["planner_calls"]


def test_ctrl_c_while_the_nodes_start_leaves_a_summary(domain, tmp_path, monkeypatch):
    def interrupted(*_):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(recycling, "Session", interrupted)
    code, summary, latest, _ = run_on_nodes(MissionConfig(scenario="S-6"), tmp_path)
    assert (code, summary["outcome"], summary["steps"]) == (130, "interrupted", 0)
    assert (latest / "mission.png").exists()


def test_decisions_on_a_real_map_do_not_depend_on_ros(domain, tmp_path):
    path = next((path for path in maps() if path.stem == "avz5floor_open"), None)
    if path is None:
        pytest.skip("no test data")
    config = MissionConfig(map=str(path), containers=3, seed=2)
    code, summary, _, _ = run_on_nodes(config, tmp_path)
    assert_same(summary, run_plain(config))
    assert code == 0
