"""What robots, maps and people do wrong, and what the team makes of it."""

import os
import signal
import threading
import time
from dataclasses import replace

import pytest
from adm_core.missions.coordinators import CoordinatorSetup
from adm_core.missions.search_setup import SearchMissionConfig, set_up_search
from adm_core.simulation.search.config import ScenarioConfig
from adm_nodes.bringup.pacing import PacingConfig
from adm_nodes.bringup.search_nodes import SearchParameters, search_nodes, with_sensor
from adm_nodes.bringup.search_session import SearchSession
from adm_nodes.bringup.spec import write_parameters
from lifecycle_msgs.msg import Transition
from rclpy.action import ActionClient
from small_floor import write_small_floor

from adm_interfaces.action import RunSearch

EXPLORE = {"robots": 2, "seed": 1, "method": "nf_h"}


class Team:
    """The nodes of a search, and a thread that follows it."""

    def __init__(self, folder, config, pacing, one_per_process=False):
        mission = SearchMissionConfig(map=str(write_small_floor(folder)), **config)
        given = SearchParameters(mission, pacing=pacing)
        given = replace(given, search=with_sensor(given.search, given.sensor))
        policy = CoordinatorSetup("policy")
        self.setup = set_up_search(given.mission, ScenarioConfig(), 0.0, policy)
        specs = search_nodes(given, self.setup)
        parameters = write_parameters(folder / "parameters.yaml", specs)
        self.feedback, self.notes = [], []
        self.session = SearchSession(specs, parameters, folder, one_per_process)
        if not one_per_process:
            stack = self.session._nodes
            self.nodes = dict(zip((spec.path for spec in specs), stack._nodes, strict=True))
            self.spinners = dict(zip(self.nodes, stack._spinners, strict=True))
        manager = self.session._manager  # a machine under load starts processes slowly
        manager._config = replace(manager._config, appear_s=300.0)
        self._budget = given.mission.budget_steps
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self):
        self.session.search(self.setup.task, self._budget, self.feedback.append, self.notes.append)

    def wait(self, condition, timeout=300.0):
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, self.session.failure or "nothing came of it"
            time.sleep(0.02)

    def await_steps(self, count):
        self.wait(lambda: self.feedback and self.feedback[-1].steps >= count)

    def silence(self, path):
        """Let a node answer nobody any more, as one that hangs."""
        self.spinners[path].join()
        self.nodes[path].mail.close()

    def restart(self, path):
        """Take a node down to nothing and up again, through its services."""
        manager = self.session._manager
        for label, state in [
            (Transition.TRANSITION_DEACTIVATE, "inactive"),
            (Transition.TRANSITION_CLEANUP, "unconfigured"),
            (Transition.TRANSITION_CONFIGURE, "inactive"),
            (Transition.TRANSITION_ACTIVATE, "active"),
        ]:
            manager._request(path, label)
            self.wait(lambda state=state: self.nodes[path].state_label == state)

    def finish(self, timeout=120.0):
        self._thread.join(timeout)
        assert not self._thread.is_alive(), "the search did not end"
        assert not self.session.failure
        return self.session.outcome

    def end(self):
        self.session.end()
        self._thread.join(10.0)


@pytest.fixture
def start(domain, tmp_path):
    teams = []

    def make(config=EXPLORE, one_per_process=False, **pacing):
        teams.append(Team(tmp_path, config, PacingConfig(**pacing), one_per_process))
        return teams[-1]

    yield make
    for team in teams:
        team.end()


def test_a_robot_whose_explorer_hangs_is_waited_for_once_and_the_other_explores(start):
    team = start(patience_s=1.0)
    team.await_steps(10)
    team.silence("robot_1/explorer")
    outcome = team.finish()
    assert outcome.state in ("done", "done_except_unreachable")
    team.end()
    assert team.session.truth.share == 1.0
    assert team.session.truth.late_moves > 0


@pytest.mark.parametrize(
    ("path", "lockstep"),
    [
        ("map_fusion", True),
        ("map_fusion", False),
        ("robot_0/explorer", True),
        ("coordinator", True),
        ("area_graph", True),
    ],
)
def test_a_node_that_is_restarted_rejoins_and_the_search_ends(start, path, lockstep):
    team = start({**EXPLORE, "method": "sagr+"}, lockstep=lockstep, patience_s=1.0, step_s=0.05)
    team.await_steps(15)
    team.restart(path)
    outcome = team.finish()
    assert outcome.state in ("done", "done_except_unreachable")
    team.end()
    assert team.session.truth.share == 1.0


def test_one_search_at_a_time_and_a_cancelled_one_makes_room(start):
    team = start(patience_s=30.0)
    team.await_steps(5)
    manager = team.session._manager
    client = ActionClient(manager, RunSearch, "run_search")

    def ask(**goal):
        sent = client.send_goal_async(RunSearch.Goal(**goal))
        team.wait(sent.done)
        return sent.result()

    try:
        assert not ask(text="explore").accepted
        team.session._goal.cancel_goal_async()
        assert team.finish().state == "cancelled"
        assert not ask(text="don't explore").accepted
        assert not ask(text="  ").accepted
        second = ask(text="explore", budget_steps=3)
        assert second.accepted
        result = second.get_result_async()
        team.wait(result.done)
        assert (result.result().result.state, result.result().result.steps) == ("budget", 3)
    finally:
        client.destroy()


def test_a_search_node_that_is_deactivated_ends_its_search_and_takes_another_later(start):
    team = start(patience_s=30.0)
    team.await_steps(5)
    team.restart("search")
    outcome = team.finish()
    assert (outcome.state, outcome.detail) == ("failed", "the search node was deactivated")
    client = ActionClient(team.session._manager, RunSearch, "run_search")
    try:
        team.wait(client.server_is_ready)
        sent = client.send_goal_async(RunSearch.Goal(text="explore", budget_steps=2))
        team.wait(sent.done)
        result = sent.result().get_result_async()
        team.wait(result.done)
        assert result.result().result.state == "budget"
    finally:
        client.destroy()


def test_a_killed_explorer_comes_back_and_the_others_go_on(start):
    team = start(one_per_process=True, lockstep=False, step_s=0.1)
    team.await_steps(10)
    os.kill(team.session.pids["robot_1/explorer"], signal.SIGKILL)
    outcome = team.finish(240.0)
    assert outcome.state in ("done", "done_except_unreachable")
    team.end()
    notes = " ".join(map(str, team.notes))
    assert "robot_1/explorer died (signal 9, SIGKILL)" in notes
    assert "robot_1/explorer is active again" in notes
    assert team.session.truth.share == 1.0
