"""A mission planned by a model and resumed: the count towards a stall and the whole ledger."""

import json

import pytest
from adm_core.errors import LlmError
from adm_core.llm.client import LlmClient
from adm_core.llm.config import LlmConfig
from adm_core.llm.exchange import Outcome
from adm_core.llm.ledger import Ledger
from adm_core.memory.audit import AuditLog
from adm_core.missions.endpoint import Line
from adm_core.missions.planners import PlannerSetup
from adm_core.missions.recycling import LocalMission, LocalWorld, prepare
from adm_core.missions.run_folder import LEDGER, RunFolder
from adm_core.missions.setup import MissionConfig
from adm_core.planning.llm_planner import LlmPlannerConfig
from adm_core.testing.llm_model import Question, plan_as_policy
from llm_doubles import chat_reply, plan_text

SETUP = prepare(MissionConfig(scenario="S-6", seed=5))


class Modelled:
    """Exchange of a model that plans well, but only drives about for its first calls."""

    def __init__(self, vain=0):
        self.calls, self.vain = 0, vain

    def __call__(self, route, body, budget_s):
        self.calls += 1
        turns = tuple(item["content"] for item in body["messages"] if item["role"] == "user")
        text = plan_as_policy(Question(turns, None))
        if self.calls <= self.vain:
            records = json.loads(turns[0])["records"]
            far = records[-1]["id"]
            text = plan_text(
                ("navigate", None, "station_A"), ("navigate", far, None), ("approach", far, None),
                ("grasp", far, None), ("navigate", None, "station_A"),
            )  # fmt: skip
        return Outcome(chat_reply(text), None, "", 0.5, 1)


def planners(exchange, **config):
    llm = LlmConfig(mode="chat_json_object", model="m")
    ledger = Ledger(llm.mode, llm.model)
    planning = LlmPlannerConfig(**config)
    return PlannerSetup(llm.mode, Line(LlmClient(llm, exchange), ledger), planning)


class Killed(Exception):
    pass


class DyingWorld(LocalWorld):
    def __init__(self, setup, number):
        super().__init__(setup)
        self.number = number

    def act(self, number, command):
        if number == self.number:
            raise Killed
        return super().act(number, command)


def finish(mission):
    for _ in mission.run():
        pass
    return mission


def run(folder, exchange, dies_at=None, **config):
    """Run a mission in a folder, perhaps to its death; return its planners and its mission."""
    setup = planners(exchange, **config)
    folder.keep_ledger(setup.ledger)
    with AuditLog(folder.audit) as audit:
        world = DyingWorld(SETUP, dies_at) if dies_at is not None else None
        mission = LocalMission(SETUP, audit, world, setup)
        if dies_at is None:
            return finish(mission), setup
        with pytest.raises(Killed):
            finish(mission)
        audit.rollback()
    return mission, setup


@pytest.mark.parametrize("dies_at", [1, 7, 15, 25, 33])
def test_a_resumed_mission_has_the_whole_ledger_and_decides_as_if_never_killed(tmp_path, dies_at):
    whole, undisturbed = run(RunFolder(tmp_path / "whole"), Modelled())
    folder = RunFolder(tmp_path / "run")
    first, second = Modelled(), Modelled()
    run(folder, first, dies_at)
    resumed, setup = run(RunFolder.existing(folder.path), second)
    assert resumed.executor.digest.hexdigest() == whole.executor.digest.hexdigest()
    assert len(setup.ledger.calls) == first.calls + second.calls
    again = first.calls + second.calls - len(undisturbed.ledger.calls)
    assert again in (0, 1)  # an answer that was not committed when the brain died is asked again
    lines = [json.loads(line) for line in (folder.path / LEDGER).read_text().splitlines()]
    assert lines == setup.ledger.as_dicts()


@pytest.mark.parametrize("dies_at", [3, 8, 14, 22])
def test_a_resumed_mission_stalls_where_an_undisturbed_one_does(tmp_path, dies_at):
    config = {"stall_calls": 1}
    whole, undisturbed = run(RunFolder(tmp_path / "whole"), Modelled(), **config)
    folder = RunFolder(tmp_path / "run")
    run(folder, Modelled(), dies_at, **config)
    resumed, setup = run(RunFolder.existing(folder.path), Modelled(), **config)
    assert undisturbed.ledger.takeovers["stalled"] > 0
    assert setup.ledger.takeovers == undisturbed.ledger.takeovers
    assert resumed.executor.digest.hexdigest() == whole.executor.digest.hexdigest()


def test_a_line_that_a_killed_process_left_half_written_is_dropped(tmp_path):
    folder = RunFolder(tmp_path / "run")
    _, setup = run(folder, Modelled(), 7)
    with (folder.path / LEDGER).open("a") as file:
        file.write('{"number": 3, "ki')
    _, again = run(RunFolder.existing(folder.path), Modelled())
    assert again.ledger.calls[: len(setup.ledger.calls)] == setup.ledger.calls


@pytest.mark.parametrize("line", ['{"number": 3}', "[1, 2]", "no json"])
def test_a_damaged_ledger_is_a_clear_error(tmp_path, line):
    folder = RunFolder(tmp_path / "run")
    (folder.path / LEDGER).write_text(line + "\n")
    with pytest.raises(LlmError, match=r"ledger .* damaged"):
        folder.keep_ledger(Ledger("chat_json_object", "m"))
