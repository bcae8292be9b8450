"""Searches coordinated by a model: the strict server, recordings of it, failures."""

import time

import pytest
from adm_core.errors import LlmError
from adm_core.llm.config import LIVE_MODES, LlmConfig
from adm_core.missions.coordinators import set_up_coordinator
from adm_core.missions.search import SearchMission
from adm_core.search.coordinators import TYPED
from adm_core.search.coordinators.llm import LlmCoordinatorConfig
from adm_core.search.methods import sagr_plus
from adm_core.simulation.search.scenario import make_scenario
from adm_core.testing.llm_behaviour import Behaviour
from adm_core.testing.llm_model import MODELS, talk
from adm_core.testing.llm_server import StrictLlmServer

pytest.importorskip("openai")
SCENARIO = make_scenario("medium", 3)


def live(server, coordination=None, **config):
    llm = LlmConfig(
        **{"mode": "chat_json_schema", "model": "gpt-4o", "base_url": server.base_url, **config}
    )
    how = coordination or LlmCoordinatorConfig()
    return set_up_coordinator(llm, how, {}, time.monotonic, time.sleep)


def replay(path):
    llm = LlmConfig(mode="replay", replay=str(path))
    return set_up_coordinator(llm, LlmCoordinatorConfig(), {}, time.monotonic, time.sleep)


def search(coordinators):
    mission = SearchMission(SCENARIO, lambda seed: sagr_plus(coordinators.coordinator(TYPED)))
    places = [snapshot.cells for snapshot in mission.run()]
    return mission.result(), places


@pytest.mark.parametrize("mode", LIVE_MODES)
def test_a_model_coordinates_a_search_to_its_end(mode):
    dialect = "llama_cpp" if mode == "chat_json_object" else "openai"
    with StrictLlmServer(dialect=dialect) as server, live(server, mode=mode) as coordinators:
        result, _ = search(coordinators)
        bodies = [request.body for request in server.received[1:]]
    summary = coordinators.ledger.summary()
    assert result.state == "found"
    assert summary["verdicts"] == {"accepted": 1 + result.coordinations}
    assert len(bodies) == result.coordinations > 1
    assert {body["temperature"] for body in bodies} == {0.2}


@pytest.mark.parametrize("model", MODELS)
def test_whatever_a_model_says_the_search_comes_to_its_end(model):
    script = [Behaviour("http", "500"), *[Behaviour("text", "hm")] * 3, Behaviour("refusal")]
    with (
        StrictLlmServer(script, MODELS[model]) as server,
        live(server, probe="off", deadline_s=1.0) as coordinators,
    ):
        result, _ = search(coordinators)
    assert result.state == "found"
    assert len(coordinators.ledger.summary()["verdicts"]) > 1


def test_without_a_model_the_built_in_rule_decides():
    with set_up_coordinator(
        LlmConfig(), LlmCoordinatorConfig(), {}, time.monotonic, time.sleep
    ) as coordinators:
        ruled = search(coordinators)
        task = coordinators.task("find the mug in the kitchens", ["kitchen"]).task
    assert coordinators.ledger is None
    mission = SearchMission(SCENARIO, "sagr+")
    assert ruled[1] == [snapshot.cells for snapshot in mission.run()]
    assert task.room_type == "kitchen"


def test_a_recording_repeats_the_search_without_the_endpoint(tmp_path):
    path = tmp_path / "search.jsonl"
    how = LlmCoordinatorConfig(enum_ids=True, tokens=400)
    with (
        StrictLlmServer(model=MODELS["repairable"]) as server,
        live(server, how, record=str(path)) as coordinators,
    ):
        first = search(coordinators)
    with replay(path) as again:
        assert search(again) == first
    assert again.mode == "replay"


def test_a_recording_of_a_planner_is_refused(tmp_path):
    path = tmp_path / "plans.jsonl"
    path.write_text('{"adm_llm_recording":1,"settings":{"llm":{},"planning":{}}}\n')
    with pytest.raises(LlmError, match="no usable settings"):
        replay(path)


def test_an_endpoint_that_talks_is_refused_by_the_probe():
    with StrictLlmServer(model=talk) as server:
        with pytest.raises(LlmError, match="in mode chat_json_schema"):
            live(server)
        assert live(server, probe="warn").warning


def test_the_model_reads_the_task_and_the_built_in_parser_stands_behind_it():
    answer = '{"kind":"search","object":"mug","room_type":"kitchen"}'
    script = [Behaviour("text", answer), Behaviour("refusal")]
    with StrictLlmServer(script) as server, live(server, probe="off") as coordinators:
        by_model = coordinators.task("trouve la tasse", ["kitchen"])
        by_rule = coordinators.task("find the mug in the kitchen", ["kitchen"])
    assert (by_model.task.object, by_model.task.room_type) == ("mug", "kitchen")
    assert (by_rule.task.object, by_rule.task.room_type) == ("mug", "kitchen")
    assert "refused" in by_rule.warnings[0]
