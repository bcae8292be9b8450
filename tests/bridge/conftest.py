"""A real ROS 1 graph, a real ROS 2 node, and the relay between them."""

import os

import pytest
import ros1_graph

try:
    import adm_bridge  # noqa: F401
    import rclpy  # noqa: F401
    from bridge_sides import RelayProcess, Ros2

    import adm_interfaces.msg  # noqa: F401

    MISSING = ""
except ImportError as err:
    MISSING = f"ROS 2 packages cannot be imported ({err}); run 'make setup', '. scripts/env.sh'"
    collect_ignore_glob = ["test_[!r]*.py"]


@pytest.fixture
def missing():
    """Return why the bridge cannot be used; empty if it can."""
    return MISSING


@pytest.fixture(scope="module")
def ros1(tmp_path_factory):
    """Yield a master; the test is skipped where there is no ROS 1."""
    if ros1_graph.missing():
        pytest.skip(ros1_graph.missing())
    master = ros1_graph.Master(tmp_path_factory.mktemp("ros1") / "master.log")
    yield master
    master.stop()


@pytest.fixture(scope="module")
def domain():
    """Return a DDS domain for the module."""
    from adm_nodes.bringup.domain import _free_domain

    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    return _free_domain()


@pytest.fixture(scope="module")
def ros2(domain):
    """Yield a ROS 2 node."""
    node = Ros2(domain)
    yield node
    node.close()


@pytest.fixture(scope="module")
def relay(ros1, domain, tmp_path_factory):
    """Yield a running relay for the built bridge file."""
    process = RelayProcess(ros1, domain, tmp_path_factory.mktemp("relay") / "relay.log")
    process.wait_for("ROS 1: connected")
    yield process
    process.close()


@pytest.fixture(scope="module")
def robot(ros1):
    """Yield a rospy node."""
    node = ros1_graph.Node(ros1, "robot")
    yield node
    node.close()


@pytest.fixture
def start_relay(ros1, domain, tmp_path):
    """Return a function that starts relays, which end with the test."""
    started = []

    def start(*options):
        log = tmp_path / f"relay{len(started)}.log"
        started.append(RelayProcess(ros1, domain, log, *options))
        return started[-1]

    yield start
    for process in started:
        process.close()


@pytest.fixture
def start_node(ros1):
    """Return a function that starts rospy nodes, which end with the test."""
    started = []

    def start(name):
        started.append(ros1_graph.Node(ros1, name))
        return started[-1]

    yield start
    for node in started:
        node.close()
