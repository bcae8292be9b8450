"""Every field of every core type survives the way through its message, bit for bit."""

import dataclasses
import math

import numpy as np
import pytest
from adm_core.memory.edits import EditKind, OperatorEdit
from adm_core.memory.footprint import Footprint
from adm_core.memory.method import Focus
from adm_core.memory.records import (
    Change,
    Detection,
    EvidenceBatch,
    ExposedRecord,
    Exposure,
    FailureReason,
    Record,
    SkillOutcome,
    Source,
    Status,
)
from adm_core.memory.static import Mission, Region, Station
from adm_core.planning.plan import Step
from adm_core.planning.ports import WorldReport
from adm_core.planning.progress import Reason, Snapshot, Tally
from adm_core.simulation.recycling import Ghost, Visit, WorldFacts
from adm_core.types import GridMap, Pose2D
from adm_nodes.common import conversions as conv
from adm_nodes.common.world_facts import facts_from_reply, fill_facts
from hypothesis import given
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message

from adm_interfaces import msg as msgs
from adm_interfaces import srv as srvs

text = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)
number = st.floats(allow_nan=False)
small = st.integers(0, 2**32 - 1)
large = st.integers(0, 2**64 - 1)
flag = st.booleans()
pose = st.builds(Pose2D, number, number, number)
exposed = st.builds(
    ExposedRecord,
    text,
    text,
    pose,
    number,
    st.sampled_from(Status),
    number,
    st.sampled_from(Source),
    number,
)
step = st.builds(Step, text, text, text)
reason = st.builds(Reason, text, text, text, text, text)


def tuples(item, most=3):
    return st.lists(item, max_size=most).map(tuple)


record = st.builds(
    Record,
    id=text,
    label=text,
    pose=pose,
    confidence=number,
    status=st.sampled_from(Status),
    stamp=number,
    source=st.sampled_from(Source),
    map_id=text,
    supported=flag,
    failures=small,
    refuted_at=number,
    cool_until=number,
    sightings=small,
    misses=small,
    missed_at=number,
    rival=st.one_of(st.none(), pose),
    tentative=flag,
)
detection = st.builds(Detection, text, pose, number, text)
corners = st.just(()) | st.lists(st.tuples(number, number), min_size=3, max_size=5).map(tuple)
area = st.builds(Footprint, number, number, st.floats(0.0, allow_nan=False), corners)
batch = st.builds(
    EvidenceBatch,
    large,
    st.sampled_from(Source),
    text,
    number,
    tuples(detection),
    text,
    text,
    st.none() | area,
)
outcome = st.builds(
    SkillOutcome, text, text, text, flag, st.sampled_from(FailureReason), number, pose
)
terminal = tuples(st.tuples(text, st.sampled_from(Status)))
exposure = st.builds(Exposure, tuples(exposed), st.none() | exposed, terminal)
snapshot = st.builds(
    Snapshot,
    small,
    small,
    small,
    pose,
    text,
    text,
    tuples(exposed),
    tuples(step),
    tuples(step),
    reason,
)
report = st.builds(WorldReport, small, pose, flag, st.sampled_from(FailureReason), number, large)

ROUND_TRIPS = {
    "pose": (pose, conv.pose_to_msg, conv.pose_from_msg),
    "batch": (batch, conv.batch_to_msg, conv.batch_from_msg),
    "change": (
        st.builds(Change, text, text, text, text),
        conv.change_to_msg,
        conv.change_from_msg,
    ),
    "record": (record, conv.record_to_msg, conv.record_from_msg),
    "exposed": (exposed, conv.exposed_to_msg, conv.exposed_from_msg),
    "exposure": (exposure, conv.exposure_to_msg, conv.exposure_from_msg),
    "focus": (st.builds(Focus, pose, text, text, text), conv.focus_to_msg, conv.focus_from_msg),
    "outcome": (outcome, conv.outcome_to_msg, conv.outcome_from_msg),
    "report": (report, conv.report_to_msg, conv.report_from_msg),
    "step": (step, conv.step_to_msg, conv.step_from_msg),
    "reason": (reason, conv.reason_to_msg, conv.reason_from_msg),
    "snapshot": (snapshot, conv.snapshot_to_msg, conv.snapshot_from_msg),
}


def over_the_wire(message):
    return deserialize_message(serialize_message(message), type(message))


@pytest.mark.parametrize("name", ROUND_TRIPS)
@given(st.data())
def test_a_value_comes_back_as_it_was(name, data):
    values, to_msg, from_msg = ROUND_TRIPS[name]
    value = data.draw(values)
    assert from_msg(over_the_wire(to_msg(value))) == value


def test_every_field_of_a_message_is_filled():
    """A field that a conversion forgets would keep its default."""
    one = Pose2D(1.0, 2.0, 3.0)
    area = Footprint(1.0, 2.0, 3.0, ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)))
    seen = ExposedRecord("e", "can", one, 0.5, Status.GRASPED, 4.0, Source.ONBOARD, 0.25)
    examples = [
        conv.batch_to_msg(
            EvidenceBatch(
                7, Source.REMOTE, "d", 1.0, (Detection("can", one, 0.5, "x"),), "map", "m", area
            )
        ),
        conv.edit_to_msg(OperatorEdit("ada", EditKind.MOVE, "e", "can", one, "m")),
        conv.change_to_msg(Change("e", "pose", "a", "b")),
        conv.record_to_msg(
            Record(
                "e",
                "can",
                one,
                0.5,
                Status.GRASPED,
                4.0,
                Source.SKILL,
                "m",
                True,
                2,
                3.0,
                5.0,
                4,
                1,
                2.5,
                one,
                True,
            )
        ),
        conv.footprint_to_msg(area),
        conv.exposed_to_msg(seen),
        conv.exposure_to_msg(Exposure((seen,), seen, (("z", Status.DELIVERED),))),
        conv.focus_to_msg(Focus(one, "e", "h", "s")),
        conv.outcome_to_msg(SkillOutcome("grasp", "e", "s", True, FailureReason.SLIPPED, 4.0, one)),
        conv.report_to_msg(WorldReport(3, one, True, FailureReason.ABSENT, 0.5, 9)),
        conv.step_to_msg(Step("deliver", "e", "s")),
        conv.reason_to_msg(Reason("changed_field", "e", "pose", "a", "b")),
        conv.snapshot_to_msg(
            Snapshot(1, 2, 3, one, "h", "a", (seen,), (Step("x"),), (Step("x"),), Reason("start")),
            4,
            "held",
        ),
        conv.result_to_msg(
            Tally(1, 48, ["e"], [(3, Reason("start"))], [], 2.5), "f" * 64, 9, "failed", "why", 1.5
        ),
    ]
    for message in examples:
        empty = type(message)()
        for field in message.get_fields_and_field_types():
            assert getattr(message, field) != getattr(empty, field), (type(message), field)


def example_mission(grid):
    return Mission(
        goal="g",
        map_id=grid.map_id,
        stations=(Station("a", Pose2D(1.0, 2.0, 0.1), ("can", "bottle")),),
        expected=3,
        budget_steps=40,
        step_m=0.25,
        robot_radius_m=0.2,
        diagonal=True,
        view_m=1.5,
        frame_id="floor",
        rules=("one", "two"),
        skills=("navigate", "grasp", "deliver"),
        regions=(Region("hall", ((0.0, 1.0), (2.0, 3.0), (4.0, 5.5))),),
        observe_below=0.25,
    )


@given(
    st.integers(1, 6),
    st.integers(1, 6),
    st.floats(1e-3, 10.0),
    st.builds(Pose2D, st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(-math.pi, math.pi)),
    st.randoms(use_true_random=False),
)
def test_mission_and_map_come_back_bit_for_bit(rows, cols, resolution, origin, draw):
    cells = [draw.randint(-1, 100) for _ in range(rows * cols)]
    grid = GridMap(np.array(cells, np.int8).reshape(rows, cols), resolution, origin, "floor")
    mission = example_mission(grid)
    message = over_the_wire(conv.mission_to_msg(mission, grid, "run"))
    found = conv.mission_map_from_msgs(message, over_the_wire(conv.grid_to_msg(grid)))
    assert conv.mission_from_msg(message) == mission
    assert message.run_id == "run"
    assert found.map_id == grid.map_id
    assert (found.resolution, found.origin, found.frame_id) == (resolution, origin, "floor")
    assert np.array_equal(found.data, grid.data)


def test_record_conversion_knows_every_field():
    fields = [field.name for field in dataclasses.fields(Record)]
    assert sorted(fields) == sorted(msgs.EntityRecord.get_fields_and_field_types())


def test_mission_conversion_knows_every_field():
    assert {field.name for field in dataclasses.fields(Mission)} == {
        "goal",
        "map_id",
        "stations",
        "expected",
        "budget_steps",
        "step_m",
        "robot_radius_m",
        "diagonal",
        "view_m",
        "frame_id",
        "rules",
        "skills",
        "regions",
        "observe_below",
    }


def test_another_map_is_refused():
    grid = GridMap(np.zeros((2, 3), np.int8), 0.05)
    other = GridMap(np.ones((2, 3), np.int8), 0.05)
    message = conv.mission_to_msg(example_mission(grid), grid, "run")
    with pytest.raises(ValueError, match="map must be"):
        conv.mission_map_from_msgs(message, conv.grid_to_msg(other))


def test_a_map_of_the_wrong_size_is_refused():
    message = conv.grid_to_msg(GridMap(np.zeros((2, 3), np.int8), 0.05))
    message.info.height = 3
    with pytest.raises(ValueError, match="3 x 3 cells, got 6"):
        conv.grid_from_msg(message)


def test_a_map_without_exact_numbers_keeps_what_the_message_has():
    grid = GridMap(np.zeros((2, 3), np.int8), 0.05, Pose2D(1.0, -2.0, 0.5))
    found = conv.grid_from_msg(conv.grid_to_msg(grid))
    assert found.resolution == pytest.approx(0.05, rel=1e-7)
    assert found.origin == pytest.approx(grid.origin)


def test_unknown_stays_nan():
    there = over_the_wire(conv.pose_to_msg(Pose2D(1.0, 2.0, math.nan)))
    assert math.isnan(conv.pose_from_msg(there).yaw)


@pytest.mark.parametrize(
    ("message", "from_msg"),
    [
        (msgs.EvidenceBatch(source="rumour"), conv.batch_from_msg),
        (msgs.ExposedRecord(status="lost", source="remote"), conv.exposed_from_msg),
        (msgs.SkillOutcome(reason="mood"), conv.outcome_from_msg),
        (msgs.WorldReport(reason="mood"), conv.report_from_msg),
    ],
)
def test_an_unknown_word_is_refused(message, from_msg):
    with pytest.raises(ValueError, match="is not a valid"):
        from_msg(message)


@given(
    st.builds(
        WorldFacts,
        small,
        tuples(st.builds(Visit, small, pose, text, flag)),
        tuples(st.builds(Ghost, small, text, pose)),
    )
)
def test_world_facts_come_back_as_they_were(facts):
    reply = srvs.GetWorldFacts.Response()
    fill_facts(reply, facts)
    assert facts_from_reply(over_the_wire(reply)) == facts
