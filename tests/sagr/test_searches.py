"""The same search gives the same decisions with and without ROS."""

import io
import json
import time
from dataclasses import replace

import pytest
from adm_core.llm.config import LlmConfig
from adm_core.missions.coordinators import set_up_coordinator
from adm_core.missions.search import SearchMission
from adm_core.missions.search_setup import SearchMissionConfig
from adm_core.search.coordinators import TYPED
from adm_core.search.coordinators.llm import LlmCoordinatorConfig
from adm_core.search.methods import sagr_plus
from adm_core.simulation.search.scenario import make_scenario
from adm_core.testing.llm_server import StrictLlmServer
from adm_nodes.bringup.pacing import PacingConfig
from adm_nodes.bringup.search import run_search
from adm_nodes.bringup.search_nodes import SearchParameters
from data import ROOT
from sizes import FULL
from small_floor import write_small_floor

#: A machine under load must not make robots look silent.
PATIENT = PacingConfig(patience_s=60.0)

SEARCHES = [
    {"scale": "small", "seed": 3},
    {"scale": "small", "seed": 4, "method": "sagr"},
    {"scale": "small", "seed": 5, "method": "nf_h", "task": "explore", "budget_steps": 60},
    {"scale": "medium", "seed": 6, "method": "aep_dvc", "budget_steps": 60},
]
if FULL:
    SEARCHES += [
        {"scale": "large", "seed": 7},
        {"scale": "large", "seed": 8, "method": "sagr"},
        {"scale": "medium", "seed": 9, "method": "racer"},
        {"scale": "medium", "seed": 10, "method": "hungarian", "task": "explore"},
    ]


def search(folder, config, pacing=PATIENT, one_per_process=False, **more):
    screen = io.StringIO()
    given = SearchParameters(SearchMissionConfig(**config), pacing=pacing, **more)
    code = run_search(given, one_per_process, folder, screen)
    summary = json.loads((folder / "latest" / "summary.json").read_text())
    return code, summary, screen.getvalue()


def assert_same(summary, printed):
    assert summary["plain"]["equal"], (summary, printed)
    assert summary["decision_sha256"] and summary["agreed"]
    assert summary["late_moves"] == 0
    assert "without ROS the same decisions" in printed


@pytest.mark.parametrize("config", SEARCHES, ids=lambda item: "-".join(map(str, item.values())))
def test_decisions_do_not_depend_on_ros(config, domain, tmp_path):
    code, summary, printed = search(tmp_path, config)
    assert_same(summary, printed)
    assert code == (0 if summary["success"] else 1)
    assert summary["state"] in ("found", "done", "budget")


def test_a_noisy_coordinator_draws_the_same_rooms(domain, tmp_path):
    pacing = replace(PATIENT, noise=0.5)
    _, summary, printed = search(tmp_path, {"scale": "small", "seed": 11}, pacing)
    assert_same(summary, printed)


def test_one_process_per_node_on_a_floor_plan_decides_as_one(domain, tmp_path):
    plan = ROOT / "floorplans/houseexpo/apt_small.json"
    if not plan.exists():
        pytest.skip("no test data")
    config = {"map": str(plan), "robots": 3, "seed": 1, "budget_steps": 40}
    code, summary, printed = search(tmp_path, config, one_per_process=True)
    assert_same(summary, printed)
    assert len(set(summary["processes"].values())) == len(summary["processes"]) == 8
    assert summary["steps"] <= 40
    assert code == (0 if summary["success"] else 1)


def test_without_lockstep_the_building_is_explored_too(domain, tmp_path):
    pacing = PacingConfig(lockstep=False, step_s=0.05)
    config = {"map": str(write_small_floor(tmp_path)), "robots": 2, "seed": 1}
    code, summary, printed = search(tmp_path, config, pacing)
    assert (code, summary["state"]) == (0, "done"), printed
    assert summary["seen_share"] == 1.0


def test_a_model_divides_the_rooms_as_it_does_without_ros(domain, tmp_path):
    pytest.importorskip("openai")
    with StrictLlmServer() as server:
        llm = LlmConfig(mode="chat_json_schema", model="gpt-4o", base_url=server.base_url)
        _, summary, printed = search(tmp_path, {"scale": "small", "seed": 4}, llm=llm)
        asked = len(server.received)
        setup = set_up_coordinator(llm, LlmCoordinatorConfig(), {}, time.monotonic, time.sleep)
        scenario = make_scenario("small", 4)
        mission = SearchMission(scenario, lambda seed: sagr_plus(setup.coordinator(TYPED)))
        plain = mission.finish()
    assert asked > 1  # the probe, and what was coordinated
    assert summary["decision_sha256"] == plain.decision_sha256, printed
    assert summary["steps"] == plain.steps
