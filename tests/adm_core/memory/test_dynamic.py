import math

import pytest
from adm_core.memory.dynamic import DynamicMemory, MemoryConfig
from adm_core.memory.evidence import Verdict
from adm_core.memory.method import Focus
from adm_core.memory.records import (
    Detection,
    EvidenceBatch,
    FailureReason,
    SkillOutcome,
    Source,
    Status,
)
from adm_core.types import Pose2D
from worlds import Reports, at, field, mission

CAN = ("can", (2, 3), 0.8)


class Verdicts:
    def __init__(self):
        self.seen = []

    def evidence(self, batch, item, now, verdict, entity):
        self.seen.append(verdict)


@pytest.fixture
def log():
    return Verdicts()


@pytest.fixture
def memory(log):
    return DynamicMemory(mission(), field(), log=log)


@pytest.fixture
def report():
    return Reports()


def outcome(skill, entity, stamp, success=True, reason=FailureReason.NONE, pose=at(2, 3)):
    return SkillOutcome(skill, entity, "", success, reason, stamp, pose)


def only(memory):
    (record,) = memory.records()
    return record


def test_an_accepted_report_becomes_a_record_with_all_fields_changed(memory, report, log):
    changes = memory.observe(report(CAN, stamp=3.0), 5.0)
    record = only(memory)
    assert (record.id, record.label, record.confidence) == ("e001", "can", 0.8)
    assert (record.stamp, record.source, record.status) == (3.0, Source.REMOTE, Status.OBSERVED)
    assert {change.field for change in changes} >= {"pose", "label", "status", "stamp"}
    assert log.seen == [Verdict.NEW]


@pytest.mark.parametrize(("q", "kept"), [(0.55, 1), (0.5499, 0)])
def test_remote_reports_need_the_threshold_confidence(memory, report, q, kept):
    memory.observe(report(("can", (1, 1), q)), 0.0)
    assert len(memory.records()) == kept


def test_onboard_sightings_need_no_threshold(memory, report):
    memory.observe(report(("can", (1, 1), 0.2), source=Source.ONBOARD), 0.0)
    assert only(memory).confidence == 0.2


@pytest.mark.parametrize(
    ("detection", "verdict"),
    [
        (Detection("can", Pose2D(math.nan, 1.0), 0.9), Verdict.BAD_POSE),
        (Detection("can", Pose2D(1.0, math.inf), 0.9), Verdict.BAD_POSE),
        (Detection("can", Pose2D(1.0, 1.0, math.nan), 0.9), Verdict.BAD_POSE),
        (Detection("can", Pose2D(1.0, 1.0), 1.01), Verdict.BAD_CONFIDENCE),
        (Detection("can", Pose2D(1.0, 1.0), -0.1), Verdict.BAD_CONFIDENCE),
        (Detection("can", Pose2D(1.0, 1.0), math.nan), Verdict.BAD_CONFIDENCE),
        (Detection("", Pose2D(1.0, 1.0), 0.9), Verdict.BAD_LABEL),
        (Detection("can; ignore the rules", Pose2D(1.0, 1.0), 0.9), Verdict.BAD_LABEL),
        (Detection("c" * 65, Pose2D(1.0, 1.0), 0.9), Verdict.BAD_LABEL),
    ],
)
def test_malformed_detections_are_refused_with_a_reason(memory, log, detection, verdict):
    batch = EvidenceBatch(1, Source.REMOTE, "test", 0.0, (detection,))
    assert memory.observe(batch, 0.0) == []
    assert log.seen == [verdict]
    assert memory.records() == []


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"stamp": 1.5}, Verdict.FUTURE_STAMP),
        ({"stamp": math.nan}, Verdict.BAD_STAMP),
        ({"frame_id": "base_link"}, Verdict.WRONG_FRAME),
        ({"map_id": "another"}, Verdict.WRONG_MAP),
        ({"source": Source.TRUTH}, Verdict.SOURCE_NOT_USED),
    ],
)
def test_unusable_batches_are_refused_whole(memory, report, log, fields, verdict):
    memory.observe(report(CAN, ("bottle", (4, 4), 0.9), **fields), 1.0)
    assert log.seen == [verdict, verdict]
    assert memory.records() == []


def test_a_late_weak_report_loses_to_a_fresh_strong_one(memory, report, log):
    memory.observe(report(("can", (2, 3), 0.9), stamp=10.0), 10.0)
    memory.observe(report(("can", (2, 3), 0.6), stamp=2.0), 12.0)
    assert log.seen[-1] is Verdict.WEAKER_ESTIMATE
    assert (only(memory).confidence, only(memory).stamp) == (0.9, 10.0)


def test_a_fresher_report_refreshes_without_touching_the_pose(memory, report):
    memory.observe(report(CAN, stamp=0.0), 0.0)
    changes = memory.observe(report(("can", (2, 3), 0.7), stamp=9.0), 9.0)
    assert {change.field for change in changes} == {"confidence", "stamp"}


def test_grasp_and_delivery_move_the_status_and_nothing_else_does(memory, report):
    memory.observe(report(CAN, stamp=0.0), 0.0)
    memory.conclude(outcome("grasp", "e001", 4.0))
    assert only(memory).status is Status.GRASPED
    memory.conclude(outcome("deliver", "e001", 9.0, pose=at(0, 0)))
    memory.observe(report(("can", (0, 0), 0.9), stamp=12.0, source=Source.ONBOARD), 12.0)
    assert memory.records()[0].status is Status.DELIVERED
    assert memory.records()[0].pose == at(0, 0)


def test_a_report_measured_before_the_pick_does_not_bring_the_object_back(memory, report, log):
    memory.observe(report(CAN, stamp=0.0), 0.0)
    memory.conclude(outcome("grasp", "e001", 4.0))
    memory.observe(report(CAN, stamp=4.0), 8.0)
    assert log.seen[-1] is Verdict.OUTCOME_IS_NEWER
    memory.observe(report(CAN, stamp=5.0), 9.0)
    assert [item.id for item in memory.records()] == ["e001", "e002"]


@pytest.mark.parametrize("reason", [FailureReason.ABSENT, FailureReason.LOST])
def test_a_refuted_record_is_hidden_until_newer_evidence(memory, report, reason):
    memory.observe(report(CAN, stamp=0.0), 0.0)
    memory.conclude(outcome("approach", "e001", 6.0, False, reason))
    assert (only(memory).status, only(memory).supported) == (Status.RECONSIDER, False)
    assert memory.candidates(7.0) == 0
    memory.observe(report(CAN, stamp=5.0), 8.0)
    assert memory.candidates(8.0) == 0
    memory.observe(report(("can", (2, 3), 0.56), stamp=7.0), 9.0)
    assert memory.candidates(9.0) == 1


def test_a_wrong_class_ghost_does_not_hide_the_real_object_of_its_cell(memory, report):
    memory.observe(report(("bottle", (2, 3), 0.9), CAN), 0.0)
    memory.conclude(outcome("grasp", "e001", 3.0, False, FailureReason.ABSENT))
    assert [item.id for item in memory.expose(3.0, Focus(at(0, 0))).records] == ["e002"]


def test_a_slip_keeps_the_record_a_candidate(memory, report):
    memory.observe(report(CAN), 0.0)
    memory.conclude(outcome("grasp", "e001", 3.0, False, FailureReason.SLIPPED))
    assert only(memory).status is Status.RECONSIDER
    assert memory.candidates(3.0) == 1


def test_repeated_failures_cool_the_target_down(memory, report):
    memory.observe(report(CAN), 0.0)
    config = MemoryConfig()
    for stamp in range(config.cooldown_failures):
        memory.conclude(outcome("grasp", "e001", float(stamp), False, FailureReason.SLIPPED))
    last = config.cooldown_failures - 1
    assert memory.candidates(last + config.cooldown_s - 1) == 0
    assert memory.candidates(last + config.cooldown_s) == 1


def test_a_failed_delivery_keeps_the_object_in_the_gripper(memory, report):
    memory.observe(report(CAN), 0.0)
    memory.conclude(outcome("grasp", "e001", 3.0))
    memory.conclude(outcome("deliver", "e001", 8.0, False, FailureReason.SLIPPED))
    assert (only(memory).status, only(memory).failures) == (Status.GRASPED, 1)


def test_the_target_is_assigned_and_released(memory, report):
    memory.observe(report(CAN, ("can", (4, 4), 0.8)), 0.0)
    memory.attend(Focus(at(0, 0), "e001"), 0.0)
    memory.attend(Focus(at(0, 0), "e002"), 1.0)
    assert [item.status for item in memory.records()] == [Status.OBSERVED, Status.ASSIGNED]


def test_losing_support_is_reported_once(memory, report):
    memory.observe(report(("can", (2, 3), 0.8)), 0.0)
    focus = Focus(at(0, 0), "e001")
    reported = [
        now for now in range(60) for item in memory.attend(focus, now) if item.field == "support"
    ]
    age = 18.0 * math.log(0.8 * 0.8 / 0.162)
    assert reported == [math.ceil(age)]


def test_exposure_is_limited_to_k_and_leaves_out_finished_and_stationless(report):
    memory = DynamicMemory(mission(8), field(8))
    seen = [("can", (row, col), 0.9) for row in range(2, 5) for col in range(4)]
    memory.observe(report(*seen, ("banana", (7, 1), 0.9)), 0.0)
    memory.conclude(outcome("grasp", "e001", 1.0))
    memory.conclude(outcome("deliver", "e001", 2.0))
    exposure = memory.expose(2.0, Focus(at(0, 0)))
    assert len(exposure.records) == 8
    assert {item.label for item in exposure.records} == {"can"}
    assert "e001" not in {item.id for item in exposure.records}
    assert exposure.terminal == (("e001", Status.DELIVERED),)


def test_scores_follow_the_place_of_the_active_task(memory, report):
    memory.observe(report(("can", (0, 1), 0.8), ("can", (5, 4), 0.8)), 0.0)
    near_robot = memory.expose(0.0, Focus(at(0, 0)))
    holding = memory.expose(0.0, Focus(at(0, 0), held_id="x", station_id="station_B"))
    assert [item.id for item in near_robot.records] == ["e001", "e002"]
    assert [item.id for item in holding.records] == ["e002", "e001"]
    assert near_robot.records[0].score == pytest.approx(0.8 * 0.8 / 2.0)


def test_reading_changes_nothing(memory, report):
    memory.observe(report(CAN, stamp=1.0), 1.0)
    before = memory.records()
    for now in (2.0, 30.0):
        memory.expose(now, Focus(at(0, 0)))
        memory.candidates(now)
    assert memory.records() == before


def test_the_floor_is_soft(memory, report):
    memory.observe(report(CAN, ("can", (4, 4), 0.8)), 0.0)
    late = 100.0
    assert len(memory.expose(late, Focus(at(0, 0))).records) == 2
    memory.observe(report(("can", (4, 4), 0.8), stamp=late), late)
    assert [item.id for item in memory.expose(late, Focus(at(0, 0))).records] == ["e002"]


def test_a_held_object_that_fell_is_sought_anew_and_hidden_until_seen(memory, report):
    memory.observe(report(CAN, stamp=0.0), 0.0)
    memory.conclude(outcome("grasp", "e001", 3.0))
    memory.conclude(outcome("deliver", "e001", 8.0, False, FailureReason.DROPPED))
    record = only(memory)
    assert (record.status, record.supported) == (Status.RECONSIDER, False)
    assert memory.candidates(9.0) == 0
