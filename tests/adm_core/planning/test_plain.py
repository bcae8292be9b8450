"""Plain data loses nothing."""

import json

from adm_core.memory.footprint import Footprint
from adm_core.memory.records import Detection, EvidenceBatch, FailureReason, Source
from adm_core.planning.plain import (
    command_from_plain,
    command_to_plain,
    report_from_plain,
    report_to_plain,
)
from adm_core.planning.ports import Command, Primitive, WorldReport
from adm_core.types import Pose2D
from hypothesis import given
from hypothesis import strategies as st

numbers = st.floats(allow_nan=False)
poses = st.builds(Pose2D, numbers, numbers, numbers)
corners = st.lists(st.tuples(numbers, numbers), min_size=3, max_size=5).map(tuple)
footprints = st.one_of(
    st.none(),
    st.builds(Footprint, numbers, numbers, st.floats(min_value=0)),
    st.builds(Footprint, corners=corners),
)
detections = st.builds(Detection, st.text(max_size=9), poses, numbers, st.text(max_size=9))
batches = st.builds(
    EvidenceBatch,
    st.integers(1, 2**40),
    st.sampled_from(Source),
    st.text(max_size=9),
    numbers,
    st.lists(detections, max_size=3).map(tuple),
    footprint=footprints,
)
reports = st.builds(
    WorldReport,
    st.integers(0, 2**40),
    poses,
    st.booleans(),
    st.sampled_from(FailureReason),
    numbers,
    st.integers(0, 2**40),
)
commands = st.one_of(
    st.none(), st.builds(Command, st.sampled_from(Primitive), poses, st.text(max_size=9))
)


@given(reports, st.lists(batches, max_size=3))
def test_reports_and_evidence_survive_a_trip_through_json(report, evidence):
    text = json.dumps(report_to_plain(report, evidence))
    assert report_from_plain(json.loads(text)) == (report, evidence)


@given(commands)
def test_commands_survive_a_trip_through_json(command):
    assert command_from_plain(json.loads(json.dumps(command_to_plain(command)))) == command
