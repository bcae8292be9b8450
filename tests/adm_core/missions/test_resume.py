"""A brain killed at any instant resumes, and nothing is done twice."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from adm_core.errors import MissionError
from adm_core.memory.audit import AuditLog
from adm_core.missions.recycling import LocalMission, LocalWorld, prepare
from adm_core.missions.setup import MissionConfig
from adm_core.missions.world_process import RemoteWorld
from sizes import examples

SETUP = prepare(MissionConfig(scenario="D-10", seed=1))
TABLES = ("evidence", "change", "planning", "skill", "pose", "journal")


def finish(mission):
    for _ in mission.run():
        pass
    return mission.executor.digest.hexdigest()


def contents(path):
    with sqlite3.connect(path) as db:
        return {table: db.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return digest and log of an undisturbed run."""
    path = tmp_path_factory.mktemp("whole") / "audit.sqlite"
    with AuditLog(path) as audit:
        digest = finish(LocalMission(SETUP, audit))
    return digest, contents(path)


class Killed(Exception):
    pass


class DyingWorld(LocalWorld):
    """World that kills the brain before or after it carries out a command."""

    def __init__(self, setup, number, after):
        super().__init__(setup)
        self.number, self.after = number, after

    def act(self, number, command):
        if number == self.number and not self.after:
            raise Killed
        answer = super().act(number, command)
        if number == self.number:
            raise Killed
        return answer


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("number", [0, 1, 17, 60, 99])
def test_a_resumed_mission_equals_an_undisturbed_one_row_by_row(tmp_path, whole, number, after):
    path = tmp_path / "audit.sqlite"
    with pytest.raises(Killed), AuditLog(path) as audit:
        finish(LocalMission(SETUP, audit, world=DyingWorld(SETUP, number, after)))
    with AuditLog(path) as audit:
        assert finish(LocalMission(SETUP, audit)) == whole[0]
    assert contents(path) == whole[1]


def test_resuming_a_finished_mission_changes_nothing(tmp_path, whole):
    path = tmp_path / "audit.sqlite"
    for _ in range(2):
        with AuditLog(path) as audit:
            assert finish(LocalMission(SETUP, audit)) == whole[0]
        assert contents(path) == whole[1]


def test_a_journal_of_another_mission_is_refused(tmp_path):
    path = tmp_path / "audit.sqlite"
    with pytest.raises(Killed), AuditLog(path) as audit:
        finish(LocalMission(SETUP, audit, world=DyingWorld(SETUP, 20, True)))
    other = prepare(MissionConfig(scenario="D-10", seed=2))
    with pytest.raises(MissionError, match="does not repeat step"), AuditLog(path) as audit:
        finish(LocalMission(other, audit))


@contextmanager
def world_process(folder):
    """Yield socket and ledger of a world process that outlives every brain."""
    path, ledger = folder / "world", folder / "ledger.jsonl"
    mission = json.dumps({"scenario": "D-10", "seed": 1})
    command = [sys.executable, "-m", "adm_core.missions.world_process"]
    options = ["--socket", str(path), "--ledger", str(ledger), "--mission", mission]
    server = subprocess.Popen([*command, *options])
    try:
        deadline = time.monotonic() + 30
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        yield path, ledger
    finally:
        server.terminate()
        server.wait(10)


BRAIN = """
import sys
from adm_core.memory.audit import AuditLog
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig
from adm_core.missions.world_process import RemoteWorld
import os, signal

audit, world = AuditLog(sys.argv[1]), RemoteWorld(sys.argv[2])
answers, act = int(sys.argv[3]), world.act

def dying_act(number, command):
    global answers
    answer = act(number, command)
    answers -= 1
    if answers == 0:
        os.kill(os.getpid(), signal.SIGKILL)  # actuated, not yet committed
    return answer

world.act = dying_act
mission = LocalMission(prepare(MissionConfig(scenario="D-10", seed=1)), audit, world=world)
for snapshot in mission.run():
    print(snapshot.step, flush=True)
audit.commit()
print(mission.executor.digest.hexdigest())
"""


def start_brain(audit, world, answers):
    command = [sys.executable, "-c", BRAIN, str(audit), str(world), str(answers)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kill_after(brain, lines):
    """Kill a brain after it has printed some lines; return False if it came to its end."""
    for _ in range(lines):
        if not brain.stdout.readline():
            return brain.wait() < 0
    brain.send_signal(signal.SIGKILL)
    return brain.wait() < 0


def killed_mission(folder, chance, most):
    """Finish one mission with a brain killed up to `most` times.

    Return the last brain's digest, the world's ledger, and the numbers of kills: all, and those
    between an actuation and its commit.
    """
    kills = between = 0
    folder.mkdir()
    with world_process(folder) as (socket, ledger):
        while kills < most:
            unseen = chance.random() < 0.4
            brain = start_brain(
                folder / "audit.sqlite", socket, chance.randint(1, 12) if unseen else 0
            )
            if not kill_after(brain, 10_000 if unseen else chance.randint(1, 12)):
                break
            kills, between = kills + 1, between + unseen
        brain = start_brain(folder / "audit.sqlite", socket, 0)
        output, _ = brain.communicate(timeout=60)
        assert brain.returncode == 0
        assert RemoteWorld(socket).facts().delivered == 10
        actions = [json.loads(line)["action"] for line in ledger.read_text().splitlines()]
    return output.split()[-1], actions, kills, between


def test_kill_9_at_random_instants_repeats_no_pick_and_no_delivery(tmp_path, whole):
    chance, wanted, kills, between, missions = random.Random(7), examples("kill_9"), 0, 0, 0
    while kills < wanted:
        missions += 1
        digest, actions, more, unseen = killed_mission(
            tmp_path / str(missions), chance, wanted - kills
        )
        kills, between = kills + more, between + unseen
        assert digest == whole[0]
        assert actions == ["pick", "place"] * 10
    assert between >= wanted // 4


def test_an_unreachable_world_is_a_clear_error(tmp_path):
    with pytest.raises(MissionError, match="no world answers"):
        RemoteWorld(tmp_path / os.urandom(4).hex())
