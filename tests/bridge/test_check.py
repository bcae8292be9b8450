"""`adm bridge check` against graphs with something wrong in them."""

import json
import os
import subprocess
import sys
import time
import xmlrpc.client

import pytest
import yaml
from adm_bridge.check.report import FAIL, NOTE, OK, WARN, Finding, Report
from adm_bridge.check.ros1 import Ros1Check
from adm_bridge.check.ros2 import Ros2Check
from adm_bridge.check.tcpros import Master
from adm_bridge.definitions import Definitions
from adm_bridge.entries import load, parse
from adm_bridge.files import default_config
from adm_bridge.pairs import Pairs
from adm_bridge.run import share
from bridge_sides import ADM, wait
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

CONFIG = parse(
    {
        "topics": [
            {"topic": "/map", "type": "nav_msgs/msg/OccupancyGrid"},
            {"topic": "/pose", "type": "geometry_msgs/msg/PoseStamped"},
            {"topic": "/scan", "type": "sensor_msgs/msg/LaserScan"},
            {"topic": "/odd", "type": "no_such_msgs/msg/Thing"},
        ],
        "services_2_to_1": [
            {"service": "/clear", "type": "std_srvs/Empty"},
            {"service": "/wipe", "type": "std_srvs/Trigger"},
            {"service": "/absent", "type": "std_srvs/Empty"},
        ],
        "services_1_to_2": [],
    }
)


@pytest.fixture(scope="module")
def definitions():
    return Definitions(Pairs(), share)


def look(ros1, definitions, seconds=8.0):
    """Return the report of the ROS 1 side, and its findings by subject."""
    report = Ros1Check(CONFIG, definitions, Master(ros1.uri), seconds).run()
    found = {}
    for item in report.findings:
        found.setdefault(item.subject, []).append((item.level, item.text))
    return report, found


def test_a_report_puts_what_is_wrong_first_and_the_same_in_one_line():
    report = Report(
        (
            Finding(NOTE, "ros1", "/a", "nobody"),
            Finding(OK, "ros1", "/b", "fine"),
            Finding(NOTE, "ros1", "/c", "nobody"),
            Finding(FAIL, "ros2", "/d", "broken"),
        )
    )
    assert report.as_text().splitlines() == [
        "fail ros2  /d: broken",
        "note ros1  2 names (/a, /c): nobody",
        "ok   ros1  /b: fine",
        "1 fail, 0 warn, 2 note, 1 ok",
    ]


def test_a_silent_master_is_the_only_finding(definitions):
    report = Ros1Check(CONFIG, definitions, Master("http://127.0.0.1:9", 1.0), 1.0).run()
    assert [item.level for item in report.findings] == [FAIL]
    assert "ROS_MASTER_URI" in report.findings[0].text
    assert not report.passed


def test_an_empty_graph_has_no_failures_but_no_bridge_either(ros1, definitions):
    report, found = look(ros1, definitions)
    assert report.passed
    assert found["/ros_bridge"][0][0] == WARN
    assert found["/map"][0] == (NOTE, "nobody publishes or subscribes here")
    assert report.clock_offset_s is None


def test_names_types_sums_latches_and_services_are_told(ros1, definitions, start_node):
    node = start_node("robot")
    node.ask(do="advertise", topic="/map", type="nav_msgs/OccupancyGrid", latch=True)
    node.ask(do="advertise", topic="/pose", type="geometry_msgs/PoseStamped")
    node.ask(do="advertise", topic="/robot_1/scan", type="sensor_msgs/LaserScan")
    node.ask(do="serve", service="/clear", type="std_srvs/Empty", response={})
    node.ask(do="serve", service="/wipe", type="std_srvs/Empty", response={})
    report, found = look(ros1, definitions)
    assert found["/pose"] == [(OK, "1 publishers, 0 subscribers")]
    assert tuple(level for level, _ in found["/map"]) == (NOTE, OK)
    assert "latches" in found["/map"][0][1]
    assert "/robot_1/scan" in found["/scan"][0][1]
    assert found["/clear"][0][0] == OK
    assert found["/wipe"][0][0] == FAIL and "std_srvs/Empty" in found["/wipe"][0][1]
    assert found["/absent"][0][0] == NOTE
    assert not report.passed


def test_another_type_and_another_sum_are_failures(ros1, definitions, start_node):
    node = start_node("stranger")
    node.ask(do="advertise", topic="/map", type="std_msgs/String")
    node.ask(do="advertise", topic="/pose", type="geometry_msgs/PoseStamped", text="int8 other")
    _, found = look(ros1, definitions)
    assert found["/map"][0][0] == FAIL and "std_msgs/String" in found["/map"][0][1]
    assert found["/pose"][0][0] == FAIL and "another version" in found["/pose"][0][1]


@pytest.mark.parametrize(("shift", "level"), [(0.0, OK), (-60.0, FAIL), (60.0, FAIL)])
def test_the_offset_of_clocks_is_measured(shift, level, ros1, definitions, start_node):
    node = start_node("clockwork")
    node.ask(do="advertise", topic="/pose", type="geometry_msgs/PoseStamped")

    def measured():
        import threading

        def publish():
            for _ in range(20):
                now = time.time() + shift
                stamp = {"sec": int(now), "nanosec": int(now % 1 * 1e9)}
                node.ask(do="publish", topic="/pose", message={"header": {"stamp": stamp}})
                time.sleep(0.1)

        thread = threading.Thread(target=publish)
        thread.start()
        report, found = look(ros1, definitions)
        thread.join()
        return report.clock_offset_s is not None and (report, found)

    report, found = wait(measured)
    assert found["clock"][0][0] == level or (shift == 0.0 and report.clock_offset_s > 0)
    assert abs(report.clock_offset_s + shift) < 20.0


def test_a_subscriber_that_asks_for_too_much_is_named(ros2, definitions, domain, monkeypatch):
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    ros2.listen(OccupancyGrid, "/map", latched)
    ros2.listen(PoseStamped, "/pose")
    ros2.listen(String, "/scan")
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    check = Ros2Check(CONFIG, definitions, 1.0)

    def complete():
        found = {}
        for item in check.run().findings:
            found.setdefault(item.subject, []).append((item.level, item.text))
        named = "/test" in str(found["/map"])
        return named and found["/pose"] == [(OK, "0 publishers, 1 subscribers")] and found

    found = wait(complete)
    assert found["/map"][0][0] == FAIL and "/test asks for transient_local" in found["/map"][0][1]
    assert found["/pose"][0][0] == OK
    assert found["/scan"][0][0] == FAIL and "std_msgs/msg/String" in found["/scan"][0][1]
    assert found["/odd"][0][0] == FAIL and "not installed" in found["/odd"][0][1]
    assert found["/ros_bridge"][0][0] == WARN


def run_check(ros1, *options):
    environment = os.environ | {"ROS_MASTER_URI": ros1.uri}
    return subprocess.run(
        [sys.executable, "-c", ADM, "bridge", "check", "--side", "ros1", *options],
        env=environment,
        capture_output=True,
        text=True,
    )


def test_what_was_loaded_on_the_master_is_compared_with_the_file(ros1, definitions):
    """The way of `rosparam load`, which parameter_bridge reads from."""
    master = xmlrpc.client.ServerProxy(ros1.uri)
    content = yaml.safe_load(default_config().read_text("utf-8"))
    for name, value in content.items():
        assert master.setParam("/test", f"/{name}", value)[0] == 1
    back = {name: master.getParam("/test", f"/{name}")[2] for name in content}
    assert parse(back) == load(default_config())
    _, found = look(ros1, definitions)
    assert found["/topics"][0][0] == WARN
    report = Ros1Check(load(default_config()), definitions, Master(ros1.uri), 1.0).run()
    assert "/topics" not in {item.subject for item in report.findings}


def test_a_node_that_died_is_named(ros1, definitions, start_node):
    node = start_node("dead")
    node.ask(do="advertise", topic="/pose", type="geometry_msgs/PoseStamped")
    node.kill()
    report, found = look(ros1, definitions)
    assert found["/dead"][0][0] == WARN and "rosnode cleanup" in found["/dead"][0][1]
    assert found["/pose"][0][0] == WARN
    assert report.passed


def test_the_command_speaks_to_people_and_programs(ros1):
    done = run_check(ros1, "--json", "--seconds", "1")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["passed"]
    done = run_check(ros1, "--seconds", "1")
    assert done.stdout.splitlines()[-1].startswith("0 fail")
