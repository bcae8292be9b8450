"""Confirmation, negative evidence and pinning: what the profile `robust` adds."""

from dataclasses import replace

import pytest
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.dynamic import DynamicMemory, MemoryConfig
from adm_core.memory.footprint import WHOLE_FIELD, Footprint
from adm_core.memory.method import Focus
from adm_core.memory.records import Detection, FailureReason, SkillOutcome, Source, Status
from adm_core.types import Pose2D
from worlds import Reports, at, field, mission

CAN = ("can", (2, 3), 0.8)
BOTTLE = ("bottle", (4, 4), 0.8)


@pytest.fixture
def report():
    return Reports()


def memory(**config):
    return DynamicMemory(mission(), field(), MemoryConfig(**config))


def scan(report, *seen, stamp, footprint=WHOLE_FIELD):
    return replace(report(*seen, stamp=stamp), footprint=footprint)


def shown(made, now, focus=None):
    exposure = made.expose(now, focus or Focus(at(0, 0)))
    return [item.id for item in exposure.records]


def test_a_remote_newcomer_is_hidden_until_confirmed(report):
    made = memory(confirm=2)
    made.observe(report(CAN, stamp=0.0), 0.0)
    assert shown(made, 0.0) == [] and made.candidates(0.0) == 0
    made.observe(report(CAN, stamp=5.0), 5.0)
    assert shown(made, 5.0) == ["e001"]


def test_the_same_report_twice_confirms_nothing(report):
    made = memory(confirm=2)
    made.observe(report(CAN, stamp=0.0), 0.0)
    made.observe(report(CAN, stamp=0.0), 1.0)
    assert shown(made, 1.0) == []


@pytest.mark.parametrize("source", [Source.ONBOARD, Source.STATIC_PRIOR, Source.OPERATOR])
def test_other_sources_confirm_at_once(report, source):
    made = memory(confirm=2)
    made.observe(report(("can", (2, 3), 0.6), stamp=0.0), 0.0)
    made.observe(report(CAN, stamp=1.0, source=source), 1.0)
    assert shown(made, 1.0) == ["e001"]


def test_scans_that_miss_a_record_take_its_support_away(report):
    made = memory(misses=3)
    made.observe(scan(report, CAN, stamp=0.0), 0.0)
    for stamp in (1.0, 2.0):
        assert made.observe(scan(report, stamp=stamp), stamp) == []
        assert shown(made, stamp) == ["e001"]
    changes = made.observe(scan(report, stamp=3.0), 3.0)
    assert [(item.entity, item.field) for item in changes] == [("e001", "supported")]
    assert shown(made, 3.0) == []
    made.observe(scan(report, CAN, stamp=4.0), 4.0)
    assert shown(made, 4.0) == ["e001"]


MOVED = ("can", (5, 1), 0.8)


@pytest.mark.parametrize("notice, left", [(True, ["e002"]), (False, ["e001", "e002"])])
def test_a_newcomer_of_the_class_that_is_missing_is_the_one_that_moved(report, notice, left):
    made = memory(misses=2, notice_moves=notice)
    made.observe(scan(report, CAN, stamp=0.0), 0.0)
    changes = made.observe(scan(report, MOVED, stamp=4.0), 5.0)
    assert sorted(shown(made, 5.0)) == left
    lost = [(item.entity, item.new) for item in changes if item.field == "supported"]
    assert (("e001", "False") in lost) == notice


@pytest.mark.parametrize(
    "before, after",
    [
        ((CAN,), (CAN, MOVED)),  # a second one
        ((CAN,), (("bottle", (5, 1), 0.8),)),  # of another class
        ((CAN,), (("can", (5, 1), 0.5),)),  # too doubtful to be anything
        ((CAN, ("can", (0, 4), 0.8)), (MOVED,)),  # which of the two?
    ],
)
def test_who_may_be_missing_for_another_reason_has_not_moved(report, before, after):
    made = memory(misses=2, notice_moves=True)
    made.observe(scan(report, *before, stamp=0.0), 0.0)
    made.observe(scan(report, *after, stamp=4.0), 5.0)
    assert "e001" in shown(made, 5.0)


def test_who_comes_back_to_a_place_that_was_given_up_has_moved(report):
    made = memory(misses=2, notice_moves=True)
    for stamp, seen in enumerate((CAN, MOVED, CAN)):
        made.observe(scan(report, seen, stamp=float(stamp)), float(stamp))
    assert shown(made, 2.0) == ["e001"]


def test_a_report_measured_before_the_misses_does_not_restore_support(report):
    made = memory(misses=1)
    made.observe(scan(report, CAN, stamp=0.0), 0.0)
    made.observe(scan(report, stamp=3.0), 3.0)
    made.observe(report(CAN, stamp=2.0), 4.0)
    assert shown(made, 4.0) == []


def test_a_sighting_starts_the_count_anew(report):
    made = memory(misses=2)
    made.observe(scan(report, CAN, stamp=0.0), 0.0)
    for stamp, seen in ((1.0, ()), (2.0, (CAN,)), (3.0, ())):
        made.observe(scan(report, *seen, stamp=stamp), stamp)
    assert shown(made, 3.0) == ["e001"]


@pytest.mark.parametrize(
    ("seen", "stamp", "footprint"),
    [
        ((), 1.0, None),
        ((), 1.0, Footprint(5.5, 5.5, 1.0)),
        ((), -1.0, WHOLE_FIELD),
        ((("can", (2, 3), 0.1),), 1.0, WHOLE_FIELD),
    ],
    ids=["nothing said", "not covered", "older than the record", "seen but doubted"],
)
def test_what_does_not_count_as_a_miss(report, seen, stamp, footprint):
    made = memory(misses=1)
    made.observe(report(CAN, stamp=0.0), 0.0)
    made.observe(scan(report, *seen, stamp=stamp, footprint=footprint), 2.0)
    assert shown(made, 2.0) == ["e001"]


def test_a_malformed_detection_does_not_hide_a_miss_nor_break_the_count(report):
    made = memory(misses=1)
    made.observe(report(CAN, stamp=0.0), 0.0)
    broken = replace(
        scan(report, stamp=1.0), detections=(Detection("can", Pose2D(float("nan"), 0.0), 0.9),)
    )
    made.observe(broken, 1.0)
    assert shown(made, 1.0) == []


def test_misses_say_nothing_about_a_held_object(report):
    made = memory(misses=1)
    made.observe(report(CAN, stamp=0.0), 0.0)
    made.conclude(SkillOutcome("grasp", "e001", "", True, FailureReason.NONE, 1.0, at(2, 3)))
    assert made.observe(scan(report, stamp=2.0), 2.0) == []
    assert made.records()[0].supported


def pinning(pin, k=1):
    made = DynamicMemory(
        mission(), field(), MemoryConfig(pin_target=pin), AttentionConfig(k=k, floor=0.3)
    )
    made.observe(Reports()(CAN, BOTTLE, stamp=0.0), 0.0)
    return made


@pytest.mark.parametrize(("pin", "best"), [(True, "e002"), (False, "e001")])
def test_pinning_keeps_the_active_target_within_k(pin, best):
    made = pinning(pin)
    focus = Focus(at(0, 0), "e002")
    made.attend(focus, 0.0)
    assert made.records()[1].status is Status.ASSIGNED
    made.observe(Reports()(CAN, stamp=5.0), 5.0)  # the other is fresher and nearer
    assert shown(made, 5.0, Focus(at(2, 3))) == [best]


def test_a_pinned_target_below_the_floor_gives_way():
    made = pinning(True)
    made.attend(Focus(at(0, 0), "e002"), 0.0)
    made.observe(Reports()(CAN, stamp=60.0), 60.0)
    assert shown(made, 60.0, Focus(at(2, 3), "e002")) == ["e001"]
