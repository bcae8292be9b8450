"""Missions planned by a model: the strict server, recordings of it, and resumed runs."""

import dataclasses
import itertools
import json
import time

import pytest
from adm_core.errors import LlmError, MissionError
from adm_core.llm.config import LIVE_MODES, LlmConfig
from adm_core.memory.audit import AuditLog
from adm_core.missions.planners import set_up_planner
from adm_core.missions.profile import load_profile
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig, make_setup
from adm_core.missions.summary import summarize
from adm_core.planning.llm_planner import LlmPlannerConfig
from adm_core.simulation.scenarios import Scenario
from adm_core.testing.llm_behaviour import Behaviour
from adm_core.testing.llm_model import MODELS, talk
from adm_core.testing.llm_server import StrictLlmServer

pytest.importorskip("openai")


def mission(planners, audit=None, **config):
    setup = prepare(MissionConfig(**config))
    run = LocalMission(setup, audit, planners=planners)
    for _ in run.run():
        pass
    return summarize(setup, run.executor, run.world.facts(), 0.0, planners)


def live(server, planning=None, **config):
    llm = LlmConfig(**{"mode": "responses_strict", "base_url": server.base_url, **config})
    return set_up_planner(llm, planning or LlmPlannerConfig(), {}, time.monotonic, time.sleep)


def replay(path):
    llm = LlmConfig(mode="replay", replay=str(path))
    return set_up_planner(llm, LlmPlannerConfig(), {}, time.monotonic, time.sleep)


@pytest.mark.parametrize("mode", LIVE_MODES)
def test_a_model_that_plans_as_the_policy_makes_its_decisions(mode):
    dialect = "llama_cpp" if mode == "chat_json_object" else "openai"
    with StrictLlmServer(dialect=dialect) as server, live(server, mode=mode) as planners:
        by_model = mission(planners, scenario="D-10", seed=1)
    by_policy = mission(None, scenario="D-10", seed=1)
    assert by_model.decision_sha256 == by_policy.decision_sha256
    assert (by_model.planner, by_policy.planner) == (mode, "policy")
    assert by_model.ledger["verdicts"] == {"accepted": by_model.ledger["calls"]}
    assert by_policy.ledger is None


FAULTS = [Behaviour("ok"), *map(Behaviour, ("refusal", "incomplete", "html", "garbage", "text"))]


@pytest.mark.parametrize("model", MODELS)
def test_whatever_a_model_says_the_mission_is_completed(model, tmp_path):
    """And a replay of its recording makes the same decisions, faults and repairs included."""
    path = tmp_path / "r.jsonl"
    script = itertools.islice(itertools.cycle(FAULTS), 30)
    how = {"record": str(path), "probe": "off", "attempts": 1}
    with StrictLlmServer(script, MODELS[model]) as server, live(server, **how) as planners:
        first = mission(planners, scenario="S-6", seed=2)
    assert first.success
    with replay(path) as planners:
        again = mission(planners, scenario="S-6", seed=2)
    assert again.decision_sha256 == first.decision_sha256
    for key in ("calls", "repairs", "verdicts", "takeovers", "tokens", "tokens_per_block"):
        assert again.ledger[key] == first.ledger[key]
    assert again.planner == "replay"


@pytest.mark.parametrize("seed", [30_000, 30_001, 30_002])
@pytest.mark.parametrize("method", ["unfiltered", "attention"])
def test_the_live_setting_of_the_paper_replays_to_the_same_decisions(seed, method, tmp_path):
    def run(planners):
        profile = load_profile().varied({"attention.k": 6, "attention.decay_s": 16.0})
        setting = Scenario("V-B", 6, 6, 110, 0.02, 0.25, 2, 0.80)
        profile = dataclasses.replace(profile, scenarios={"V-B": setting})
        setup = make_setup(MissionConfig(scenario="V-B", method=method, seed=seed), profile)
        run = LocalMission(setup, planners=planners)
        for _ in run.run():
            pass
        return summarize(setup, run.executor, run.world.facts(), 0.0, planners)

    path = tmp_path / "r.jsonl"
    with StrictLlmServer() as server, live(server, record=str(path)) as planners:
        first = run(planners)
        calls = planners.ledger.calls
    with replay(path) as planners:
        again = run(planners)
    assert first.success
    assert first.decision_sha256 == again.decision_sha256
    for call in calls:
        assert sum(call.block_tokens.values()) == call.input_tokens > 0


def test_another_mission_than_the_recorded_one_is_a_loud_error(tmp_path):
    path = tmp_path / "r.jsonl"
    with StrictLlmServer() as server, live(server, record=str(path)) as planners:
        mission(planners, scenario="S-6", seed=2)
    with replay(path) as planners, pytest.raises(LlmError, match="has no answer left"):
        mission(planners, scenario="S-6", seed=3)


def test_an_endpoint_that_does_not_obey_is_refused_at_the_start():
    with StrictLlmServer(model=talk) as server:
        with pytest.raises(LlmError, match="does not obey the schema"):
            live(server)
        with live(server, probe="warn") as planners:
            assert "does not obey" in planners.warning
            assert planners.ledger.calls[0].kind == "probe"


def test_an_endpoint_that_is_gone_holds_the_mission_if_so_configured():
    with StrictLlmServer() as server:
        planners = live(server, LlmPlannerConfig(fallback="hold"), attempts=1)
    with pytest.raises(MissionError, match="mission held"):
        mission(planners, scenario="S-6")


def test_an_endpoint_that_dies_on_the_way_costs_its_deadline_and_not_the_mission():
    script = [Behaviour("ok")] * 3 + [Behaviour("hang", "9")] * 50
    with StrictLlmServer(script) as server, live(server, deadline_s=0.3) as planners:
        summary = mission(planners, scenario="S-6")
    assert summary.success
    assert summary.ledger["verdicts"]["timeout"] > 0
    assert summary.ledger["takeovers"]["policy"] == summary.ledger["verdicts"]["timeout"]


def test_every_dispatched_skill_is_the_next_step_of_the_accepted_plan(tmp_path):
    started = "SELECT skill, target, station FROM skill WHERE event = 'start' ORDER BY id"
    with (
        StrictLlmServer(model=MODELS["repairable"]) as server,
        live(server) as planners,
        AuditLog(tmp_path / "a.sqlite") as audit,
    ):
        mission(planners, audit, scenario="DN-14", seed=4)
        plans = audit.journal_entries("plan")
        rows = audit._read(started, ())
    planned = iter([tuple(step) for call in sorted(plans) for step in plans[call]["steps"]])
    assert rows
    assert all(row in planned for row in rows)  # in this order, none that no plan has there


def test_settings_in_a_recording_that_nobody_knows_are_refused(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"adm_llm_recording": 1, "settings": {"llm": {"colour": "red"}}}))
    with pytest.raises(LlmError, match="no usable settings"):
        replay(path)
