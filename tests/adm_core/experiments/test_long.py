import pytest
from adm_core.errors import ConfigError
from adm_core.experiments.bands import long_claims
from adm_core.experiments.long import LongExperiment, conduct, long_scenario
from adm_core.experiments.runner import run_episodes
from adm_core.experiments.store import RowStore
from sizes import FULL, examples


@pytest.mark.parametrize(
    ("count", "side", "budget"), [(50, 15, 1608), (100, 21, 4500), (200, 30, 12858)]
)
def test_field_and_budget_grow_by_the_papers_rule(count, side, budget):
    scenario = long_scenario(count)
    assert (scenario.side, scenario.budget_steps) == (side, budget)
    assert scenario.relocation / count == pytest.approx(0.025 / 14)


def test_losses_are_run_for_all_methods_but_the_oracle():
    plan = LongExperiment(containers="50", lost="0,0.9", outage="0.5", episodes=2).plan()
    names = [(item.variant, item.method) for item in plan if item.seed == 30_000]
    assert sorted(names) == [
        ("lost=0", "attention"),
        ("lost=0", "oracle"),
        ("lost=0.9", "attention"),
        ("outage=0.5", "attention"),
    ]
    silent = next(item.scenario for item in plan if item.variant.startswith("outage"))
    assert (silent.outage_start, silent.outage_steps) == (402, 804)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"methods": "attention"}, "oracle among them"),
        ({"methods": "oracle,magic"}, "oracle among them"),
        ({"containers": "many"}, "containers must be numbers"),
        ({"lost": "2"}, "lost must be <= 1"),
    ],
)
def test_bad_lists_are_refused(fields, message):
    with pytest.raises(ConfigError, match=message):
        LongExperiment(**fields).plan()


def test_a_small_one_is_carried_out(tmp_path):
    config = LongExperiment(containers="20", lost="0.9", outage="", episodes=2)
    with RowStore(tmp_path / "rows.jsonl") as store:
        report = conduct(config, lambda episodes: run_episodes(episodes, store))
    assert [(item.variant, item.method) for item in report.cells] == [
        ("lost=0", "attention"),
        ("lost=0", "oracle"),
        ("lost=0.9", "attention"),
    ]
    assert all(item.successes == 2 for item in report.cells)
    assert all(item.steps_ratio < 1.15 for _, item in report.differences)
    assert report.cells[0].max_context_per_call <= 48 + 18 * 8
    (table,) = report.tables()
    assert len(table.rows) == 3


@pytest.mark.skipif(not FULL, reason="200 containers take minutes: ADM_TEST_SIZE=full")
def test_the_claims_on_200_containers_hold(tmp_path):
    config = LongExperiment(
        containers="200", lost="0,0.9", outage="", episodes=examples("long_episodes")
    )
    with RowStore(tmp_path / "rows.jsonl") as store:
        report = conduct(config, lambda episodes: run_episodes(episodes, store, jobs=2))
    assert [str(claim) for claim in long_claims(report) if not claim.holds] == []
