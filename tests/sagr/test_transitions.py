"""Every search node through every transition; what is illegal is refused and does no harm."""

from functools import partial

import pytest
from nodes.test_transitions import CONTINUATION, CYCLE, ILLEGAL
from sagr_nodes.area_graph import AreaGraphNode
from sagr_nodes.coordinator import CoordinatorNode
from sagr_nodes.explorer import ExplorerNode
from sagr_nodes.map_fusion import MapFusionNode
from sagr_nodes.search import SearchNode
from sagr_nodes.search_viewer import SearchViewerNode
from sagr_nodes.world import SearchWorldNode

TEAM = {"robots": 2}

NODES = {
    "world": (SearchWorldNode, {**TEAM, "world.scale": "small"}),
    "map_fusion": (MapFusionNode, TEAM),
    "area_graph": (AreaGraphNode, TEAM),
    "coordinator": (CoordinatorNode, TEAM),
    "robot_1/explorer": (partial(ExplorerNode, namespace="robot_1"), {**TEAM, "robot": 1}),
    "search": (SearchNode, TEAM),
    "search_viewer": (SearchViewerNode, TEAM),
}


@pytest.fixture(params=NODES)
def name(request):
    return request.param


@pytest.fixture
def node(name, spinning):
    make, parameters = NODES[name]
    return spinning.add(make, parameters)


def entities(node):
    kinds = (node.publishers, node.subscriptions, node.services, node.clients, node.timers)
    return [len(list(kind)) for kind in kinds]


def test_twice_through_every_transition_and_nothing_is_left_behind(spinning, name, node):
    before = entities(node)
    for label, state in CYCLE * 2:
        assert spinning.transition(name, label)
        assert node.state_label == state
        assert node.is_active == (state == "active")
    assert entities(node) == before


def test_illegal_transitions_are_refused_and_the_node_lives_on(spinning, name, node):
    for label, state in [(None, "unconfigured"), ("configure", "inactive"), ("activate", "active")]:
        if label:
            assert spinning.transition(name, label)
        for wrong in ILLEGAL[state]:
            assert not spinning.transition(name, wrong)
            assert node.state_label == state
    assert spinning.transition(name, CONTINUATION["active"])
    assert spinning.transition(name, "shutdown")
    assert node.state_label == "finalized"
    assert not node.is_active


def test_shutdown_while_active(spinning, name, node):
    for label in ("configure", "activate", "shutdown"):
        assert spinning.transition(name, label)
    assert node.state_label == "finalized"


@pytest.mark.parametrize(
    ("make", "parameters"),
    [
        (SearchWorldNode, {"robots": 3, "world.scale": "small"}),
        (SearchWorldNode, {"robots": 2}),
        (MapFusionNode, {"robots": 2, "frames": [0.0, 0.0]}),
        (MapFusionNode, {"robots": 1, "frames": [0.0, float("nan"), 0.0]}),
        (ExplorerNode, {"robots": 2, "robot": 2}),
    ],
)
def test_parameters_that_do_not_fit_fail_the_configuration(spinning, make, parameters):
    node = spinning.add(make, parameters)
    assert not spinning.transition(node.get_name(), "configure")
    assert node.state_label == "unconfigured"
