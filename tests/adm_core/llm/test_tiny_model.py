"""A mission planned by a real tiny model: its recording always, the model itself on request.

``make test-llm`` starts the model and makes the mission anew. The committed recording was made by
``adm mission`` with the options of :data:`MISSION` and :data:`LIVE` and ``--record``.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from adm_core.llm.config import LlmConfig
from adm_core.missions.planners import set_up_planner
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig
from adm_core.missions.summary import summarize
from adm_core.planning.llm_planner import LlmPlannerConfig

RECORDING = Path(__file__).parent / "data" / "smollm2_s6.jsonl"
MISSION = {"scenario": "S-6", "seed": 0}
LIVE = {
    "mode": "chat_json_object",
    "model": "smollm2-135m",
    "deadline_s": 300.0,
    "max_output_tokens": 300,
    "temperature": 0.0,
    "sampling_seed": 0,
}


def run(**llm):
    config = LlmConfig(**llm)
    with set_up_planner(config, LlmPlannerConfig(), {}, time.monotonic, time.sleep) as planners:
        setup = prepare(MissionConfig(**MISSION))
        mission = LocalMission(setup, planners=planners)
        for _ in mission.run():
            pass
        return summarize(setup, mission.executor, mission.world.facts(), 0.0, planners), planners


def assert_completed_with_a_full_ledger(summary):
    ledger = summary.ledger
    assert summary.success
    answered = sum(ledger["verdicts"].values())
    assert answered == ledger["calls"] > 0
    accepted = ledger["verdicts"].get("accepted", 0)
    assert ledger["planning_calls"] <= accepted + sum(ledger["takeovers"].values())


def test_the_recorded_mission_is_completed_whatever_the_model_said():
    summary, planners = run(mode="replay", replay=str(RECORDING))
    assert_completed_with_a_full_ledger(summary)
    assert summary.ledger["model"] == "smollm2-135m"
    assert planners.line.client._exchange.unused == 0
    assert summary.ledger["tokens"]["input"] > 0


def test_the_recording_holds_no_secret_and_stays_small():
    text = RECORDING.read_text("utf-8")
    assert len(text) < 300_000
    assert "Bearer" not in text
    for line in text.splitlines()[1:]:
        assert set(json.loads(line)["headers"]) <= {"content-type", "retry-after", "x-request-id"}


def wait_for(url, process, seconds=60):
    for _ in range(seconds * 5):
        assert process.poll() is None, "the server ended"
        try:
            with urllib.request.urlopen(f"{url}/models", timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the server does not answer within {seconds} s")


@pytest.fixture
def tiny():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = "import sys; from adm_core import cli; sys.exit(cli.main())"
    words = ["llm", "serve-tiny", "--port", str(port), "--weights", LIVE["model"]]
    with subprocess.Popen([sys.executable, "-c", code, *words]) as process:
        try:
            url = f"http://127.0.0.1:{port}/v1"
            wait_for(url, process)
            yield url
        finally:
            process.terminate()


@pytest.mark.skipif("ADM_TEST_LLM" not in os.environ, reason="make test-llm runs the model")
@pytest.mark.timeout(1800)
def test_the_model_itself_is_probed_and_the_mission_is_completed(tiny):
    summary, _ = run(base_url=tiny, **LIVE)
    assert_completed_with_a_full_ledger(summary)
    print(json.dumps(summary.ledger, indent=2))
