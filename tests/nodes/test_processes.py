"""One process per node: suspended, killed and interrupted nodes, and what is left of them."""

import os
import signal
import sqlite3
import time
from contextlib import contextmanager

import pytest
from adm_core.memory.audit import AuditLog
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig
from adm_nodes.manager import ORDER
from mission_processes import Run
from sizes import FULL


@pytest.fixture
def start(domain, tmp_path):
    """Return a function that starts a run; it is ended with the test, whatever happens."""
    runs = []

    def make(*options):
        runs.append(Run(tmp_path, *options))
        return runs[-1]

    yield make
    for run in runs:
        run.end()


def plain_digest(scenario):
    mission = LocalMission(prepare(MissionConfig(scenario=scenario)))
    for _ in mission.run():
        pass
    return mission.executor.digest.hexdigest()


@contextmanager
def suspended(run, name):
    run.send(name, signal.SIGSTOP)
    try:
        yield
    finally:
        run.send(name, signal.SIGCONT)


def assert_log_is_whole(run):
    with sqlite3.connect(run.folder / "latest" / "audit.sqlite") as log:
        assert log.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert run.rows("pose") > 0
    AuditLog(run.folder / "latest" / "audit.sqlite").close()


def test_four_processes_load_the_kernels_and_decide_as_one(start):
    run = start("--scenario", "DN-14")
    code, summary, printed = run.finish()
    assert code == 0, printed
    assert len(set(run.pids.values())) == 4
    assert summary["processes"] == run.pids
    assert summary["decision_sha256"] == plain_digest("DN-14")
    assert summary["ros_overhead"]["messages_per_step"] > 1
    assert not run.alive()


@pytest.mark.parametrize("name", ["planner", "memory"])
def test_a_suspended_node_holds_the_mission_and_changes_nothing(start, name):
    seconds = 30.0 if FULL else 3.0
    run = start("--scenario", "DN-14", "--pace", "0.005")
    run.await_steps(20)
    with suspended(run, name):
        time.sleep(1.0)  # what was under way when the node was stopped
        before = run.rows("planning")
        time.sleep(seconds - 1.0)
        assert run.rows("planning") == before
    code, summary, printed = run.finish()
    assert code == 0, printed
    assert summary["decision_sha256"] == plain_digest("DN-14")
    assert f"node {name} is unresponsive" in printed
    assert f"node {name} is back" in printed


@pytest.mark.parametrize("name", ["world", "memory", "planner"] if FULL else ["planner"])
def test_a_deactivated_node_pauses_the_mission_and_changes_nothing(start, spinning, name):
    run = start("--scenario", "DN-14", "--pace", "0.005")
    run.await_steps(20)
    assert spinning.transition(name, "deactivate")
    time.sleep(0.5)
    before = run.rows("planning")
    time.sleep(0.5)
    assert run.rows("planning") == before
    assert spinning.transition(name, "activate")
    code, summary, printed = run.finish()
    assert code == 0, printed
    assert summary["decision_sha256"] == plain_digest("DN-14")


@pytest.mark.parametrize("name", ORDER if FULL else ["memory", "executor"])
def test_a_killed_node_that_is_not_started_again_ends_the_mission(start, name):
    run = start("--scenario", "DN-14", "--pace", "0.02", "--restarts", "0")
    run.await_steps(20)
    run.send(name, signal.SIGKILL)
    code, summary, printed = run.finish(timeout=15.0)
    assert code == 1
    assert summary["outcome"] == f"failed: node {name} died (signal 9, SIGKILL)"
    assert 0 < summary["steps"] < summary["budget_steps"]
    assert summary["outcome"] in printed
    assert not run.alive()
    assert_log_is_whole(run)


@pytest.mark.parametrize(
    ("number", "to_group", "code"),
    [(signal.SIGINT, True, 130), (signal.SIGINT, False, 130), (signal.SIGTERM, False, 143)],
)
def test_an_interrupt_ends_every_process(start, number, to_group, code):
    run = start("--scenario", "DN-14", "--pace", "0.02")
    run.await_steps(20)
    (os.killpg if to_group else os.kill)(run.process.pid, number)
    started = time.monotonic()
    returned, summary, printed = run.finish(timeout=15.0)
    assert returned == code, printed
    assert time.monotonic() - started < 8.0
    assert summary["outcome"] == "interrupted"
    assert not run.alive()
    assert_log_is_whole(run)


def test_nodes_end_with_a_killed_parent_and_the_run_is_resumed(start):
    run = start("--scenario", "DN-14", "--pace", "0.02")
    run.await_steps(20)
    run.process.kill()
    deadline = time.monotonic() + 8.0
    while run.alive() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not run.alive()
    assert_log_is_whole(run)
    steps = run.rows("pose")
    again = start("--resume", str(run.folder / "latest"))
    code, summary, printed = again.finish()
    assert code == 0, printed
    assert summary["decision_sha256"] == plain_digest("DN-14")
    assert again.rows("pose") > steps
    again = start("--resume", str(run.folder / "latest"))  # it had come to its end
    code, summary, printed = again.finish()
    assert (code, summary["decision_sha256"]) == (0, plain_digest("DN-14")), printed


def test_a_resumed_run_takes_no_other_parameters(tmp_path, capsys):
    from adm_core import cli

    assert cli.main(["up", "recycling", "--resume", str(tmp_path), "--seed", "3"]) == 2
    assert "--resume takes the parameters of its run" in capsys.readouterr().err
    assert cli.main(["up", "recycling", "--resume", str(tmp_path)]) == 2
    assert "holds no run" in capsys.readouterr().err
