import json

import pytest
from adm_core.errors import ConfigError
from adm_core.experiments.ablation import AblationExperiment, conduct
from adm_core.experiments.bands import association_claims
from adm_core.experiments.runner import run_episodes
from adm_core.experiments.store import RowStore
from adm_core.experiments.variants import FACTORS
from adm_core.missions.profile import load_profile
from sizes import FULL


def test_every_factor_is_a_parameter_and_includes_the_papers_value():
    profile = load_profile().as_dict()
    for factor, levels in FACTORS.items():
        section, name = factor.split(".")
        assert profile[section][name] in levels, factor
        for level in levels:
            load_profile().varied({factor: level})


def test_an_unknown_factor_is_refused_with_the_list():
    with pytest.raises(ConfigError, match=r"attention\.k"):
        AblationExperiment(factors="attention.kk").chosen()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    config = AblationExperiment(scenario="S-6", factors="attention.k, memory.confirm", episodes=3)
    with RowStore(tmp_path_factory.mktemp("rows") / "rows.jsonl") as store:
        return conduct(config, lambda episodes: run_episodes(episodes, store))


def test_each_value_is_held_against_the_profile_on_the_same_seeds(report):
    assert [(item.factor, item.level) for item in report.effects] == [
        *(("attention.k", k) for k in FACTORS["attention.k"]),
        *(("memory.confirm", n) for n in FACTORS["memory.confirm"]),
    ]
    for item in report.effects:
        if item.is_base:
            assert tuple(item.against_base.steps) == (0.0, 0.0, 0.0)


def test_k_bounds_the_context(report):
    for item in report.effects:
        if item.factor == "attention.k":
            assert item.cell.max_context_per_call <= 48 + 18 * item.level


def test_the_best_combination_is_run_on_seeds_that_chose_nothing(report):
    config = AblationExperiment(episodes=3)
    assert set(config.seeds).isdisjoint(config.fresh_seeds)
    assert [cell.method for cell in report.together] == ["attention", "attention", "oracle"]
    assert all(report.best[name] in FACTORS[name] for name in report.best)
    json.dumps(report.as_dict())
    assert len(report.tables()) == 2


def test_association_at_least_halves_visits_to_duplicates_and_ghosts_on_the_noisy_tape(tmp_path):
    config = AblationExperiment(
        factors="memory.association", tape="noisy", episodes=100 if FULL else 4, seed=30_000
    )
    assert all(item.scenario.displaced == 0.1 for item in config.bench.episodes(range(1), "", {}))
    with RowStore(tmp_path / "rows.jsonl") as store:
        claims = association_claims(conduct(config, lambda items: run_episodes(items, store)))
    assert [str(claim) for claim in claims if not claim.holds] == []
