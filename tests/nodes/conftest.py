"""Real DDS for the tests of the nodes, each test in a domain of its own."""

import sys
import threading
import time
from pathlib import Path

import pytest

try:
    import rclpy

    import adm_interfaces.msg  # noqa: F401
    import adm_nodes  # noqa: F401

    MISSING = ""
except ImportError as err:
    MISSING = f"ROS 2 packages cannot be imported ({err}); run 'make setup', '. scripts/env.sh'"
    collect_ignore_glob = ["test_[!r]*.py", "test_r[!o]*.py"]
    collect_ignore = [item.name for item in Path(__file__).parent.iterdir() if item.is_dir()]


@pytest.fixture(autouse=True)
def fresh_kernels(monkeypatch):
    """Hide the kernels' twins that other tests have loaded: nodes refuse to run beside them."""
    for name in [name for name in sys.modules if name.startswith("adm_core._kernels.reference")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def missing():
    """Return why ROS 2 cannot be used; empty if it can."""
    return MISSING


@pytest.fixture
def domain(monkeypatch):
    """Give the test a DDS domain of its own, in the environment too; return its number."""
    from adm_nodes.bringup.domain import use_private_domain

    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    number = use_private_domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(number))
    return number


class Spinning:
    """Nodes that spin in a thread, and clients to talk to them."""

    def __init__(self, context):
        from adm_nodes.common.runner import Spinner

        self.context = context
        self.node = rclpy.create_node("test", context=context)
        self.nodes = [self.node]
        self.spinner = Spinner(self.node).start()

    def add(self, make, parameters=None):
        """Return a node made by `make` with parameters given from outside."""
        from rclpy.parameter import Parameter

        overrides = [Parameter(name, value=value) for name, value in (parameters or {}).items()]
        node = make(context=self.context, parameter_overrides=overrides)
        self.nodes.append(node)
        self.spinner.add(node)
        return node

    def call(self, srv_type, name, request, timeout=30.0):
        """Send a request once and return the reply; None if there was none in time."""
        client = self.node.create_client(srv_type, name)
        assert client.wait_for_service(timeout)
        done = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda _: done.set())
        answered = done.wait(timeout)
        self.node.destroy_client(client)
        return future.result() if answered else None

    def transition(self, name, label):
        """Request a transition by its label; return whether it succeeded."""
        from lifecycle_msgs.msg import Transition
        from lifecycle_msgs.srv import ChangeState

        request = ChangeState.Request(transition=Transition(label=label))
        reply = self.call(ChangeState, f"{name}/change_state", request)
        return reply is not None and reply.success

    def wait(self, condition, timeout=30.0):
        """Wait until `condition()` holds; fail the test otherwise."""
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, "condition did not come true"
            time.sleep(0.01)

    def close(self):
        self.spinner.join()
        for node in reversed(self.nodes):
            if hasattr(node, "release"):
                node.release()
            node.destroy_node()


@pytest.fixture
def spinning(domain):
    """Yield an executor thread in a context of its own."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    bench = Spinning(context)
    yield bench
    bench.close()
    context.try_shutdown()


@pytest.fixture
def said(capfd):
    """Return a function that counts how often nodes of this process have logged a text.

    Not from /rosout: in one process it may fall silent when a node of the same name has gone.
    """
    lines = []

    def count(text):
        lines.append(capfd.readouterr().err)
        return "".join(lines).count(text)

    return count
