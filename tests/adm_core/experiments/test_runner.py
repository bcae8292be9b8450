"""Rows survive whatever happens, and nothing is run twice."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from adm_core.experiments.episode import Episode, run_episode
from adm_core.experiments.runner import run_episodes
from adm_core.experiments.store import ExperimentError, RowStore
from adm_core.simulation.scenarios import SCENARIOS

S6 = SCENARIOS["S-6"]
EPISODES = [Episode(S6, method, seed) for seed in range(3) for method in ("static", "oracle")]


class Counting:
    def __init__(self, stop_after=None):
        self.seen, self.stop_after = [], stop_after

    def __call__(self, episode):
        if len(self.seen) == self.stop_after:
            raise KeyboardInterrupt
        self.seen.append(episode)
        return {"key": episode.key, "seed": episode.seed, "method": episode.method}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "rows.jsonl"


def test_rows_come_in_the_order_of_the_episodes(path):
    with RowStore(path) as store:
        rows = run_episodes(EPISODES, store, work=Counting())
    assert [(row["seed"], row["method"]) for row in rows] == [
        (item.seed, item.method) for item in EPISODES
    ]


def test_a_finished_experiment_runs_nothing_again(path):
    work = Counting()
    for _ in range(2):
        with RowStore(path) as store:
            run_episodes(EPISODES, store, work=work)
    assert len(work.seen) == len(EPISODES)


def test_an_interrupted_run_goes_on_where_it_stopped(path):
    with RowStore(path) as store, pytest.raises(KeyboardInterrupt):
        run_episodes(EPISODES, store, work=Counting(stop_after=4))
    rest = Counting()
    with RowStore(path) as store:
        run_episodes(EPISODES, store, work=rest)
    assert rest.seen == EPISODES[4:]


def test_a_half_written_line_is_dropped_and_run_again(path):
    with RowStore(path) as store:
        run_episodes(EPISODES, store, work=Counting())
    path.write_text(path.read_text()[:-20])
    rest = Counting()
    with RowStore(path) as store:
        run_episodes(EPISODES, store, work=rest)
    assert rest.seen == EPISODES[-1:]
    with RowStore(path) as store:
        assert all(store.get(item.key) for item in EPISODES)


def test_several_processes_give_the_rows_of_one(path, tmp_path):
    with RowStore(path) as store:
        one = run_episodes(EPISODES, store)
    calls = []
    with RowStore(tmp_path / "two.jsonl") as store:
        two = run_episodes(EPISODES, store, 2, lambda done, total: calls.append((done, total)))
    assert one == two
    assert calls[-1] == (len(EPISODES), len(EPISODES))


def test_keys_differ_by_everything_that_decides_and_by_nothing_else():
    base = Episode(S6, "attention", 0)
    same = Episode(S6, "attention", 0, changes=(("attention.k", 8),), variant="named")
    assert base.key == same.key
    others = [
        Episode(S6, "oracle", 0),
        Episode(S6, "attention", 1),
        Episode(SCENARIOS["D-10"], "attention", 0),
        Episode(S6, "attention", 0, profile="robust"),
        Episode(S6, "attention", 0, changes=(("attention.k", 3),)),
    ]
    assert len({base.key, *(item.key for item in others)}) == 6


def test_rows_take_the_name_of_the_experiment_that_asks(path):
    with RowStore(path) as store:
        run_episodes([Episode(S6, "oracle", 0)], store, work=Counting())
        (row,) = run_episodes([Episode(S6, "oracle", 0, variant="again")], store, work=Counting())
    assert row["variant"] == "again"


def test_a_failed_episode_counts_as_its_whole_budget():
    row = run_episode(Episode(SCENARIOS["DN-14"], "none", 0))
    assert not row["success"] and row["steps"] == row["budget_steps"] == 240


def test_the_same_episode_gives_the_same_row():
    episode = Episode(S6, "attention", 5)
    assert run_episode(episode) == run_episode(episode)
    assert json.loads(json.dumps(run_episode(episode))) == run_episode(episode)


def test_jobs_must_be_positive(path):
    with RowStore(path) as store, pytest.raises(ValueError, match="jobs must be >= 1"):
        run_episodes(EPISODES, store, jobs=0)


def test_a_folder_that_cannot_be_written_is_one_clear_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ExperimentError, match="cannot be opened"):
        RowStore(tmp_path / "file" / "rows.jsonl")


def test_workers_end_when_their_parent_is_killed(path):
    code = (
        "from adm_core.experiments.memory import MemoryExperiment\n"
        "from adm_core.experiments.runner import run_episodes\n"
        "from adm_core.experiments.store import RowStore\n"
        "def tell(done, total):\n"
        "    print(*[child.pid for child in active_children()], flush=True)\n"
        "from multiprocessing import active_children\n"
        f"store = RowStore({str(path)!r})\n"
        "run_episodes(MemoryExperiment(episodes=500).plan(), store, 2, tell)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        workers = [int(pid) for pid in run.stdout.readline().split()]
        run.kill()
    assert len(workers) == 2
    deadline = time.monotonic() + 30.0
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < deadline
        time.sleep(0.1)
