import sys

import pytest
from adm_core.errors import ConfigError
from adm_core.experiments.conduct import carry_out
from adm_core.experiments.rigid_body import (
    METHODS,
    RigidBodyExperiment,
    conduct,
    report,
    run_arena_episode,
)
from adm_core.simulation.rigid_body.engine import RigidBodyError, load_bullet

TINY = """
extends: arena
scenarios:
  arena: {side: 0, containers: 1, budget_steps: 12, relocation: 0.0, false_report: 0.0}
"""


def row(method, seed, variant="base", **more):
    good = method != "static" or seed % 2 == 0
    return {
        "scenario": "arena",
        "method": method,
        "seed": seed,
        "variant": variant,
        "success": good,
        "containers": 6,
        "delivered": 6 if good else 4,
        "steps": 200 if good else 260,
        "budget_steps": 260,
        "planner_calls": 8,
        "context_units": 9000 if method == "unfiltered" else 900,
        "replans": 2,
        "stale_visits": 1,
        "ghost_visits": 0,
        "path_m": 16.0 + (method == "unfiltered"),
        "cpu_s": 10.0,
        "failures": {"approach:absent": 2},
        **more,
    }


def test_every_method_meets_the_same_seeds_and_the_still_arena_is_for_static_alone():
    plan = RigidBodyExperiment(episodes=3).plan()
    base = [item for item in plan if item.variant == "base"]
    assert [(item.seed, item.method) for item in base] == [
        (seed, method) for seed in (100, 101, 102) for method in METHODS
    ]
    still = [item for item in plan if item.variant == "still"]
    assert {item.method for item in still} == {"static"}
    assert {item.scenario.relocation for item in still} == {0.0}
    assert len({item.key for item in plan}) == len(plan)


def test_variants_halve_and_double_reports_and_relocations():
    variants = "base,reportsx0.5,reportsx2,relocationx0.5,relocationx2"
    plan = RigidBodyExperiment(episodes=1, variants=variants).plan()
    period = {item.variant: item.arena.scan_period_s for item in plan}
    rate = {item.variant: item.scenario.relocation for item in plan}
    assert period["reports x0.5"] == 2 * period["base"] == 4 * period["reports x2"]
    assert rate["relocation x2"] == 2 * rate["base"] == 4 * rate["relocation x0.5"]
    assert period["relocation x2"] == period["base"]


@pytest.mark.parametrize(
    "values, told",
    [
        ({"methods": "oracle"}, "methods must be of"),
        ({"variants": "base,windy"}, "variants must be of"),
        ({"profile": "robust"}, "robust has no scenario 'arena'"),
        ({"base": "legs"}, "base must be one of"),
        ({"episodes": 0}, "episodes must be"),
    ],
)
def test_what_is_not_of_the_table_is_refused(values, told):
    with pytest.raises(ConfigError, match=told):
        RigidBodyExperiment(**values).plan()


def test_the_report_gives_methods_pairs_and_every_failed_mission():
    rows = [row(method, seed) for seed in range(4) for method in METHODS]
    made = report(rows)
    by_method = {cell.method: (cell, path, speed) for cell, path, speed in made.cells}
    assert by_method["static"][0].successes == 2
    assert by_method["attention"][1:] == (16.0, 20.0)
    (unfiltered, static) = made.differences
    assert unfiltered[1].context_ratio == pytest.approx(0.1)
    assert unfiltered[2].value == pytest.approx(-1.0)
    assert static[1].success_points.value == pytest.approx(50.0)
    text = "".join(table.text() for table in made.tables())
    assert text.count("4 of 6") == 2
    assert "2 approach:absent" in text
    assert len(made.as_dict()["failed"]) == 2


def test_without_the_engine_nothing_is_started(monkeypatch):
    load_bullet.cache_clear()
    monkeypatch.setitem(sys.modules, "pybullet", None)
    with pytest.raises(RigidBodyError, match="PyBullet"):
        conduct(RigidBodyExperiment(), lambda episodes, work: pytest.fail("started"))
    load_bullet.cache_clear()


def test_a_small_run_is_kept_and_not_run_again(tmp_path, monkeypatch):
    pytest.importorskip("pybullet", reason="PyBullet is not installed (extra: rigid)")
    profile = tmp_path / "tiny.yaml"
    profile.write_text(TINY)
    config = RigidBodyExperiment(
        episodes=1, profile=str(profile), methods="attention", variants="base"
    )
    seen = []
    first = carry_out(
        conduct, config, tmp_path, jobs=1, facts={}, progress=lambda *done: seen.append(done)
    )
    again = carry_out(conduct, config, tmp_path, jobs=1, facts={}, progress=lambda *done: 1 / 0)
    assert seen == [(1, 1)]
    assert first.as_dict() == again.as_dict()
    assert (tmp_path / "tables.txt").exists()


def test_a_mission_that_runs_out_of_time_counts_its_whole_budget(tmp_path):
    pytest.importorskip("pybullet", reason="PyBullet is not installed (extra: rigid)")
    profile = tmp_path / "tiny.yaml"
    profile.write_text(TINY)
    (episode,) = RigidBodyExperiment(
        episodes=1, profile=str(profile), methods="static", variants="base"
    ).plan()
    made = run_arena_episode(episode)
    assert (made["success"], made["steps"], made["budget_steps"]) == (False, 12, 12)
    assert made["pictures"] > 0
