"""Stacks as data: names, namespaces, remappings, parameter files, and both ways to run them."""

import configparser
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import rclpy
import yaml
from adm_nodes.bringup.arguments import nodes_from
from adm_nodes.bringup.recipes import RECIPES
from adm_nodes.bringup.spec import NodeSpec, paths, ros_args, write_parameters
from adm_nodes.bringup.stack import ComposedStack, ProcessStack, load_class
from adm_nodes.common import qos
from adm_nodes.common.lifecycle import AdmNode
from adm_nodes.manager import ORDER, Manager
from rclpy.parameter import Parameter

from adm_interfaces.msg import NodeStatus

ROOT = Path(__file__).parents[3]
STACKS = {name: nodes_from(recipe, recipe.example) for name, recipe in RECIPES.items()}
PLANNER = "adm_nodes.planner:PlannerNode"


def test_describing_a_stack_needs_no_ros():
    code = "import sys, adm_nodes.bringup.recipes; sys.exit('rclpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", STACKS)
def test_every_target_is_a_node_and_an_executable_of_its_package(name):
    for spec in STACKS[name]:
        assert issubclass(load_class(spec), AdmNode)
        setup = configparser.ConfigParser()
        setup.read(ROOT / "src" / spec.package / "setup.cfg")
        scripts = setup["options.entry_points"]["console_scripts"]
        assert f"{spec.executable} = {spec.module}:main" in scripts


def test_the_recycling_stack_comes_up_in_the_order_of_the_manager():
    assert paths(STACKS["recycling"]) == ORDER


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ({"target": "planner"}, "target must be package.module:Class"),
        ({"target": "planner:PlannerNode"}, "target must be package.module:Class"),
        ({"namespace": "/robot_1"}, "no outer slashes"),
    ],
)
def test_what_is_no_node_is_refused(more, match):
    with pytest.raises(ValueError, match=match):
        NodeSpec(**{"target": PLANNER, **more})


def test_two_nodes_of_one_name_are_refused():
    with pytest.raises(ValueError, match="r1/planner more than once"):
        paths([NodeSpec(PLANNER, namespace="r1"), NodeSpec(PLANNER, namespace="r1")])


def test_names_below_a_namespace():
    spec = NodeSpec(PLANNER, "p", "r1", shared=("map",), remappings=(("make_plan", "other"),))
    assert spec.path == "r1/p"
    assert spec.full_namespace("/site") == "/site/r1"
    assert spec.all_remappings("site") == [
        ("node_status", "/site/node_status"),
        ("map", "/site/map"),
        ("make_plan", "other"),
    ]
    assert NodeSpec(PLANNER).all_remappings() == []
    assert ros_args(spec)[:5] == ["--ros-args", "-r", "__node:=p", "-r", "__ns:=/r1"]


def test_the_parameter_file_names_each_node_in_full(tmp_path):
    specs = [NodeSpec(PLANNER, namespace="r1", parameters={"a": {"b": 1}}), NodeSpec(PLANNER)]
    written = yaml.safe_load(write_parameters(tmp_path / "p.yaml", specs, "/site").read_text())
    assert written == {"/site/r1/planner": {"ros__parameters": {"a": {"b": 1}}}}


def two_planners():
    return [
        NodeSpec(PLANNER, namespace=name, parameters={"use_sim_time": True}, shared=("map",))
        for name in ("r1", "r2")
    ]


@pytest.fixture
def heard(spinning):
    """Return the processes behind the heartbeats that were heard, by the node's name."""
    seen = {}
    spinning.node.create_subscription(
        NodeStatus, "node_status", lambda item: seen.update({item.node: item.pid}), qos.STATUS
    )
    return seen


@pytest.fixture
def default_context(domain):
    rclpy.init(domain_id=domain)
    yield
    rclpy.try_shutdown()


def test_two_nodes_of_one_class_in_one_process(default_context, spinning, heard, tmp_path):
    specs = two_planners()
    stack = ComposedStack(specs, write_parameters(tmp_path / "p.yaml", specs))
    manager = Manager(paths(specs), context=spinning.context)
    spinning.nodes.append(manager)
    spinning.spinner.add(manager)
    try:
        manager.bring_up()
        spinning.wait(lambda: set(heard) == {"r1/planner", "r2/planner"})
        assert [manager.state_of(name) for name in stack.pids] == ["active", "active"]
        maps = spinning.node.get_subscriptions_info_by_topic("/map")
        assert {item.node_namespace for item in maps} == {"/r1", "/r2"}
        assert all(node.get_parameter("use_sim_time").value for node in stack._nodes)
        manager.shut_down()
    finally:
        stack.stop()


def test_a_dead_process_is_started_again_alone(spinning, heard, tmp_path):
    specs = two_planners()
    ended, died = [], threading.Event()
    stack = ProcessStack(
        specs,
        write_parameters(tmp_path / "p.yaml", specs),
        tmp_path,
        lambda *what: (ended.append(what), died.set()),
    )
    try:
        before = stack.pids
        spinning.wait(lambda: heard == before, 60.0)
        assert stack.restart("r1/planner") == 0  # it lives
        os.kill(before["r1/planner"], signal.SIGKILL)
        assert died.wait(10.0)
        again = stack.restart("r1/planner")
        assert again not in (0, *before.values())
        spinning.wait(lambda: heard == {**before, "r1/planner": again}, 60.0)
    finally:
        stack.stop()
    assert ended == [("r1/planner", "died (signal 9, SIGKILL)")]
    assert stack.restart("r1/planner") == 0
    assert (tmp_path / "r1.planner.log").exists()


def test_the_manager_takes_its_nodes_from_a_parameter(spinning):
    names = Parameter("nodes", value=["r1/planner"])
    manager = Manager(context=spinning.context, parameter_overrides=[names])
    spinning.nodes.append(manager)
    with pytest.raises(KeyError):
        manager.state_of("world")
    assert manager.state_of("r1/planner") == "unknown"
