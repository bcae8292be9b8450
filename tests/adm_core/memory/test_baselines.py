import pytest
from adm_core.errors import ConfigError
from adm_core.memory.method import Focus
from adm_core.memory.methods import METHODS, make_memory
from adm_core.memory.records import (
    Detection,
    EvidenceBatch,
    FailureReason,
    SkillOutcome,
    Source,
    Status,
)
from worlds import Reports, at, field, mission

FOCUS = Focus(at(0, 0))


def ids(memory, now=0.0):
    return [item.id for item in memory.expose(now, FOCUS).records]


def make(method):
    return make_memory(method, mission(), field())


def picked(memory, entity, stamp, success=True, reason=FailureReason.NONE):
    memory.conclude(SkillOutcome("grasp", entity, "", success, reason, stamp, at(0, 0)))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_starts_empty(method):
    assert make(method).candidates(0.0) == 0


def test_an_unknown_method_is_refused_with_the_list():
    with pytest.raises(ConfigError, match="none, static, unfiltered, attention, oracle"):
        make("telepathy")


def test_none_sees_only_the_present_view():
    memory, report = make("none"), Reports()
    memory.observe(report(("can", (1, 1), 0.9), source=Source.STATIC_PRIOR), 0.0)
    memory.observe(report(("can", (1, 2), 0.9)), 0.0)
    assert ids(memory) == []
    memory.observe(report(("can", (0, 1), 0.9), source=Source.ONBOARD), 1.0)
    assert len(ids(memory)) == 1
    memory.observe(report(source=Source.ONBOARD, stamp=2.0), 2.0)
    assert ids(memory) == []


@pytest.mark.parametrize("reason", [FailureReason.ABSENT, FailureReason.LOST])
def test_static_keeps_the_first_map_and_crosses_off_by_skills(reason):
    memory, report = make("static"), Reports()
    seen = (("can", (1, 1), 0.9), ("can", (2, 2), 0.9))
    memory.observe(report(*seen, source=Source.STATIC_PRIOR), 0.0)
    memory.observe(report(("can", (4, 4), 0.9), stamp=1.0), 2.0)
    assert ids(memory) == ["s0001", "s0002"]
    picked(memory, "s0001", 3.0, False, reason)
    picked(memory, "s0002", 5.0)
    assert ids(memory) == []


def test_unfiltered_lists_every_report_and_marks_what_an_outcome_overtook():
    memory, report = make("unfiltered"), Reports()
    for stamp in (0.0, 5.0, 10.0):
        memory.observe(report(("can", (1, 1), 0.3), stamp=stamp), stamp)
    assert len(ids(memory)) == 3
    picked(memory, "u0002", 5.0, False, FailureReason.ABSENT)
    statuses = [item.status for item in memory.expose(10.0, FOCUS).records]
    assert [status.terminal for status in statuses] == [True, True, False]
    assert memory.candidates(10.0) == 1


def test_unfiltered_adds_an_onboard_sighting_only_if_its_place_is_new():
    memory, report = make("unfiltered"), Reports()
    memory.observe(report(("can", (1, 1), 0.9)), 0.0)
    memory.observe(report(("can", (1, 1), 0.9), ("can", (1, 2), 0.9), source=Source.ONBOARD), 0.0)
    assert len(ids(memory)) == 2


def test_oracle_follows_the_true_pose_and_reports_it_as_changed():
    memory = make("oracle")

    def truth(seq, cell):
        item = Detection("can", at(*cell), 1.0, "c01")
        return EvidenceBatch(seq, Source.TRUTH, "simulator", float(seq), (item,))

    memory.observe(truth(1, (1, 1)), 1.0)
    changes = memory.observe(truth(2, (3, 3)), 2.0)
    assert ("c01", "pose") in {(item.entity, item.field) for item in changes}
    picked(memory, "c01", 3.0)
    assert memory.observe(truth(4, (4, 4)), 4.0) == []
    assert memory.records()[0].status is Status.GRASPED
