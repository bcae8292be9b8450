"""What the audit log holds is enough to rebuild the memory exactly."""

import pytest
from adm_core.memory.audit import AuditLog
from adm_core.memory.audit_reader import AuditReader
from adm_core.memory.records import MUTABLE_FIELDS, changed_fields
from adm_core.missions.profile import load_profile
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig


class NoWorld:
    """World that is gone: every answer has to come from the log."""

    forgets = False

    def act(self, number, command):
        raise AssertionError(f"command {number} is not in the log")

    def facts(self):
        raise AssertionError


def finish(mission):
    for _ in mission.run():
        pass
    return mission


@pytest.fixture(scope="module", params=["paper", "robust"])
def run(request, tmp_path_factory):
    """Return a finished mission with its setup and log."""
    path = tmp_path_factory.mktemp("run") / "audit.sqlite"
    config = MissionConfig(scenario="D-10", seed=4)
    setup = prepare(config, load_profile(request.param))
    with AuditLog(path) as audit:
        mission = finish(LocalMission(setup, audit))
    return mission, setup, path


def test_replay_of_the_log_gives_identical_records(run):
    mission, setup, path = run
    with AuditLog(path) as audit:
        again = finish(LocalMission(setup, audit, world=NoWorld()))
    assert again.memory.records() == mission.memory.records()
    assert again.executor.digest.hexdigest() == mission.executor.digest.hexdigest()


def test_the_logged_changes_alone_add_up_to_what_is_believed(run):
    mission, _, path = run
    reader = AuditReader(path)
    believed = {row["id"]: row for row in reader.beliefs(float("inf"))}
    reader.close()
    assert set(believed) == {item.id for item in mission.memory.records()}
    for item in mission.memory.records():
        now = {change.field: change.new for change in changed_fields(None, item)}
        assert {name: believed[item.id][name] for name in MUTABLE_FIELDS} == now
