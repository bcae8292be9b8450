import pytest
from adm_core.errors import ConfigError
from adm_core.experiments.calibrate import CalibrationConfig, conduct
from adm_core.experiments.runner import run_episodes
from adm_core.experiments.store import RowStore
from adm_core.missions.profile import load_profile

SMALL = CalibrationConfig(scenario="S-6", candidates=4, episodes=1, held_out=3)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    with RowStore(tmp_path_factory.mktemp("rows") / "rows.jsonl") as store:
        return conduct(SMALL, lambda episodes: run_episodes(episodes, store))


def test_rounds_take_fresh_training_seeds_below_the_held_out_ones():
    config = CalibrationConfig(candidates=63, episodes=10)
    rounds = [config.round_seeds(number) for number in range(config.rounds)]
    assert [len(seeds) for seeds in rounds] == [10, 20, 40]
    assert rounds[0].stop == rounds[1].start and rounds[2].stop == config.seeds.stop < 30_000


def test_candidates_depend_on_the_search_seed_alone():
    assert SMALL.drawn() == SMALL.drawn() != CalibrationConfig(search_seed=1).drawn()
    assert SMALL.drawn()[0] == {}
    for changes in CalibrationConfig(candidates=50).drawn():
        load_profile().varied(changes)


@pytest.mark.parametrize(
    ("fields", "message"),
    [({"seed": 29_999}, "below 30000"), ({"held_out_seed": 100}, "held_out_seed must be >= 30000")],
)
def test_choosing_and_reporting_seeds_are_kept_apart(fields, message):
    with pytest.raises(ConfigError, match=message):
        CalibrationConfig(**fields)


def test_the_winner_is_compared_on_held_out_seeds(report):
    assert [cell.episodes for cell in report.cells] == [3, 3, 3]
    assert [cell.method for cell in report.cells] == ["attention", "attention", "oracle"]
    assert len(report.training) == SMALL.rounds
    assert len(report.tables()) == 3


def test_the_best_parameters_load_as_a_profile(report, tmp_path):
    path = tmp_path / "best.yaml"
    report.write_profile(path)
    assert load_profile(str(path)).as_dict() == load_profile().varied(report.best).as_dict()
