import pytest
from adm_core.experiments.grasps import GraspExperiment, report, run_trial


def row(held=True, claimed=None, **more):
    return {
        "held": held,
        "claimed": held if claimed is None else claimed,
        "error_m": 0.002,
        "approach": "none",
        "grasp": "none" if held else "missed",
        "light": 1.0,
        "simulated_s": 8.0,
        "cpu_s": 0.4,
        **more,
    }


def test_failures_are_broken_down_and_wrong_claims_counted():
    rows = [row() for _ in range(17)]
    rows += [row(False), row(False, claimed=True), row(False, approach="absent", grasp="")]
    rows[0]["light"] = 0.65
    made = report(rows)
    assert made.success.value == pytest.approx(0.85)
    assert made.failures == {"grasp:missed": 2, "approach:absent": 1}
    assert made.unnoticed == 1
    assert made.error_m == (0.002, 0.002, 0.002)
    assert made.times_real_time == pytest.approx(20.0)
    assert made.by_light[0] == ("0.5-0.7", 1, 1)
    assert sum(count for _, count, _ in made.by_light) == 20
    assert "2 grasp:missed" in made.tables()[0].text()


def test_trials_have_their_own_seeds_and_keys():
    plan = GraspExperiment(episodes=4).plan()
    assert [item.seed for item in plan] == [1000, 1001, 1002, 1003]
    assert len({item.key for item in plan}) == 4


@pytest.mark.parametrize("seed", [1000, 1001])
def test_a_trial_tells_claim_and_truth(seed):
    pytest.importorskip("pybullet", reason="PyBullet is not installed (extra: rigid)")
    (trial,) = GraspExperiment(episodes=1, seed=seed).plan()
    made = run_trial(trial)
    assert made["held"]
    assert made["claimed"]
    assert made["error_m"] < 0.01
