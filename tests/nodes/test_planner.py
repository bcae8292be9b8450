"""The planner node with a model behind it: decisions, deadlines, and where the key is."""

import threading
import time

import pytest
from adm_core.testing.llm_server import StrictLlmServer
from adm_nodes.common import conversions
from adm_nodes.planner import PlannerNode
from lifecycle_msgs.srv import GetState
from mission_crew import Crew, plain_digest

from adm_interfaces.msg import ReplyStatus
from adm_interfaces.srv import MakePlan
from adm_nodes import planner as planner_module

pytest.importorskip("openai")

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def crew(spinning, tmp_path):
    """Return a function that makes the nodes; parameters are the planner's."""
    return lambda **planner: Crew(spinning, tmp_path / "audit.sqlite", planner)


@pytest.mark.parametrize("mode", ["responses_strict", "chat_json_object"])
def test_a_model_that_plans_as_the_policy_makes_its_decisions(crew, mode):
    dialect = "llama_cpp" if mode == "chat_json_object" else "openai"
    with StrictLlmServer(dialect=dialect) as server:
        crew = crew(**{"llm.mode": mode, "llm.base_url": server.base_url}).activate()
        result = crew.await_outcome("completed")
    assert result.decision_sha256 == plain_digest(scenario="S-6")
    status = crew.said["planner_status"][-1]
    assert (status.mode, status.answered_by, status.takeovers) == (mode, mode, 0)
    assert status.calls == result.planner_calls


def test_a_recording_is_replayed(crew, tmp_path):
    from adm_core.llm.config import LlmConfig
    from adm_core.missions.planners import set_up_planner
    from adm_core.missions.recycling import LocalMission, prepare
    from adm_core.missions.setup import MissionConfig
    from adm_core.planning.llm_planner import LlmPlannerConfig

    tape = str(tmp_path / "tape.jsonl")
    with StrictLlmServer() as server:
        llm = LlmConfig(mode="responses_strict", base_url=server.base_url, record=tape)
        clock = (time.monotonic, time.sleep)
        with set_up_planner(llm, LlmPlannerConfig(), {}, *clock) as planners:
            mission = LocalMission(prepare(MissionConfig(scenario="S-6")), planners=planners)
            for _ in mission.run():
                pass
    crew = crew(**{"llm.mode": "replay", "llm.replay": tape}).activate()
    result = crew.await_outcome("completed")
    assert result.decision_sha256 == mission.executor.digest.hexdigest()
    assert crew.said["planner_status"][-1].mode == "replay"


def test_the_key_comes_from_the_environment_and_is_in_no_parameter_and_no_log(
    crew, monkeypatch, capfd, tmp_path
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with StrictLlmServer(key=KEY) as server:
        mode = {"llm.mode": "responses_strict", "llm.base_url": server.base_url}
        crew = crew(**mode).activate()
        crew.await_outcome("completed")
        node = crew.nodes["planner"]
        names = list(node.list_parameters([], 0).names)
        values = {name: node.get_parameter(name).value for name in names}
        assert KEY not in str(values)
        assert crew.spinning.transition("planner", "deactivate")
        assert crew.spinning.transition("planner", "cleanup")
    out, err = capfd.readouterr()
    assert KEY not in out + err
    assert KEY not in str(crew.said)
    for path in tmp_path.iterdir():
        assert KEY.encode() not in path.read_bytes(), path
    assert (tmp_path / "llm_calls.jsonl").exists()


class Hanging:
    """Stands in for the planner of a model; hangs until it is let go."""

    def __init__(self):
        self.asked, self.let_go = threading.Event(), threading.Event()

    def restore(self, state):
        pass

    def state(self):
        return {}

    def plan(self, request, exposure):
        self.asked.set()
        self.let_go.wait(30.0)
        raise RuntimeError("too late")


@pytest.fixture
def hanging(crew, monkeypatch):
    """Return the crew, held before its first plan, and a planner that hangs."""

    def make(**planner):
        monkeypatch.setattr(planner_module, "_GRACE_S", 0.9)
        with StrictLlmServer() as server:
            mode = {"llm.mode": "responses_strict", "llm.base_url": server.base_url}
            members = crew(**{**mode, "llm.deadline_s": 0.1, "llm.probe": "off", **planner})
            members.activate("world", "memory", "planner")
        node = members.nodes["planner"]
        members.spinning.wait(lambda: node._planner is not None)
        node._planner = planner = Hanging()
        return members, node, planner

    made = []
    yield lambda **planner: made.append(make(**planner)) or made[-1]
    for *_, planner in made:
        planner.let_go.set()


def ask(crew, number=1):
    from adm_core.memory.method import Focus
    from adm_core.types import Pose2D

    focus = conversions.focus_to_msg(Focus(Pose2D(0.5, 0.5)))
    request = MakePlan.Request(call=number, number=number, planning_call=1, focus=focus)
    replies = []
    crew.spinning.wait(lambda: crew.nodes["planner"]._planner is not None)  # has the mission
    thread = threading.Thread(
        target=lambda: replies.append(crew.spinning.call(MakePlan, "make_plan", request, 20.0))
    )
    thread.start()
    return thread, replies


def test_a_model_that_hangs_blocks_nothing_and_the_policy_answers(hanging):
    crew, node, planner = hanging()
    thread, replies = ask(crew)
    assert planner.asked.wait(10.0)
    beats = []
    beat, node.beat = node.beat, lambda: beats.append(1) or beat()
    state = crew.spinning.call(GetState, "planner/get_state", GetState.Request())
    assert state.current_state.label == "active"
    thread.join(20.0)
    assert replies[0].status.code == ReplyStatus.OK
    assert (replies[0].planner, list(replies[0].refusals)) == ("policy", ["deadline"])
    crew.spinning.wait(lambda: crew.said["planner_status"][-1].overdue == 1)
    assert node._planner is not planner  # the one that hangs is left to itself


def test_a_model_that_hangs_is_refused_if_nobody_may_stand_in(hanging):
    crew, _, planner = hanging(**{"planner.fallback": "hold"})
    thread, replies = ask(crew)
    assert planner.asked.wait(10.0)
    thread.join(20.0)
    assert replies[0].status.code == ReplyStatus.REFUSED
    assert "gave no plan (deadline)" in replies[0].status.message


def test_deactivating_lets_go_of_a_model_that_hangs(hanging):
    crew, _, planner = hanging()
    thread, replies = ask(crew)
    assert planner.asked.wait(10.0)
    assert crew.spinning.transition("planner", "deactivate")
    thread.join(20.0)
    assert replies[0].status.code == ReplyStatus.INACTIVE


def test_a_call_that_is_asked_again_costs_no_second_one(crew):
    with StrictLlmServer() as server:
        mode = {"llm.mode": "responses_strict", "llm.base_url": server.base_url}
        crew = crew(**mode).activate("world", "memory", "planner")
        node = crew.nodes["planner"]
        made = []
        make = node._make_plan
        node._make_plan = lambda request: made.append(request.number) or make(request)
        for number in (1, 1, 2):
            thread, replies = ask(crew, number)
            thread.join(20.0)
            assert replies[0].status.code == ReplyStatus.OK
        asking, again = ask(crew, 3)
        asking.join(20.0)
    assert made == [1, 2, 3]
    assert again[0].steps == replies[0].steps


def test_a_wrong_endpoint_fails_the_configure(spinning, capfd):
    node = spinning.add(PlannerNode, {"llm.mode": "replay", "llm.replay": "/nowhere.jsonl"})
    assert not spinning.transition("planner", "configure")
    assert node.state_label == "unconfigured"
    assert "/nowhere.jsonl" in capfd.readouterr().err
