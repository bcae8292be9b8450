"""Every node through every transition, twice; what is illegal is refused and does no harm."""

import configparser
import importlib
import inspect
import time
from pathlib import Path

import pytest
from adm_core.missions.twin import prepare_twin
from adm_nodes.common import qos
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.diagnostics import DiagnosticsNode
from adm_nodes.drivers.realsense import RealSenseNode
from adm_nodes.drivers.tello import TelloNode
from adm_nodes.executor import ExecutorNode
from adm_nodes.memory import MemoryNode
from adm_nodes.navigator import NavigatorNode
from adm_nodes.planner import PlannerNode
from adm_nodes.skills import SkillsNode
from adm_nodes.viewer import ViewerNode
from adm_nodes.world import WorldNode

import adm_nodes
from adm_interfaces.msg import NodeStatus

NODES = {
    "world": (WorldNode, {"scenario": "S-6"}),
    "memory": (MemoryNode, {}),
    "planner": (PlannerNode, {}),
    "executor": (ExecutorNode, {}),
    "viewer": (ViewerNode, {}),
    "navigator": (NavigatorNode, {}),
    "diagnostics": (DiagnosticsNode, {}),
    "tello": (TelloNode, {"tello.fence": "0,0 3,0 3,3 0,3"}),
    "realsense": (RealSenseNode, {"source": "topics"}),
    "skills": (SkillsNode, {"mission": "mission.json"}),
}

CYCLE = [
    ("configure", "inactive"),
    ("activate", "active"),
    ("deactivate", "inactive"),
    ("activate", "active"),
    ("deactivate", "inactive"),
    ("cleanup", "unconfigured"),
]

#: State to the transitions that do not start there.
ILLEGAL = {
    "unconfigured": ["activate", "deactivate", "cleanup"],
    "inactive": ["configure", "deactivate"],
    "active": ["configure", "activate", "cleanup"],
    "finalized": ["configure", "activate", "deactivate", "cleanup"],
}

#: State to a transition that does.
CONTINUATION = {
    "unconfigured": "configure",
    "inactive": "activate",
    "active": "deactivate",
    "finalized": "configure",
}


@pytest.fixture(params=NODES)
def node(request, spinning, tmp_path, monkeypatch):
    make, parameters = NODES[request.param]
    if make is SkillsNode:
        monkeypatch.chdir(tmp_path)
        prepare_twin(0).field.save(tmp_path / parameters["mission"])
    return spinning.add(make, parameters)


def test_no_node_of_the_package_is_left_out():
    setup = configparser.ConfigParser()
    setup.read(Path(__file__).parents[2] / "src" / "adm_nodes" / "setup.cfg")
    modules = [
        line.partition("=")[2].partition(":")[0].strip()
        for line in setup["options.entry_points"]["console_scripts"].strip().splitlines()
    ]
    assert adm_nodes.__name__ in modules[0]
    classes = {
        found
        for module in map(importlib.import_module, modules)
        for found in vars(module).values()
        if inspect.isclass(found) and issubclass(found, AdmNode) and found is not AdmNode
    }
    assert {make for make, _ in NODES.values()} == classes


def reach(spinning, node, state):
    """Bring a fresh node into a state."""
    way = {"inactive": 1, "active": 2, "finalized": 0, "unconfigured": 0}[state]
    for label, _ in CYCLE[:way]:
        assert spinning.transition(node.get_name(), label)
    if state == "finalized":
        assert spinning.transition(node.get_name(), "shutdown")
    assert node.state_label == state


def test_twice_through_every_transition(spinning, node):
    for label, state in CYCLE * 2:
        assert spinning.transition(node.get_name(), label)
        assert node.state_label == state
        assert node.is_active == (state == "active")


@pytest.mark.parametrize("state", ["unconfigured", "inactive", "active"])
def test_shutdown_from_any_state(spinning, node, state):
    reach(spinning, node, state)
    assert spinning.transition(node.get_name(), "shutdown")
    assert node.state_label == "finalized"
    assert not node.is_active


@pytest.mark.parametrize("state", ILLEGAL)
def test_an_illegal_transition_is_refused_and_the_node_lives_on(spinning, node, state):
    reach(spinning, node, state)
    for label in ILLEGAL[state]:
        assert not spinning.transition(node.get_name(), label)
        assert node.state_label == state
    assert spinning.transition(node.get_name(), CONTINUATION[state]) == (state != "finalized")


def test_release_leaves_no_entity_behind(spinning, node):
    def entities():
        kinds = (node.publishers, node.subscriptions, node.services, node.clients, node.timers)
        return [len(list(kind)) for kind in kinds]

    before = entities()
    for label, _ in CYCLE:
        assert spinning.transition(node.get_name(), label)
    assert entities() == before


def test_the_heartbeat_tells_every_state(spinning):
    seen = []
    spinning.node.create_subscription(
        NodeStatus, "node_status", lambda message: seen.append(message.state), qos.STATUS
    )
    spinning.add(MemoryNode)
    spinning.wait(lambda: "unconfigured" in seen)
    for label, state in CYCLE:
        assert spinning.transition("memory", label)
        spinning.wait(lambda state=state: seen[-1:] == [state])


def test_exceptions_in_callbacks_are_logged_and_end_nothing(spinning, node, capfd):
    def fail(*_):
        raise KeyError("a mistake of ours")

    setup = node.setup

    def with_mistakes():
        setup()
        node.add_timer(0.01, fail)
        node.add_subscription(NodeStatus, "mistaken", qos.LATCHED, fail)

    node.setup = with_mistakes
    reach(spinning, node, "active")
    spinning.node.create_publisher(NodeStatus, "mistaken", qos.LATCHED).publish(NodeStatus())
    spinning.wait(lambda: "a mistake of ours" in capfd.readouterr().err)
    assert spinning.transition(node.get_name(), "deactivate")
    assert node.state_label == "inactive"


def test_a_slow_configure_ends_as_it_should(spinning, node):
    setup = node.setup
    node.setup = lambda: time.sleep(1.2) or setup()
    assert spinning.transition(node.get_name(), "configure")
    assert node.state_label == "inactive"
    assert spinning.transition(node.get_name(), "activate")


@pytest.mark.parametrize("state", ["inactive", "active"])
def test_publishers_are_open_only_while_active(spinning, node, state):
    reach(spinning, node, state)
    publishers = [item for item in node._managed_entities if hasattr(item, "is_activated")]
    assert publishers or node.get_name() == "watch"
    assert {item.is_activated for item in publishers} == {state == "active"}


class FailingNode(MemoryNode):
    """Raises where it is told to."""

    failure: Exception | None = None

    def setup(self):
        super().setup()
        if self.failure:
            raise self.failure

    def start(self):
        super().start()
        if self.failure:
            raise self.failure


@pytest.mark.parametrize("failure", [ValueError("no such thing"), KeyError("a mistake of ours")])
def test_a_failed_configure_leaves_the_node_unconfigured_and_usable(spinning, failure):
    node = spinning.add(FailingNode)
    node.failure = failure
    assert not spinning.transition("memory", "configure")
    assert node.state_label == "unconfigured"
    node.failure = None
    assert spinning.transition("memory", "configure")
    assert node.state_label == "inactive"


@pytest.mark.parametrize(
    ("failure", "state"),
    [(ValueError("not now"), "inactive"), (KeyError("a mistake of ours"), "unconfigured")],
)
def test_a_failed_activate_ends_in_a_defined_state(spinning, failure, state):
    node = spinning.add(FailingNode)
    assert spinning.transition("memory", "configure")
    node.failure = failure
    assert not spinning.transition("memory", "activate")
    assert node.state_label == state
    assert not node.is_active
