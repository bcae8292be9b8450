"""Nodes killed at random instants: the mission completes, and nothing is done twice."""

import json
import random
import sqlite3
import time

import pytest
from adm_core.memory.audit import AuditLog
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig
from adm_nodes.manager import ORDER
from mission_processes import Run
from sizes import FULL, examples

SCENARIO, SEED = "D-10", 1
KILLS_PER_MISSION = 5 if FULL else 3
#: What the log of a mission tells, but for the journal, of which a plain run has another.
TABLES = ("evidence", "change", "planning", "skill", "pose")


def contents(path):
    with sqlite3.connect(path) as db:
        return {table: db.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Return digest, deliveries and log of the same mission without ROS and without kills."""
    path = tmp_path_factory.mktemp("plain") / "audit.sqlite"
    setup = prepare(MissionConfig(scenario=SCENARIO, seed=SEED))
    with AuditLog(path) as audit:
        mission = LocalMission(setup, audit)
        for _ in mission.run():
            pass
    return mission.executor.digest.hexdigest(), mission.world.facts().delivered, contents(path)


def wait_for_progress(run, rows, limit_s):
    """Wait until the journal has grown, the mission has ended, or the time is up."""
    goal, deadline = run.rows("journal") + rows, time.monotonic() + limit_s
    while run.process.poll() is None and time.monotonic() < deadline:
        if run.rows("journal") >= goal:
            return
        time.sleep(0.02)


def killed_mission(folder, chance):
    """Carry one mission out while its nodes are killed; return the run and the kills."""
    run, killed = Run(folder, "--scenario", SCENARIO, "--seed", str(SEED), "--pace", "0.02"), []
    try:
        run.await_steps(1)
        while len(killed) < KILLS_PER_MISSION and run.process.poll() is None:
            if chance.random() < 0.7:
                wait_for_progress(run, chance.randint(1, 60), 20.0)
            else:  # while others are still being brought up again
                time.sleep(chance.uniform(0.0, 1.0))
            name = chance.choice(ORDER)
            if run.process.poll() is None and run.kill(name):
                killed.append(name)
        code, summary, printed = run.finish(timeout=400.0)
    finally:
        run.end()
    return code, summary, printed, killed


def placed(path):
    """Return how often the journal tells of something put down at a station."""
    with sqlite3.connect(path) as db:
        rows = dict(db.execute("SELECT number, body FROM journal WHERE kind = 'request'"))
        answers = dict(db.execute("SELECT number, body FROM journal WHERE kind = 'answer'"))
    acts = {number: json.loads(body).get("command", {}) for number, body in rows.items()}
    places = [number for number, act in acts.items() if act.get("primitive") == "place"]
    return sum(json.loads(answers[number])["success"] for number in places)


def test_missions_survive_random_kills_and_do_nothing_twice(domain, tmp_path, plain):
    digest, delivered, log = plain
    kills, wanted = 0, examples("node_kills")
    for number in range(-(-wanted // KILLS_PER_MISSION)):
        folder = tmp_path / str(number)
        code, summary, printed, killed = killed_mission(folder, random.Random(number))
        assert code == 0, (killed, printed)
        assert summary["delivered"] == delivered  # what the world says
        assert summary["decision_sha256"] == digest, killed
        assert placed(folder / "latest" / "audit.sqlite") == delivered
        assert contents(folder / "latest" / "audit.sqlite") == log, killed
        kills += len(killed)
        print(json.dumps({"mission": number, "killed": killed}))
    assert kills >= 0.9 * wanted
