"""The manager: ordered bring-up, reverse shutdown, silence and death."""

import threading

import pytest
from adm_core.errors import MissionError
from adm_nodes.common import qos
from adm_nodes.common.runner import Spinner
from adm_nodes.executor import ExecutorNode
from adm_nodes.manager import Manager
from adm_nodes.memory import MemoryNode
from adm_nodes.planner import PlannerNode
from rclpy.parameter import Parameter

from adm_interfaces.msg import NodeStatus


@pytest.fixture
def manage(spinning):
    """Return a function that makes a manager spinning in a thread of its own."""
    spinners = []

    def make(*names, **settings):
        events = []
        overrides = [Parameter(name, value=value) for name, value in settings.items()]
        manager = Manager(
            names, events.append, context=spinning.context, parameter_overrides=overrides
        )
        spinning.nodes.append(manager)
        spinners.append(Spinner(manager).start())
        return manager, events

    yield make
    for spinner in spinners:
        spinner.join()


def test_bring_up_in_order_and_shutdown_in_reverse(spinning, manage):
    seen = []
    spinning.node.create_subscription(
        NodeStatus, "node_status", lambda message: seen.append(message), qos.STATUS
    )
    nodes = [spinning.add(make) for make in (MemoryNode, PlannerNode, ExecutorNode)]
    names = [node.get_name() for node in nodes]
    manager, _ = manage(*names)
    manager.bring_up()
    assert [node.state_label for node in nodes] == ["active"] * 3
    manager.shut_down()
    assert [node.state_label for node in nodes] == ["finalized"] * 3

    def first(state):
        spinning.wait(lambda: {item.node for item in seen if item.state == state} == set(names))
        order = [item.node for item in seen if item.state == state]
        return sorted(names, key=order.index)

    assert first("active") == names
    assert first("finalized") == names[::-1]


def test_a_node_that_does_not_appear_is_named(manage):
    manager, _ = manage("memory", appear_s=0.3)
    with pytest.raises(MissionError, match="node memory did not appear"):
        manager.bring_up()


def test_a_node_that_refuses_to_configure_is_named(spinning, manage):
    spinning.add(MemoryNode, {"method": "telepathy"})
    manager, _ = manage("memory")
    with pytest.raises(MissionError, match="node memory did not become inactive"):
        manager.bring_up()


def test_a_death_ends_the_bring_up(spinning, manage):
    manager, _ = manage("memory")
    threading.Timer(0.2, manager.note_death, ("memory", "died (signal 9)")).start()
    with pytest.raises(MissionError, match=r"node memory died \(signal 9\)"):
        manager.bring_up()
    manager.shut_down()  # passes the dead over


def test_silence_is_reported_and_so_is_the_return(spinning, manage):
    node = spinning.add(MemoryNode)
    manager, events = manage("memory", silence_s=0.7)
    manager.bring_up()
    node._beat_timer.cancel()
    spinning.wait(lambda: len(events) == 1)
    assert "unresponsive" in str(events[0])
    assert manager.state_of("memory") == "silent"
    node._beat_timer.reset()
    spinning.wait(lambda: len(events) == 2)
    assert str(events[1]) == "memory is back"
    assert manager.state_of("memory") == "active"


def test_a_node_that_comes_back_is_brought_up_again_and_the_others_are_left_alone(spinning, manage):
    nodes = [spinning.add(make) for make in (MemoryNode, PlannerNode)]
    manager, events = manage("memory", "planner")
    manager.bring_up()
    planner, transitions = nodes[1], []
    planner.on_deactivate = lambda state: transitions.append(state)
    manager.note_death("memory", "died", again=True)
    assert manager.state_of("memory") == "dead"
    successor = replace_with(spinning, nodes[0])
    spinning.wait(lambda: any("active again" in str(item) for item in events), 30.0)
    assert successor.state_label == "active"
    assert manager.state_of("memory") == "active"
    assert not transitions


def test_a_node_that_dies_while_it_is_brought_up_is_brought_up_in_its_next_process(
    spinning, manage
):
    first = spinning.add(MemoryNode)
    setup = first.setup

    def die():
        manager.note_death("memory", "died", again=True)
        first._beat_timer.cancel()
        first.beat = lambda: None
        setup()

    manager, _ = manage("memory")
    first.setup = die
    threading.Timer(1.0, lambda: replace_with(spinning, first)).start()
    manager.bring_up()
    assert spinning.nodes[-1].state_label == "active"


def replace_with(spinning, old, parameters=None):
    """Have a node end, and another process of it begin."""
    spinning.spinner.remove(old)
    old.release()
    old.destroy_node()
    spinning.nodes.remove(old)
    return spinning.add(OtherProcess, parameters)


def test_nodes_that_are_active_already_are_taken_over(spinning, manage):
    node = spinning.add(MemoryNode)
    first, _ = manage("memory")
    first.bring_up()
    configured = []
    node.on_configure = configured.append
    second, _ = manage("memory")
    second.bring_up()
    assert not configured
    second.shut_down()
    assert node.state_label == "finalized"


def test_a_node_that_cannot_be_brought_up_again_is_fatal(spinning, manage):
    node = spinning.add(MemoryNode)
    manager, events = manage("memory")
    manager.bring_up()
    manager.note_death("memory", "died", again=True)
    replace_with(spinning, node, {"method": "telepathy"})
    spinning.wait(lambda: any(item.fatal for item in events), 30.0)
    assert "cannot be brought up again" in str(events[-1])


class OtherProcess(MemoryNode):
    """Pretends to be another process: heartbeats name another one."""

    def beat(self):
        self._beats.publish(
            NodeStatus(node="memory", pid=1_000_000, state=self.state_label, kernels=[])
        )
