"""Duplicates, moves, newcomers and ghosts told apart; ids stay."""

from dataclasses import replace

import numpy as np
import pytest
from adm_core.memory.association import Neighbourhoods, associate
from adm_core.memory.dynamic import DynamicMemory, MemoryConfig
from adm_core.memory.footprint import WHOLE_FIELD
from adm_core.memory.method import Focus
from adm_core.memory.records import (
    Detection,
    EvidenceBatch,
    FailureReason,
    Record,
    SkillOutcome,
    Source,
    Status,
)
from adm_core.types import Pose2D
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import examples
from worlds import Reports, at, field, mission

CAN, BESIDE, FAR = ("can", (2, 3), 0.8), ("can", (2, 4), 0.8), ("can", (5, 0), 0.8)


def record(index, x, y, label="can"):
    return Record(f"e{index}", label, Pose2D(x, y), 0.9, Status.OBSERVED, 0.0, Source.REMOTE)


def detection(x, y, label="can"):
    return Detection(label, Pose2D(x, y), 0.9)


def test_detections_are_assigned_together_not_one_by_one():
    records = [record(0, 0.0, 0.0), record(1, 1.0, 0.0)]
    seen = [detection(0.6, 0.0), detection(1.1, 0.0)]  # the first is nearer to the second record
    assert associate(seen, records, 1.0, 3.0) == [0, 1]


def test_the_gate_and_the_class_bound_what_may_match():
    records = [record(0, 0.0, 0.0), record(1, 5.0, 5.0, "bottle")]
    seen = [detection(1.3, 0.0), detection(5.0, 5.0), detection(0.0, 1.1)]
    assert associate(seen, records, 0.4, 3.0) == [-1, -1, 0]


@pytest.mark.parametrize(("seen", "records"), [([], [record(0, 0, 0)]), ([detection(0, 0)], [])])
def test_nothing_matches_nothing(seen, records):
    assert associate(seen, records, 1.0, 3.0) == [-1] * len(seen)


coordinates = st.floats(0, 5)
labels = st.sampled_from(["can", "bottle"])


@settings(max_examples=examples("memory"), deadline=None)
@given(
    st.lists(st.builds(detection, coordinates, coordinates, labels), max_size=4),
    st.lists(st.tuples(coordinates, coordinates, labels), max_size=4),
)
def test_matches_are_one_to_one_allowed_and_as_many_as_possible(seen, places):
    from itertools import permutations

    records = [record(index, *place) for index, place in enumerate(places)]
    matched = associate(seen, records, 0.5, 3.0)
    used = [index for index in matched if index >= 0]
    assert len(used) == len(set(used))

    def cost(item, other):
        distance = np.hypot(item.pose.x - other.pose.x, item.pose.y - other.pose.y)
        allowed = item.label == other.label and distance / 0.5 <= 3.0
        return (distance / 0.5) ** 2 if allowed else None

    def value(choice):
        costs = [cost(seen[i], records[j]) for i, j in enumerate(choice) if j >= 0]
        return None if None in costs else (-len(costs), sum(costs))

    best = value(matched)
    assert best is not None
    slots = [*range(len(records)), *[-1] * len(seen)]
    for choice in set(permutations(slots, len(seen))):
        other = value(choice)
        assert other is None or best <= (other[0], other[1] + 1e-9)


@settings(max_examples=examples("memory"), deadline=None)
@given(
    st.lists(st.tuples(coordinates, coordinates, labels), max_size=12),
    st.lists(st.integers(0, 11), max_size=6),
    st.tuples(coordinates, coordinates),
    st.floats(0.1, 3.0),
)
def test_everyone_within_the_radius_is_found_wherever_they_moved(places, gone, centre, radius):
    kept = Neighbourhoods(radius)
    where = {}
    for index, place in enumerate(places):
        item = record(index % 5, *place)  # later places of an entity replace earlier ones
        kept.put(item)
        where[item.id] = item
    for index in gone:
        kept.remove(f"e{index}")
        where.pop(f"e{index}", None)
    found = set(kept.around("can", Pose2D(*centre)))
    near = {
        name
        for name, item in where.items()
        if item.label == "can"
        and np.hypot(item.pose.x - centre[0], item.pose.y - centre[1]) <= radius
    }
    assert near <= found <= set(where)


@pytest.fixture
def report():
    return Reports()


@pytest.fixture
def made():
    return DynamicMemory(mission(), field(), MemoryConfig(association="gated"))


def believed(made):
    return [(item.id, item.pose) for item in made.records()]


def shown(made, now):
    return [item.id for item in made.expose(now, Focus(at(0, 0))).records]


def scan(report, *seen, stamp):
    return replace(report(*seen, stamp=stamp), footprint=WHOLE_FIELD)


def test_a_report_one_cell_off_is_the_same_entity_at_its_old_place(made, report):
    made.observe(report(CAN, stamp=0.0), 0.0)
    made.observe(report(BESIDE, stamp=5.0), 5.0)
    assert believed(made) == [("e001", at(2, 3))]


def test_a_report_beside_neither_refreshes_nor_confirms_nor_speaks_against(made, report):
    made.observe(report(CAN, stamp=0.0), 0.0)
    made.observe(scan(report, BESIDE, stamp=5.0), 5.0)
    (item,) = made.records()
    assert (item.stamp, item.tentative, item.misses, item.supported) == (0.0, True, 0, True)
    assert item.rival == at(2, 4)


def test_a_newcomer_is_tentative_until_a_second_report_of_its_place(made, report):
    made.observe(report(CAN, stamp=0.0), 0.0)
    assert shown(made, 0.0) == []
    made.observe(report(CAN, stamp=5.0), 5.0)
    assert shown(made, 5.0) == ["e001"]


def test_two_ghosts_of_different_times_at_one_place_do_not_confirm_each_other(made, report):
    made.observe(scan(report, CAN, stamp=0.0), 0.0)
    for stamp in (5.0, 10.0):
        made.observe(scan(report, stamp=stamp), stamp)
    made.observe(scan(report, CAN, stamp=15.0), 15.0)
    assert shown(made, 15.0) == []
    made.observe(scan(report, CAN, stamp=20.0), 20.0)
    assert shown(made, 20.0) == ["e001"]


def test_what_was_found_missing_is_confirmed_anew(made, report):
    for stamp in (0.0, 5.0):
        made.observe(report(CAN, stamp=stamp), stamp)
    gone = SkillOutcome("grasp", "e001", "", False, FailureReason.ABSENT, 6.0, at(2, 3))
    made.conclude(gone)
    made.observe(report(CAN, stamp=10.0), 10.0)
    assert shown(made, 10.0) == []
    made.observe(report(CAN, stamp=15.0), 15.0)
    assert shown(made, 15.0) == ["e001"]


def test_reports_that_scatter_within_their_deviation_are_one_object(report):
    """In a metric world no two positions are the same."""
    made = DynamicMemory(mission(), field(), MemoryConfig(association="gated", report_sigma_m=0.2))
    for stamp, shift in enumerate((0.0, 0.3, -0.05, 0.2, -0.1)):
        seen = Detection("can", Pose2D(2.9 + shift, 2.5), 0.9)
        batch = EvidenceBatch(1, Source.REMOTE, "test", float(stamp), (seen,))
        made.observe(replace(batch, footprint=WHOLE_FIELD), float(stamp))
    (item,) = made.records()
    assert item.supported and not item.tentative and item.stamp == 4.0


@pytest.mark.parametrize("seen", [(CAN, FAR), (CAN, BESIDE, FAR)])
def test_a_report_in_any_order_of_its_detections_gives_the_same(report, seen):
    made = [DynamicMemory(mission(), field(), MemoryConfig(association="gated")) for _ in "ab"]
    for memory in made:
        memory.observe(report(CAN, FAR, stamp=0.0), 0.0)
    made[0].observe(report(*seen, stamp=5.0), 5.0)
    made[1].observe(report(*reversed(seen), stamp=5.0), 5.0)
    assert believed(made[0]) == believed(made[1])


def test_two_agreeing_reports_move_the_entity_and_its_id_stays(made, report):
    for seen, stamp in ((CAN, 0.0), (BESIDE, 5.0), (BESIDE, 10.0), (BESIDE, 15.0)):
        made.observe(report(seen, stamp=stamp), stamp)
    assert believed(made) == [("e001", at(2, 4))]
    made.observe(report(CAN, FAR, BESIDE, stamp=20.0), 20.0)
    assert [item for item, _ in believed(made)] == ["e001", "e002", "e003"]


def test_a_report_that_comes_twice_does_not_agree_with_itself(made, report):
    made.observe(report(CAN, stamp=0.0), 0.0)
    for _ in range(3):
        made.observe(report(BESIDE, stamp=5.0), 5.0)
    assert believed(made) == [("e001", at(2, 3))]


def test_the_robots_own_sighting_beside_is_another_entity(made, report):
    made.observe(report(CAN, stamp=0.0), 0.0)
    made.observe(report(BESIDE, stamp=1.0, source=Source.ONBOARD), 1.0)
    assert len(made.records()) == 2


def test_two_neighbours_seen_together_are_two(made, report):
    made.observe(report(CAN, stamp=0.0), 0.0)
    made.observe(report(CAN, BESIDE, stamp=5.0), 5.0)
    made.observe(report(CAN, BESIDE, stamp=10.0), 10.0)
    assert believed(made) == [("e001", at(2, 3)), ("e002", at(2, 4))]


def test_another_class_beside_is_another_entity(made, report):
    made.observe(report(CAN, stamp=0.0), 0.0)
    made.observe(report(("bottle", (2, 4), 0.9), stamp=5.0), 5.0)
    assert len(made.records()) == 2


def test_batches_and_single_reports_give_the_same_for_separate_objects(report):
    many, single = (
        DynamicMemory(mission(), field(), MemoryConfig(association="gated")) for _ in range(2)
    )
    for stamp in (0.0, 5.0):
        many.observe(report(CAN, FAR, stamp=stamp), stamp)
        for seen in (CAN, FAR):
            single.observe(report(seen, stamp=stamp), stamp)
    assert many.records() == single.records()
    focus = Focus(at(0, 0))
    assert many.expose(5.0, focus) == single.expose(5.0, focus)
