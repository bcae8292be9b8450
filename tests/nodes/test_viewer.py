"""What is drawn is what the memory, the planner and the executor said."""

import io
import math

import pytest
from adm_core.memory.records import Record, Source, Status
from adm_core.memory.static import Mission, Region, Station
from adm_core.missions.setup import MissionConfig
from adm_core.planning.plan import Step
from adm_core.planning.progress import Reason, Snapshot
from adm_core.types import Pose2D
from adm_nodes.bringup.recycling import run_recycling
from adm_nodes.common.markers import shapes
from adm_nodes.common.markers.board import MarkerBoard
from adm_nodes.common.run_config import ExtrasConfig
from adm_nodes.markers.memory import COLOUR_BY_STATUS, entity_markers, mission_markers
from adm_nodes.markers.plan import plan_markers
from adm_nodes.recording.mcap_file import read
from rclpy.serialization import deserialize_message
from visualization_msgs.msg import Marker, MarkerArray

from adm_interfaces.msg import EntityRecords

SIZE_M = 0.3


def record(entity="e001", status=Status.OBSERVED, **changes):
    values = {"id": entity, "label": "can", "pose": Pose2D(1.0, 2.0, math.nan), "confidence": 0.8}
    values |= {"status": status, "stamp": 3.0, "source": Source.REMOTE, "map_id": "m"}
    return Record(**(values | changes))


def snapshot(plan=(), reason=Reason("start")):
    return Snapshot(4, 1, 2, Pose2D(0.0, 0.0, 1.0), "", "navigate(e001)", (), plan, plan, reason)


def of_kind(markers, kind):
    return [item for item in markers if item.ns == kind]


def rgb(marker):
    return pytest.approx((marker.color.r, marker.color.g, marker.color.b), abs=1e-6)


@pytest.mark.parametrize("status", list(Status))
def test_an_entity_has_the_colour_of_its_status(status):
    (body,) = of_kind(entity_markers([record(status=status)], {}, 0.4, SIZE_M, 10), "entity")
    assert COLOUR_BY_STATUS[status][:3] == rgb(body)
    assert (body.pose.position.x, body.pose.position.y) == (1.0, 2.0)


def test_an_exposed_entity_is_as_opaque_as_its_score():
    markers = entity_markers([record("a"), record("b")], {"b": 0.75}, 0.4, SIZE_M, 10)
    exposed, hidden = of_kind(markers, "entity")
    assert (exposed.color.a, hidden.color.a) == (pytest.approx(0.75), pytest.approx(0.25))
    assert [item.text for item in of_kind(markers, "name")] == ["b can 0.75", "a can"]


def test_the_ellipse_is_two_standard_deviations_wide():
    (ring,) = of_kind(entity_markers([record()], {}, 0.4, SIZE_M, 10), "uncertainty")
    assert (ring.scale.x, ring.scale.y) == (pytest.approx(1.6), pytest.approx(1.6))


def test_lost_support_and_a_rival_place_are_drawn_until_nothing_is_left_to_do():
    doubtful = {"supported": False, "rival": Pose2D(5.0, 2.0)}
    kinds = {item.ns for item in entity_markers([record(**doubtful)], {}, 0.4, SIZE_M, 10)}
    done = record(status=Status.DELIVERED, **doubtful)
    assert {"unsupported", "rival"} <= kinds
    after = {item.ns for item in entity_markers([done], {}, 0.4, SIZE_M, 10)}
    assert after == {"entity", "name"}


def test_of_too_many_entities_the_exposed_ones_are_drawn_first():
    many = [record(f"e{number:03}", stamp=float(number)) for number in range(50)]
    names = of_kind(entity_markers(many, {"e000": 0.5}, 0.4, SIZE_M, 3), "name")
    assert [item.text[:4] for item in names] == ["e000", "e049", "e048"]


def test_a_label_is_drawn_as_data():
    (name,) = of_kind(
        entity_markers([record(label="can\x1b[2J" + "x" * 500)], {}, 0.4, 1, 1), "name"
    )
    assert "\x1b" not in name.text
    assert len(name.text) < 300


def test_stations_and_regions_are_drawn():
    region = Region("kitchen", ((0.0, 0.0), (2.0, 0.0), (1.0, 3.0)))
    station = Station("S1", Pose2D(1.0, 1.0), ("can", "cup"))
    mission = Mission("goal", "m", (station,), 1, 10, 1.0, 0.0, False, 1.0, regions=(region,))
    markers = mission_markers(mission, SIZE_M)
    assert [item.text for item in of_kind(markers, "station name")] == ["S1: can, cup"]
    (outline,) = of_kind(markers, "region")
    assert [(item.x, item.y) for item in outline.points] == [(0, 0), (2, 0), (1, 3), (0, 0)]
    (name,) = of_kind(markers, "region name")
    assert (name.pose.position.x, name.pose.position.y) == (1.0, 1.0)


def test_the_plan_leads_through_its_stops_and_marks_what_it_depends_on():
    plan = (Step("approach", "e001"), Step("grasp", "e001"), Step("deliver", "e001", "S1"))
    places = {"e001": Pose2D(1.0, 2.0), "S1": Pose2D(4.0, 0.0)}
    markers = plan_markers(snapshot(plan), places, SIZE_M)
    (way,) = of_kind(markers, "plan")
    assert [(item.x, item.y) for item in way.points] == [(0, 0), (1, 2), (4, 0)]
    (needed,) = of_kind(markers, "dependency name")
    assert "pose" in needed.text.split(", ")


@pytest.mark.parametrize(
    ("reason", "colour"),
    [
        (Reason("plan_complete"), shapes.BLACK),
        (Reason("changed_field", "e001", "pose", "a", "b"), shapes.RED),
        (Reason("skill_failed:absent"), shapes.RED),
    ],
)
def test_the_reason_of_the_last_call_stands_at_the_robot(reason, colour):
    (told,) = of_kind(plan_markers(snapshot(reason=reason), {}, SIZE_M), "reason")
    assert colour[:3] == rgb(told)
    assert told.text == f"navigate(e001)\n{reason}"


def test_a_heading_that_is_not_known_is_no_arrow():
    assert shapes.arrow("robot", Pose2D(0, 0, math.nan), 1.0, shapes.RED).type == Marker.CYLINDER


def test_a_board_deletes_what_is_no_more_and_nothing_else():
    board = MarkerBoard("map")
    first = [shapes.line(kind, [], 1.0, shapes.RED) for kind in ("a", "a", "b")]
    board.replace(first)
    message = board.replace([shapes.line("a", [], 1.0, shapes.RED)])
    done = [(item.ns, item.id, item.action) for item in message.markers]
    assert done == [("a", 0, Marker.ADD), ("a", 1, Marker.DELETE), ("b", 0, Marker.DELETE)]
    assert {item.header.frame_id for item in message.markers} == {"map"}
    assert board.replace([]).markers[0].action == Marker.DELETE
    assert board.replace([]).markers == []


def test_a_recorded_mission_holds_all_steps_and_its_last_picture(domain, tmp_path):
    config = MissionConfig(scenario="S-6", seed=1)
    code = run_recycling(
        config, False, tmp_path, io.StringIO(), extras=ExtrasConfig(view=True), record=True
    )
    by_topic = {}
    for item in read(tmp_path / "latest" / "run.mcap"):
        by_topic.setdefault(item.topic.name, []).append(item.data)
    records = deserialize_message(by_topic["/records"][-1], EntityRecords).records
    shown = deserialize_message(by_topic["/markers/entities"][-1], MarkerArray).markers
    assert code == 0
    assert len(by_topic["/mission_result"]) == len(by_topic["/mission"]) == 1
    assert len(by_topic["/mission_status"]) > 10
    names = {item.text.split()[0] for item in shown if item.ns == "name"}
    assert names <= {item.id for item in records}
    assert len(by_topic["/evidence"]) > 10
