"""move_base's protocol against a real actionlib server, over the relay, with a wrong clock."""

import json
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from adm_core.types import Pose2D
from adm_nodes.navigation import NavGoal, NavOutcome
from adm_nodes.navigation.config import MoveBaseConfig
from adm_nodes.navigation.move_base_topics import MoveBaseNavigator
from bridge_sides import RelayProcess, Ros2, wait
from ros1_graph import PYTHON

SERVER = Path(__file__).parents[1] / "ros1_move_base.py"
CONFIG = {
    "pose_stale_s": 0.0,
    "scan_stale_s": 0.0,
    "silence_s": 6.0,  # a loaded machine
    "ack_timeout_s": 30.0,
    "cancel_timeout_s": 20.0,
}


class MoveBaseProcess:
    """ros1_move_base.py as a process that can be killed and started again."""

    def __init__(self, master, skew_s):
        self._master, self._skew_s = master, skew_s
        self._lock = threading.Lock()
        self.start()

    def start(self):
        self._process = subprocess.Popen(
            [PYTHON, str(SERVER), str(self._skew_s)],
            env=self._master.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.ask("state")

    def ask(self, do, **more):
        with self._lock:
            self._process.stdin.write(json.dumps({"do": do, **more}) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())

    def wait_for_goal(self, not_these=()):
        """Return the id of the goal under way once there is one."""
        return wait(lambda: (now := self.ask("state")["current"]) not in not_these and now)

    def signal(self, number):
        self._process.send_signal(number)

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()


class Sides:
    """A master, a relay that can be killed, and a ROS 2 node."""

    def __init__(self, master, domain, log):
        self.master, self._domain, self._log = master, domain, log
        self.ros2 = Ros2(domain)
        self.navigators = []
        self.start_relay()

    def start_relay(self):
        self.relay = RelayProcess(self.master, self._domain, self._log)

    def close_navigators(self):
        """Close what a test left open, failed or not: it would preempt the next one's goals."""
        while self.navigators:
            self.navigators.pop().close()

    def close(self):
        self.ros2.close()
        self.relay.close()


@pytest.fixture(scope="module")
def sides(ros1, domain, tmp_path_factory):
    sides = Sides(ros1, domain, tmp_path_factory.mktemp("relay") / "relay.log")
    yield sides
    sides.close()


@pytest.fixture(params=[0.0, 60.0, -60.0], ids=["clocks agree", "fast by 60 s", "slow by 60 s"])
def server(request, sides):
    server = MoveBaseProcess(sides.master, request.param)
    yield server
    sides.close_navigators()
    server.kill()


def make_navigator(sides, **config):
    navigator = MoveBaseNavigator(sides.ros2.node, MoveBaseConfig(**{**CONFIG, **config}))
    sides.navigators.append(navigator)
    wait(lambda: navigator.problem() == "")
    return navigator


def goal(x):
    return NavGoal(Pose2D(x, 0.0))


def test_accept_preempt_abort_cancel(sides, server):
    navigator = make_navigator(sides)

    task = navigator.send(goal(1.0))
    first = server.wait_for_goal()
    wait(lambda: task.feedback.pose is not None)
    server.ask("finish", how="succeed")
    assert task.wait(30.0).outcome is NavOutcome.SUCCEEDED

    older = navigator.send(goal(2.0))
    second = server.wait_for_goal([first])
    task = navigator.send(goal(3.0))
    third = server.wait_for_goal([first, second])
    assert older.result.outcome is NavOutcome.PREEMPTED
    server.ask("finish", how="abort", text="no valid plan")
    result = task.wait(30.0)
    assert (result.outcome, result.text) == (NavOutcome.ABORTED, "no valid plan")

    task = navigator.send(goal(4.0))
    fourth = server.wait_for_goal([first, second, third])
    task.cancel()
    assert task.wait(30.0).outcome is NavOutcome.CANCELLED
    wait(lambda: server.ask("state")["current"] is None)
    assert server.ask("state")["accepted"] == [first, second, third, fourth]  # each of them once
    assert all(item.startswith("/test|") for item in (first, second, third, fourth))

    task = navigator.send(goal(5.0))  # the cancel of before holds nothing against a new goal
    fifth = server.wait_for_goal([fourth])
    server.ask("foreign", id="rviz-1", x=6.0)
    assert task.wait(30.0).outcome is NavOutcome.PREEMPTED
    assert server.wait_for_goal([None, fifth]) == "rviz-1"
    navigator.close()
    time.sleep(0.5)
    assert server.ask("state")["current"] == "rviz-1"  # and is left alone


def test_a_restarted_server_has_lost_the_goal_and_takes_the_next(sides, server):
    navigator = make_navigator(sides)
    task = navigator.send(goal(1.0))
    first = server.wait_for_goal()
    wait(lambda: task.feedback.pose is not None)
    server.kill()
    server.start()
    assert task.wait(60.0).outcome is NavOutcome.LOST
    wait(lambda: navigator.problem() == "")
    task = navigator.send(goal(2.0))
    server.wait_for_goal([first])
    server.ask("finish", how="succeed")
    assert task.wait(30.0).outcome is NavOutcome.SUCCEEDED
    assert first not in server.ask("state")["accepted"]  # nothing of before is sent again
    navigator.close()


@pytest.fixture
def fair_server(sides):
    server = MoveBaseProcess(sides.master, 0.0)
    yield server
    sides.close_navigators()
    server.kill()


def test_a_cancel_of_somebody_stamped_ahead_recalls_what_follows(sides, fair_server):
    """The server's clock rules here: the goal is not begun, and says so."""
    navigator = make_navigator(sides)
    fair_server.ask("cancel_all", ahead_s=20.0)
    time.sleep(0.5)
    task = navigator.send(goal(1.0))
    assert task.wait(30.0).outcome is NavOutcome.REJECTED
    assert "cancel" in task.result.text
    navigator.close()


def test_a_broken_link_loses_the_goal_and_stops_the_base_when_it_is_back(sides, fair_server):
    navigator = make_navigator(sides, silence_s=3.0, cancel_timeout_s=3.0)
    task = navigator.send(goal(1.0))
    fair_server.wait_for_goal()
    wait(lambda: task.feedback.pose is not None)
    sides.relay.kill()
    assert task.wait(30.0).outcome is NavOutcome.LOST
    assert fair_server.ask("state")["current"] is not None  # it drives on, blind
    sides.start_relay()
    wait(lambda: fair_server.ask("state")["current"] is None)
    navigator.close()


def test_a_server_that_hangs_has_lost_the_goal_and_stops_when_it_goes_on(sides, fair_server):
    navigator = make_navigator(sides, silence_s=3.0)
    task = navigator.send(goal(1.0))
    fair_server.wait_for_goal()
    wait(lambda: task.feedback.pose is not None)
    fair_server.signal(signal.SIGSTOP)
    assert task.wait(30.0).outcome is NavOutcome.LOST
    fair_server.signal(signal.SIGCONT)
    wait(lambda: fair_server.ask("state")["current"] is None)
    wait(lambda: navigator.problem() == "")
    navigator.close()


def test_the_simple_goal_where_action_messages_do_not_cross(sides, fair_server):
    navigator = make_navigator(sides, protocol="simple")
    task = navigator.send(goal(1.0))
    first = fair_server.wait_for_goal()
    fair_server.ask("finish", how="succeed")
    assert task.wait(30.0).outcome is NavOutcome.SUCCEEDED
    task = navigator.send(goal(2.0))
    second = fair_server.wait_for_goal([first])
    task.cancel()
    assert task.wait(30.0).outcome is NavOutcome.CANCELLED
    assert fair_server.ask("state")["accepted"] == [first, second]  # each of them arrived once
    navigator.close()
