"""Heartbeats become a diagnostic array: levels, values, restarts, the audit log."""

import pytest
from adm_nodes.common import qos
from adm_nodes.diagnostics import DiagnosticsConfig, DiagnosticsNode, Heart, diagnose, diagnose_log
from adm_nodes.planner import PlannerNode
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from adm_interfaces.msg import NodeStatus

CONFIG = DiagnosticsConfig()


def heart(state="active", **more):
    return Heart(NodeStatus(node="memory", state=state, pid=7, messages_sent=12, **more), 0.0)


@pytest.mark.parametrize(
    ("state", "age_s", "level", "message"),
    [
        ("active", 0.4, DiagnosticStatus.OK, "active"),
        ("inactive", 0.4, DiagnosticStatus.WARN, "inactive"),
        ("finalized", 0.4, DiagnosticStatus.WARN, "finalized"),
        ("active", 3.25, DiagnosticStatus.STALE, "silent for 3.2 s, was active"),
    ],
)
def test_the_level_follows_state_and_silence(state, age_s, level, message):
    found = diagnose("memory", heart(state), age_s, 2.5, CONFIG)
    assert (found.level, found.message) == (level, message)
    assert (found.name, found.hardware_id) == ("adm: memory", "process 7")


def test_the_values_of_a_node():
    found = diagnose("memory", heart(kernels=["a", "b"]), 0.456, 2.5, CONFIG)
    assert {item.key: item.value for item in found.values} == {
        "state": "active",
        "last beat age [s]": "0.46",
        "process": "7",
        "restarts": "0",
        "messages sent": "12",
        "messages per second": "2.5",
        "kernels loaded": "2",
    }


def test_another_process_is_a_restart():
    known = heart()
    known.beat(NodeStatus(pid=7, messages_sent=20), 1.0)
    assert (known.restarts, known.seen) == (0, 1.0)
    known.reported = 20
    known.beat(NodeStatus(pid=8, messages_sent=1), 2.0)
    assert (known.restarts, known.reported) == (1, 0)


def test_the_size_of_the_log_includes_what_is_not_folded_in(tmp_path):
    log = tmp_path / "audit.db"
    assert diagnose_log(log).level == DiagnosticStatus.WARN
    log.write_bytes(b"x" * 1000)
    (tmp_path / "audit.db-wal").write_bytes(b"x" * 500_000)
    found = diagnose_log(log)
    assert (found.level, found.message) == (DiagnosticStatus.OK, "0.50 MB")
    assert found.values[1].value == "501000"


def test_every_node_is_reported_while_the_reporter_is_active(spinning, tmp_path):
    log = tmp_path / "audit.db"
    log.write_bytes(b"x")
    heard = []
    spinning.node.create_subscription(DiagnosticArray, "/diagnostics", heard.append, qos.STATUS)
    # simulated time that stands still stops neither heartbeats nor reports
    node = spinning.add(DiagnosticsNode, {"audit": str(log), "period_s": 0.1, "use_sim_time": True})
    spinning.add(PlannerNode)
    for label in ("configure", "activate"):
        assert spinning.transition("diagnostics", label)

    def levels():
        return {item.name: item.level for item in heard[-1].status} if heard else {}

    wanted = {"adm: planner": DiagnosticStatus.WARN, "adm: diagnostics": DiagnosticStatus.OK}
    spinning.wait(lambda: levels() == {**wanted, "adm: audit log": DiagnosticStatus.OK})
    assert spinning.transition("planner", "configure")
    assert spinning.transition("planner", "activate")
    spinning.wait(lambda: levels()["adm: planner"] == DiagnosticStatus.OK)
    assert spinning.transition("diagnostics", "deactivate")
    assert node._messages == 0  # reports are no part of the mission's messages
    node._publish = pytest.fail
    node._report()
