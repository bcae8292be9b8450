"""``adm audit`` from the outside."""

import json

import pytest
from adm_core.commands import audit as command
from adm_core.memory.audit import AuditLog
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig

from adm_core import cli


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a run folder and, for some steps, the records as they really were."""
    folder = tmp_path_factory.mktemp("run")
    records = {}
    with AuditLog(folder / "audit.sqlite") as log:
        mission = LocalMission(prepare(MissionConfig(seed=0)), log)
        for snapshot in mission.run():
            records[snapshot.step] = mission.memory.records()
    return folder, records


@pytest.fixture
def adm(monkeypatch, capfd):
    """Return a function that runs ``adm audit`` and returns exit code, output and errors."""
    monkeypatch.setattr(cli, "load_commands", lambda: {"audit": command})

    def call(*arguments):
        code = cli.main(["audit", *map(str, arguments)])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.mark.parametrize("step", [0, 1, 50, 97, 150, 198])
def test_the_log_tells_what_was_believed_at_any_step(adm, run, step):
    folder, records = run
    _, out, _ = adm(folder, "--at", step, "--json")
    told = json.loads(out)["beliefs"]
    assert [(item["id"], item["label"], item["status"]) for item in told] == [
        (item.id, item.label, item.status.value) for item in records[step]
    ]
    assert [item["supported"] for item in told] == [str(item.supported) for item in records[step]]
    assert [float(item["stamp"]) for item in told] == [item.stamp for item in records[step]]


def test_the_decision_comes_with_its_reason_exposure_and_plan(adm, run):
    answer = json.loads(adm(run[0], "--at", 98, "--json")[1])["decision"]
    assert (answer["reason"], answer["entity"]) == ("skill_failed:absent", "e006")
    assert len(answer["exposed"]) > 1
    assert answer["plan"][0].startswith("navigate(")


def test_the_history_of_an_entity_says_why_it_is_believed_or_not(adm, run):
    code, out, _ = adm(run[0], "--entity", "e006")
    assert code == 0
    assert "static_prior of 0.0" in out
    assert "grasp failed absent" in out
    assert "supported: True -> False" in out


def test_people_get_an_overview(adm, run):
    code, out, _ = adm(run[0])
    assert code == 0
    assert "run of 198 steps" in out
    assert "accepted_new" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "there is no audit log at nowhere"),
        (("{run}", "--entity", "e9"), "entities: e001"),
    ],
)
def test_questions_without_an_answer_are_refused(adm, run, arguments, message):
    code, _, err = adm(*(item.format(run=run[0]) for item in arguments))
    assert code == 2
    assert message in err


def test_a_damaged_log_is_a_clear_error(adm, tmp_path):
    (tmp_path / "audit.sqlite").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    code, _, err = adm(tmp_path)
    assert code == 2
    assert "cannot be read" in err
