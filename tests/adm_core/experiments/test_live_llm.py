"""Section V-B with the strict server: rows, tokens, and replays that decide the same."""

import json

import pytest
from adm_core.commands import experiment as command
from adm_core.errors import ConfigError
from adm_core.experiments.live_llm import (
    BLOCKS,
    SETTING,
    LiveLlmExperiment,
    endpoint,
    many_containers,
)
from adm_core.llm.config import LlmConfig
from adm_core.planning.llm_planner import LlmPlannerConfig
from adm_core.testing.llm_model import MODELS
from adm_core.testing.llm_server import StrictLlmServer

from adm_core import cli

SMALL = ("--episodes", "2", "--observe", "0,0.4", "--many", "0", "--jobs", "1")


@pytest.fixture
def adm(monkeypatch, capfd, tmp_path):
    """Return a function that runs ``adm experiment live-llm`` in one folder."""
    monkeypatch.setattr(cli, "load_commands", lambda: {"experiment": command})

    def run(*arguments):
        code = cli.main(
            ["experiment", "live-llm", "--out", str(tmp_path / "out"), *map(str, arguments)]
        )
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


def test_the_setting_is_that_of_the_paper():
    assert (SETTING.side, SETTING.containers, SETTING.budget_steps) == (6, 6, 110)
    assert (SETTING.relocation, SETTING.false_report) == (0.02, 0.25)
    assert (SETTING.latency, SETTING.detection) == (2, 0.80)
    config = LiveLlmExperiment()
    assert (config.k, config.decay_s, config.episodes) == (6, 16.0, 3)


def test_the_case_where_k_binds_has_twice_as_many_containers_and_equal_risks():
    many = many_containers(12)
    assert (many.containers, many.relocation) == (12, 0.04)
    assert many.containers > LiveLlmExperiment().k
    per_trip = SETTING.budget_steps / (SETTING.containers * SETTING.side)
    assert many.budget_steps / (many.containers * many.side) == pytest.approx(per_trip, rel=0.01)


def test_seeds_are_paired_over_methods_and_observation(tmp_path):
    plan = LiveLlmExperiment().plan(LlmConfig(), LlmPlannerConfig(), tmp_path)
    assert len(plan) == 2 * 3 * 2 * 3
    assert len({item.key for item in plan}) == len({item.name for item in plan}) == len(plan)
    assert {item.seed for item in plan} == {30_000, 30_001, 30_002}


def test_the_key_knows_the_client_but_not_its_address(tmp_path):
    def key(**llm):
        config = LlmConfig(**{"mode": "responses_strict", **llm})
        return LiveLlmExperiment().plan(config, LlmPlannerConfig(), tmp_path)[0].key

    assert key() == key(base_url="http://127.0.0.1:1/v1") == key(key_env="OTHER")
    assert len({key(), key(model="other"), key(mode="chat_json_schema")}) == 3


@pytest.mark.parametrize("observe", ["x", "", "2", "-0.1,0"])
def test_limits_of_observation_are_supports(observe, tmp_path):
    with pytest.raises(ConfigError, match="observe must be numbers"):
        LiveLlmExperiment(observe=observe).plan(LlmConfig(), LlmPlannerConfig(), tmp_path)


def test_without_a_model_the_policy_plans_and_nothing_is_recorded(adm, tmp_path):
    code, out, _ = adm(*SMALL, "--planner", "policy", "--json")
    assert code == 0
    cells = json.loads(out)["table"]
    assert [cell["method"] for cell in cells] == ["unfiltered", "attention"] * 2
    assert all(cell["model calls"] == 0 and cell["in/call"] is None for cell in cells)
    assert not list((tmp_path / "out" / "recordings").glob("*.jsonl"))


def test_a_replay_needs_recordings(adm):
    code, _, err = adm(*SMALL, "--planner", "replay")
    assert code == 2
    assert "cannot be replayed" in err


class TestWithOpenAi:
    """What needs the SDK."""

    @pytest.fixture(autouse=True)
    def _sdk(self):
        pytest.importorskip("openai")

    def test_a_replay_of_the_recordings_makes_identical_decisions(self, adm, tmp_path):
        code, out, _ = adm(*SMALL, "--json")
        first = json.loads(out)
        assert code == 0
        assert {cell["model"] for cell in first["table"]} == {"strict-double"}
        assert len(list((tmp_path / "out" / "recordings").glob("*.jsonl"))) == 8
        code, out, _ = adm(*SMALL, "--planner", "replay", "--json")
        again = json.loads(out)
        assert (code, again["identical"]) == (0, True)
        assert len(again["replays"]) == 8
        for name in ("steps", "planning calls", "in/call", "total", "blocks", "success %"):
            assert [c[name] for c in again["table"]] == [c[name] for c in first["table"]]

    def test_tokens_add_up_over_the_parts_and_attention_needs_fewer(self, adm):
        unfiltered, attention = json.loads(adm(*SMALL, "--observe", "0", "--json")[1])["table"]
        for cell in (unfiltered, attention):
            assert set(cell["blocks"]) <= set(BLOCKS)
            assert sum(cell["blocks"].values()) == pytest.approx(cell["in/call"], abs=0.01)
            assert cell["in/call"] * cell["model calls"] == pytest.approx(cell["in"], rel=1e-3)
        assert attention["in/call"] < unfiltered["in/call"]
        assert attention["blocks"]["records"] < unfiltered["blocks"]["records"]

    def test_a_finished_experiment_asks_nobody_again(self, adm):
        with StrictLlmServer() as server:
            where = ("--base-url", server.base_url, "--model", "m", "--observe", "0")
            adm(*SMALL, *where)
            asked = len(server.received)
            first = adm(*SMALL, *where, "--json")[1]
            assert len(server.received) == asked + 1  # the probe
            assert len(json.loads(first)["table"]) == 2

    def test_a_recording_that_decides_otherwise_is_a_loud_error(self, adm, tmp_path):
        adm(*SMALL, "--observe", "0")
        path = next((tmp_path / "out" / "recordings").glob("*.row.json"))
        row = json.loads(path.read_text())
        path.write_text(json.dumps({**row, "decision_sha256": "0" * 64}))
        code, _, err = adm(*SMALL, "--observe", "0", "--planner", "replay")
        assert code == 2
        assert "1 of 4 replays decide otherwise" in err

    def test_an_endpoint_that_talks_is_refused_before_anything_is_run(self, adm, tmp_path):
        with StrictLlmServer(model=MODELS["prose"]) as server:
            code, _, err = adm(*SMALL, "--base-url", server.base_url)
        assert code == 2
        assert "does not obey the schema" in err
        assert not (tmp_path / "out" / "recordings").exists()

    def test_every_mode_has_a_server_of_its_dialect(self):
        for mode in ("responses_strict", "chat_json_schema", "chat_json_object"):
            with endpoint(LlmConfig(mode=mode)) as client:
                assert client.base_url.startswith("http://127.0.0.1:")

    def test_observations_are_asked_for_and_counted(self, adm):
        cells = json.loads(adm(*SMALL, "--json")[1])["table"]
        looks = {(cell["observe below"], cell["method"]): cell["looks"] for cell in cells}
        assert looks["0", "unfiltered"] == looks["0", "attention"] == 0
        assert looks["0.4", "unfiltered"] > 0


def test_the_figure_is_drawn_from_the_summary(adm, tmp_path):
    pytest.importorskip("matplotlib")
    adm(*SMALL, "--planner", "policy", "--figures")
    assert (tmp_path / "out" / "live_llm.png").exists()
    assert (tmp_path / "out" / "live_llm.svg").exists()
