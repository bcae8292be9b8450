"""Every node through every transition, twice; what is illegal is refused and does no harm."""

import pytest
from adm_nodes.common import qos
from adm_nodes.executor import ExecutorNode
from adm_nodes.memory import MemoryNode
from adm_nodes.navigator import NavigatorNode
from adm_nodes.planner import PlannerNode
from adm_nodes.viewer import ViewerNode
from adm_nodes.world import WorldNode

from adm_interfaces.msg import NodeStatus

NODES = {
    "world": (WorldNode, {"scenario": "S-6"}),
    "memory": (MemoryNode, {}),
    "planner": (PlannerNode, {}),
    "executor": (ExecutorNode, {}),
    "viewer": (ViewerNode, {}),
    "navigator": (NavigatorNode, {}),
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
def node(request, spinning):
    make, parameters = NODES[request.param]
    return spinning.add(make, parameters)


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
