"""Table I: its shape at any size, its figures against the claims at full size."""

import json

import pytest
from adm_core.errors import ConfigError
from adm_core.experiments.bands import paper_claims, robust_claims
from adm_core.experiments.memory import MemoryExperiment, conduct
from adm_core.experiments.runner import run_episodes
from adm_core.experiments.store import RowStore
from adm_core.memory.methods import METHODS
from sizes import examples

EPISODES = examples("episodes")
FULL = EPISODES >= 100


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"

    def run(episodes):
        with RowStore(path) as store:
            return run_episodes(episodes, store, jobs=2)

    made = {"paper": conduct(MemoryExperiment(episodes=EPISODES), run)}
    for profile in ("paper", "robust"):
        longer = MemoryExperiment(
            episodes=examples("robust_episodes"), profile=profile, methods="attention,oracle"
        )
        made[f"{profile}, longer"] = conduct(longer, run)
    return made


def test_only_the_methods_asked_for_are_run_in_the_order_of_the_table():
    config = MemoryExperiment(episodes=1, methods="oracle, static")
    assert [item.method for item in config.plan()] == ["static", "oracle"] * 3


@pytest.mark.parametrize("methods", ["", "attention,magic"])
def test_unknown_methods_are_refused(methods):
    with pytest.raises(ConfigError, match="methods must be of none, static"):
        MemoryExperiment(methods=methods).plan()


def test_rows_of_baselines_serve_every_profile_and_those_of_attention_do_not():
    keys = {
        profile: {
            item.method: item.key for item in MemoryExperiment(episodes=1, profile=profile).plan()
        }
        for profile in ("paper", "robust")
    }
    same = {name for name in METHODS if keys["paper"][name] == keys["robust"][name]}
    assert same == set(METHODS) - {"attention"}


def test_every_method_meets_every_scenario_on_the_same_seeds():
    plan = MemoryExperiment(episodes=3).plan()
    assert len(plan) == 3 * 3 * 5
    assert {item.seed for item in plan} == {30_000, 30_001, 30_002}
    assert {item.method for item in plan} == set(METHODS)


def test_the_noisy_tape_adds_ghosts_and_displaced_reports():
    for episode in MemoryExperiment(episodes=1, tape="noisy").plan():
        assert (episode.scenario.false_report, episode.scenario.displaced) == (1.0, 0.1)
        assert episode.resolved().sensing.ghost_alpha == 6.0


def test_the_report_is_plain_data(reports):
    data = json.loads(json.dumps(reports["paper"].as_dict()))
    assert len(data["table"]) == 15 and len(data["differences"]) == 9
    assert all(cell["episodes"] == EPISODES for cell in data["table"])


def test_the_tables_have_a_row_per_cell_and_pair(reports):
    methods, differences = reports["paper"].tables()
    assert len(methods.rows) == 15 and len(differences.rows) == 9


def test_exposure_is_bounded_by_k(reports):
    for scenario in ("S-6", "D-10", "DN-14"):
        assert reports["paper"].cell(scenario, "attention").max_context_per_call <= 48 + 18 * 8


@pytest.mark.skipif(not FULL, reason="the claims are about 100 seeds or more: ADM_TEST_SIZE=full")
def test_the_claims_hold(reports):
    claims = paper_claims(reports["paper"])
    claims += robust_claims(reports["robust, longer"], reports["paper, longer"])
    assert [str(claim) for claim in claims if not claim.holds] == []


def test_a_claim_that_fails_says_what_was_measured(reports):
    texts = [str(claim) for claim in paper_claims(reports["paper"])]
    assert len(texts) == 12 and all("(measured " in text for text in texts)


def test_attention_keeps_what_the_claims_say_in_kind(reports):
    """What shows on few seeds already: far less context, hardly more steps than the oracle."""
    report = reports["paper"]
    against_list = report.difference("DN-14", "attention", "unfiltered")
    assert against_list.context_ratio < 0.07
    assert report.difference("DN-14", "attention", "oracle").steps_ratio < 1.06
    assert report.difference("DN-14", "attention", "static").success_points.value > 0
    assert report.cell("DN-14", "attention").successes >= EPISODES - 1
    assert reports["robust, longer"].cell("DN-14", "attention").ghost_visits < 0.15
