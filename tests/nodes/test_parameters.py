"""ROS parameters are the config dataclasses: descriptors, ranges, refusals with a reason."""

import pytest
from adm_core.config import parameters
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.dynamic import MemoryConfig
from adm_core.missions.setup import MissionConfig
from adm_nodes.memory import MemoryNode
from adm_nodes.world import WorldNode
from rclpy.exceptions import InvalidParameterValueException
from rclpy.parameter import Parameter


@pytest.fixture
def memory(spinning):
    return spinning.add(MemoryNode)


@pytest.fixture
def world(spinning):
    return spinning.add(WorldNode, {"scenario": "S-6"})


@pytest.mark.parametrize("item", list(parameters(MissionConfig)), ids=lambda item: item.name)
def test_every_mission_parameter_is_declared_with_meaning_and_unit(world, item):
    descriptor = world.describe_parameter(item.name)
    assert item.help in descriptor.description
    assert item.unit in descriptor.description
    if item.name != "scenario":
        assert world.get_parameter(item.name).value == item.default


@pytest.mark.parametrize("prefix", ["memory", "attention"])
def test_ranges_become_descriptors(memory, prefix):
    config = {"memory": MemoryConfig, "attention": AttentionConfig}[prefix]
    for item in parameters(config):
        descriptor = memory.describe_parameter(f"{prefix}.{item.name}")
        ranges = [*descriptor.floating_point_range, *descriptor.integer_range]
        assert len(ranges) == (item.min is not None or item.max is not None)
        if item.min is not None:
            assert ranges[0].from_value == item.min
        if item.max is not None:
            assert ranges[0].to_value == item.max


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("attention.k", 0),  # at least one record
        ("attention.decay_s", -1.0),  # time runs forward
        ("attention.weight_remote", 1.5),  # a weight is at most 1
        ("memory.min_remote_confidence", -0.1),  # a confidence is at least 0
    ],
)
def test_a_value_out_of_range_is_refused_with_a_reason(memory, name, value):
    result = memory.set_parameters([Parameter(name, value=value)])[0]
    assert not result.successful
    assert name in result.reason and "range" in result.reason


def test_a_value_out_of_range_from_outside_stops_the_start(spinning):
    with pytest.raises(InvalidParameterValueException, match=r"attention\.k"):
        spinning.add(MemoryNode, {"attention.k": 0})


@pytest.mark.parametrize(
    ("make", "parameters"),
    [
        (MemoryNode, {"method": "telepathy"}),  # none of the five
        (WorldNode, {"scenario": "X-1"}),  # none of the three
        (WorldNode, {"map": "/nowhere/map.yaml"}),  # no such file
        (WorldNode, {"method": "telepathy"}),  # none of the five
    ],
)
def test_a_value_that_the_core_refuses_fails_the_configure(spinning, make, parameters):
    node = spinning.add(make, parameters)
    assert not spinning.transition(node.get_name(), "configure")
    assert node.state_label == "unconfigured"


def test_parameters_change_only_before_configuring(spinning, memory):
    assert memory.set_parameters([Parameter("attention.k", value=3)])[0].successful
    assert spinning.transition("memory", "configure")
    result = memory.set_parameters([Parameter("attention.k", value=4)])[0]
    assert not result.successful
    assert "clean the node up first" in result.reason
    assert memory.get_parameter("attention.k").value == 3
