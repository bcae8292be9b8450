"""The bridge file against the rules of parameter_bridge's own reader."""

import copy
from pathlib import Path

import pytest
import yaml
from adm_bridge.entries import BridgeConfigError, Qos, load, parse
from adm_bridge.files import in_namespace

ROOT = Path(__file__).parents[2]
FILE = ROOT / "bridge" / "config" / "bridge.yaml"

GOOD = {
    "topics": [
        {
            "topic": "/map",
            "type": "nav_msgs/msg/OccupancyGrid",
            "queue_size": 1,
            "qos": {
                "history": "keep_last",
                "depth": 1,
                "reliability": "reliable",
                "durability": "transient_local",
            },
        },
        {"topic": "/odom", "type": "nav_msgs/msg/Odometry", "queue_size": 10},
    ],
    "services_2_to_1": [{"service": "/clear", "type": "std_srvs/Empty"}],
    "services_1_to_2": [{"service": "/ask", "type": "std_srvs/srv/Trigger"}],
}


def changed(path, value):
    """Return GOOD with one thing changed; None as the value takes it away."""
    content = copy.deepcopy(GOOD)
    place = content
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return content


def test_our_bridge_file_keeps_every_rule():
    config = load(FILE)
    assert len(config.topics) >= 25
    assert not config.services_1_to_2


def test_what_is_latched_in_ros_1_is_kept_for_late_subscribers():
    topics = {item.name: item for item in load(FILE).topics}
    assert topics["/map"].qos == Qos("keep_last", 1, "reliable", "transient_local")
    assert topics["/tf_static"].qos.history == "keep_all"
    assert topics["/tf_static"].qos.durability == "transient_local"


def test_no_raw_image_crosses():
    assert not [item.name for item in load(FILE).topics if item.type == "sensor_msgs/msg/Image"]


def test_a_good_file_is_read():
    config = parse(GOOD)
    assert [item.name for item in config.topics] == ["/map", "/odom"]
    assert config.topics[1].qos == Qos(depth=10)
    assert config.service_timeout_s == 5


@pytest.mark.parametrize(("queue", "size"), [({}, 100), ({"queue_size": 0}, 100)])
def test_a_missing_queue_size_is_a_hundred(queue, size):
    entry = {"topic": "/a", "type": "std_msgs/msg/String", **queue}
    config = parse({"topics": [entry], "services_1_to_2": [], "services_2_to_1": []})
    assert config.topics[0].queue_size == size


def test_qos_without_history_is_parameter_bridges_base_profile():
    config = parse(changed(["topics", 1, "qos"], {"reliability": "best_effort"}))
    assert config.topics[1].qos == Qos("keep_last", 10, "best_effort", "volatile")


def test_every_key_of_qos_is_read():
    qos = {
        "history": "keep_all",
        "deadline": {"secs": 1, "nsecs": 500_000_000},
        "lifespan": {"secs": 2, "nsecs": 0},
        "liveliness": "LIVELINESS_AUTOMATIC",
        "liveliness_lease_duration": {"secs": 3, "nsecs": 0},
    }
    read = parse(changed(["topics", 1, "qos"], qos)).topics[1].qos
    assert (read.history, read.deadline_s, read.lifespan_s) == ("keep_all", 1.5, 2.0)
    assert (read.liveliness, read.lease_s) == ("AUTOMATIC", 3.0)


@pytest.mark.parametrize(
    "timeout",
    [
        {"ros1_bridge/parameter_bridge/service_execution_timeout": 9},
        {"ros1_bridge": {"parameter_bridge": {"service_execution_timeout": 9}}},
    ],
)
def test_the_timeout_of_services_may_be_written_both_ways(timeout):
    assert parse(GOOD | timeout).service_timeout_s == 9


BROKEN = [
    (["topics"], None, "no array"),
    (["topics"], {"a": 1}, "must be an array"),
    (["services_2_to_1"], None, "no array"),
    (["topics", 0], "/map", "must be a dictionary"),
    (["topics", 0, "topic"], None, "legal name"),
    (["topics", 0, "topic"], "map", "begin with '/'"),
    (["topics", 0, "topic"], "/m-p", "legal name"),
    (["topics", 0, "type"], "nav_msgs/OccupancyGrid", "three parts"),
    (["topics", 0, "type"], None, "three parts"),
    (["topics", 0, "queue_size"], "1", "unquoted integer"),
    (["topics", 0, "queue_size"], 1.5, "unquoted integer"),
    (["topics", 0, "queue_size"], True, "unquoted integer"),
    (["topics", 0, "queue_size"], -1, "at least 0"),
    (["topics", 0, "queue"], 3, "unknown key 'queue'"),
    (["topics", 0, "qos"], "latched", "must be a struct"),
    (["topics", 0, "qos", "depth"], None, "requires a depth"),
    (["topics", 0, "qos", "depth"], "1", "unquoted integer"),
    (["topics", 0, "qos", "depth"], 0, "at least 1"),
    (["topics", 0, "qos", "history"], "keep_none", "keep_last, keep_all"),
    (["topics", 0, "qos", "history"], "keep_all", "depth counts only"),
    (["topics", 0, "qos", "reliability"], "best", "reliable, best_effort"),
    (["topics", 0, "qos", "durability"], "latched", "transient_local, volatile"),
    (["topics", 0, "qos", "latch"], True, "unknown key 'latch'"),
    (["topics", 0, "qos", "deadline"], 1, "{secs, nsecs}"),
    (["topics", 0, "qos", "deadline"], {"secs": "1", "nsecs": 0}, "unquoted integer"),
    (["topics", 0, "qos", "liveliness"], "AUTOMATIC", "LIVELINESS_"),
    (["topics", 0, "qos", "liveliness"], 7, "LIVELINESS_"),
    (["topics", 1, "topic"], "/map", "listed twice"),
    (["services_2_to_1", 0, "type"], "std_srvs/srv/Empty", "two parts"),
    (["services_1_to_2", 0, "type"], "std_srvs/Trigger", "three parts"),
    (["services_2_to_1", 0, "package"], "std_srvs", "deprecated"),
    (["services_1_to_2", 0, "service"], "/clear", "listed twice"),
    (["topic"], [], "not a parameter"),
]


@pytest.mark.parametrize(("path", "value", "problem"), BROKEN)
def test_a_broken_file_is_refused_with_the_rule(path, value, problem):
    with pytest.raises(BridgeConfigError, match=problem.replace("{", r"\{")):
        parse(changed(path, value))


def test_all_problems_are_told_at_once():
    content = changed(["topics", 0, "type"], "OccupancyGrid")
    content["topics"][1]["queue_size"] = "10"
    with pytest.raises(BridgeConfigError) as caught:
        parse(content)
    assert "three parts" in str(caught.value) and "unquoted" in str(caught.value)


@pytest.mark.parametrize("content", [None, [], "topics"])
def test_what_is_no_mapping_is_refused(content):
    with pytest.raises(BridgeConfigError, match="must be a mapping"):
        parse(content)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    path = tmp_path / "bridge.yaml"
    with pytest.raises(BridgeConfigError, match=r"bridge\.yaml"):
        load(path)
    path.write_text("topics: [", "utf-8")
    with pytest.raises(BridgeConfigError, match=r"bridge\.yaml"):
        load(path)


def test_a_namespace_is_put_before_every_name_but_the_global_ones():
    content = yaml.safe_load(in_namespace(FILE.read_text("utf-8"), "/robot_1/"))
    config = parse(content)
    names = {item.name for item in config.topics}
    assert {"/robot_1/map", "/robot_1/move_base/goal", "/tf", "/tf_static"} <= names
    assert {item.name for item in config.services_2_to_1} >= {"/robot_1/reset_map"}
    assert len(names) == len(load(FILE).topics)
