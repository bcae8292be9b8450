"""The types of messages and services."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from adm_core.memory.records import Detection, EvidenceBatch, Source
from adm_core.types import Pose2D
from adm_nodes.common import conversions
from adm_nodes.common.limits import DETECTIONS

INTERFACES = Path(__file__).parents[2] / "src/adm_interfaces"
FILES = sorted(
    file for kind in ("msg", "srv", "action") for file in (INTERFACES / kind).glob(f"*.{kind}")
)
#: Beyond it the memory that DDS reserves for every place of a queue is felt.
LARGEST_BOUND = 256


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_list_is_bounded_by_more_than_dds_should_reserve(file):
    bounds = [int(number) for number in re.findall(r"\[<=(\d+)\]", file.read_text())]
    assert all(bound <= LARGEST_BOUND for bound in bounds)


def test_a_report_that_is_too_long_is_refused_on_both_sides():
    seen = Detection("can", Pose2D(0.0, 0.0), 0.5)
    longest = EvidenceBatch(1, Source.REMOTE, "drone", 0.0, (seen,) * DETECTIONS, "map")
    message = conversions.batch_to_msg(longest)
    assert len(conversions.batch_from_msg(message).detections) == DETECTIONS
    message.detections.append(message.detections[0])
    with pytest.raises(ValueError, match="10,000 at most, got 10,001"):
        conversions.batch_from_msg(message)
    with pytest.raises(ValueError, match="10,000 at most"):
        conversions.batch_to_msg(replace(longest, detections=(seen,) * (DETECTIONS + 1)))
