"""The search experiments at a small size; `tests/figures.yaml` names the full ones."""

import json

import numpy as np
import pytest
from adm_core.errors import ConfigError
from adm_core.experiments import search, search_ablation, search_models, search_stability
from adm_core.experiments.conduct import carry_out
from adm_core.experiments.runner import run_episodes
from adm_core.experiments.search_analysis import Comparison, SearchCell
from adm_core.experiments.search_claims import check_claims
from adm_core.experiments.search_episode import SearchEpisode, run_search_episode
from adm_core.experiments.statistics import Estimate, paired_ratio
from adm_core.experiments.store import RowStore
from sizes import FULL, examples


def carried_out(tmp_path, module, config):
    """Return the report of an experiment, all its rows on disk."""
    with RowStore(tmp_path / "rows.jsonl") as store:
        return module.conduct(
            config, lambda episodes, work: run_episodes(episodes, store, work=work)
        )


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    config = search.SearchExperiment(
        scenarios=examples("search"), scales="small" if not FULL else "small,medium,large"
    )
    return carried_out(tmp_path_factory.mktemp("table"), search, config)


def test_table_one_has_every_method_with_intervals_against_every_other(table):
    methods = {cell.method for cell in table.cells}
    assert methods == set(search.TABLE_METHODS)
    assert "nf_h" in methods
    pairs = {(item.a, item.b) for item in table.comparisons}
    assert len(pairs) == len(methods) * (len(methods) - 1)
    assert all(item.percent.low <= item.percent.high for item in table.comparisons)
    assert [len(one.rows) for one in table.tables()[:2]] == [len(table.cells) / 2] * 2


def test_all_runs_of_table_one_end_before_the_budget(table):
    late = [(c.task, c.method) for c in table.cells if c.ended < c.episodes]
    assert late == []


def test_the_type_is_worth_much_to_sagr_plus(table):
    """Even on few scenarios; the full size holds all claims."""
    claims = {(item.name, item.scale): item for item in table.claims}
    assert claims["sagr+, search", "small"].percent.value < -15
    if FULL:
        assert [item for item in table.claims if not item.met] == []


def test_rows_are_not_run_twice(tmp_path):
    config = search.SearchExperiment(scenarios=1, scales="small", methods="nf_h,sagr")
    runs = []

    def conduct(config, run):
        return search.conduct(config, lambda plan, work: run(plan, work=work))

    def counted(done, total):
        runs.append(done)

    for _ in range(2):
        report = carry_out(conduct, config, tmp_path, jobs=1, facts={}, progress=counted)
    assert len(runs) == 4
    assert json.loads((tmp_path / "summary.json").read_text())["table"]
    assert "% to nf_h" in (tmp_path / "tables.txt").read_text()
    assert len(report.cells) == 4


def test_the_same_episode_gives_the_same_row():
    episode = SearchEpisode("small", 60, "sagr", noise=0.3)
    rows = [run_search_episode(episode) for _ in range(2)]
    for row in rows:
        del row["cpu_s"], row["query_ms"]
    assert rows[0] == rows[1]


def test_keys_tell_apart_what_decides_and_nothing_else():
    base = SearchEpisode("small", 1, "sagr")
    others = [
        SearchEpisode("small", 2, "sagr"),
        SearchEpisode("small", 1, "sagr", noise=0.1),
        SearchEpisode("small", 1, "sagr", run=1),
        SearchEpisode("small", 1, "sagr", context=("target_type",)),
        SearchEpisode("small", 1, "sagr", world="fov_90"),
    ]
    assert len({item.key for item in [base, *others]}) == 6
    assert SearchEpisode("small", 1, "sagr", variant="x").key == base.key


def test_deterministic_methods_do_not_waver(tmp_path):
    config = search_stability.StabilityExperiment(
        scenarios=2, runs=3, scales="medium", methods="nf_h,sagr", noise="0,1"
    )  # in small worlds the target is often seen before a second coordination
    report = carried_out(tmp_path, search_stability, config)
    spread = {line.variant: line.std for line in report.lines}
    assert (spread["nf_h"], spread["sagr"], spread["sagr noisy 0"]) == (0.0, 0.0, 0.0)
    assert spread["sagr noisy 1"] > 0
    times = {line.variant: line.query_ms for line in report.lines}
    assert times["nf_h"] == 0 < times["sagr"]


def test_the_ablation_leaves_out_one_part_at_a_time(tmp_path):
    config = search_ablation.SearchAblation(scenarios=2, scales="small", noise="")
    report = carried_out(tmp_path, search_ablation, config)
    assert [cell.variant for cell in report.cells] == [
        "deterministic, full", "deterministic, -type", "deterministic, -neighbours",
        "deterministic, -plan summary",
    ]  # fmt: skip
    assert [item.b for item in report.comparisons] == ["deterministic, full"] * 3


def test_models_are_rows_of_one_table(tmp_path):
    config = search_models.ModelsExperiment(scenarios=2, scale="small", models="policy,noisy:0.3")
    report = carried_out(tmp_path, search_models, config)
    assert [cell.variant for cell in report.cells] == ["policy", "noisy:0.3"]
    assert len(report.tables()[0].rows) == 2


def test_a_strict_endpoint_coordinates(tmp_path):
    pytest.importorskip("openai")
    config = search_models.ModelsExperiment(scenarios=1, scale="small", models="policy,strict")
    report = carried_out(tmp_path, search_models, config)
    calls, taken_over = report.calls["strict"]
    assert calls > 0
    assert taken_over == 0


@pytest.mark.parametrize(
    ("module", "fields", "message"),
    [
        (search.SearchExperiment, {"methods": "magic"}, "methods must be of"),
        (search.SearchExperiment, {"scales": "huge"}, "scales must be of"),
        (search.SearchExperiment, {"tasks": ""}, "tasks must be of"),
        (search_stability.StabilityExperiment, {"noise": "2"}, "noise must be shares"),
        (search_ablation.SearchAblation, {"noise": "much"}, "noise must be shares"),
    ],
)
def test_bad_lists_are_refused(module, fields, message):
    with pytest.raises(ConfigError, match=message):
        module(**fields).plan()


@pytest.mark.parametrize("row", ["magic", "noisy:2", "noisy", "chat_json_schema", "mode:m@url"])
def test_rows_of_models_that_cannot_be_read_are_refused(row):
    with pytest.raises(ConfigError, match="models: cannot read"):
        search_models.ModelsExperiment(models=row).rows()


def test_endpoints_are_read():
    config = search_models.ModelsExperiment()
    llm = config.client("chat_json_schema:qwen2.5:3b@http://host:1/v1", "")
    assert (llm.mode, llm.model, llm.base_url) == (
        "chat_json_schema", "qwen2.5:3b", "http://host:1/v1"
    )  # fmt: skip


def test_an_unknown_part_of_the_context_is_refused():
    with pytest.raises(ConfigError, match="context has no colour"):
        run_search_episode(SearchEpisode("small", 1, "sagr", context=("colour",)))


def cell(method, mean):
    return SearchCell("search", "large", method, method, 1, mean, mean, mean, 1, 0.0, 0.0)


def test_claims_are_made_against_the_stronger_form():
    cells = [cell("sagr", 200.0), cell("aep_dvc", 260.0), cell("aep_rrt", 250.0)]
    comparisons = [
        Comparison("search", "large", "sagr", "aep_dvc", Estimate(-23.0, -30.0, -15.0)),
        Comparison("search", "large", "sagr", "aep_rrt", Estimate(-20.0, -30.0, 1.0)),
    ]
    (claim,) = check_claims(cells, comparisons)
    assert claim.against == "aep_rrt"
    assert not claim.met  # the interval reaches 0


def test_ratios_of_means_with_their_intervals():
    a, b = np.array([90.0, 110.0, 100.0]), np.array([200.0, 200.0, 200.0])
    found = paired_ratio(a, b, np.random.default_rng(0))
    assert found.value == pytest.approx(-50.0)
    assert -55.1 < found.low < -50.0 < found.high < -44.9
    with pytest.raises(ValueError, match="mean of b above 0"):
        paired_ratio([1.0], [0.0], np.random.default_rng(0))
