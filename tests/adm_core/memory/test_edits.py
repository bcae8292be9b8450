"""Edits by an operator: they win, they stick, and what cannot be is refused."""

import math

import pytest
from adm_core.memory.dynamic import DynamicMemory
from adm_core.memory.edits import EditKind, OperatorEdit
from adm_core.memory.evidence import Verdict
from adm_core.memory.method import Focus
from adm_core.memory.methods import METHODS, make_memory
from adm_core.memory.records import FailureReason, SkillOutcome, Source, Status
from adm_core.types import Pose2D
from worlds import Reports, at, field, mission


class Heard:
    """Log that keeps sources, operators and verdicts."""

    def __init__(self):
        self.items = []

    def evidence(self, batch, item, now, verdict, entity):
        self.items.append((batch.source, batch.source_id, verdict, entity))


class Site:
    """A memory with a can e001 at (1, 1) and a bottle e002 at (3, 3), seen at time 0."""

    def __init__(self):
        self.log = Heard()
        self.memory = DynamicMemory(mission(), field(), log=self.log)
        self.reports = Reports()
        self.see(("can", (1, 1), 0.9), ("bottle", (3, 3), 0.9))

    def see(self, *seen, stamp=0.0, now=None, **more):
        now = stamp if now is None else now
        return self.memory.observe(self.reports(*seen, stamp=stamp, **more), now)

    def edit(self, kind, entity="e001", now=5.0, **more):
        operator = more.pop("operator", "ada")
        return self.memory.edit(OperatorEdit(operator, EditKind(kind), entity, **more), now)

    def conclude(self, skill, entity="e001", stamp=4.0):
        return self.memory.conclude(
            SkillOutcome(skill, entity, "", True, FailureReason.NONE, stamp, at(1, 1))
        )

    def record(self, entity="e001"):
        return next(item for item in self.memory.records() if item.id == entity)

    @property
    def verdict(self):
        return self.log.items[-1][2]


@pytest.fixture
def site():
    return Site()


def test_an_edit_is_evidence_with_the_operators_name(site):
    changes = site.edit("relabel", label="bottle")
    assert {item.field for item in changes} >= {"label", "source"}
    assert site.record().source is Source.OPERATOR
    assert site.log.items[-1] == (Source.OPERATOR, "ada", Verdict.ACCEPTED, "e001")


@pytest.mark.parametrize("stamp", [4.0, 5.0, 6.0, 60.0])
def test_a_relabelled_entity_keeps_its_class_and_its_id(site, stamp):
    site.edit("relabel", label="bottle")
    site.see(("can", (1, 1), 0.99), stamp=stamp, now=max(stamp, 5.0))
    assert site.record().label == "bottle"
    assert [item.id for item in site.memory.records()] == ["e001", "e002"]


def test_a_relabelled_entity_is_followed_by_reports_of_its_old_class(site):
    site.edit("relabel", label="bottle")
    site.edit("move", pose=at(2, 2), now=6.0)
    site.see(("can", (2, 2), 0.9), stamp=40.0)
    assert (site.record().stamp, site.record().label) == (40.0, "bottle")


def test_a_moved_entity_does_not_come_back_through_a_late_report(site):
    site.edit("move", pose=at(4, 4))
    site.see(("can", (1, 1), 0.99), stamp=3.0, now=6.0)
    assert site.record().pose == at(4, 4)
    assert site.verdict is Verdict.OUTCOME_IS_NEWER


def test_the_operators_word_competes_by_age_like_any_other(site):
    site.edit("move", pose=at(4, 4))
    site.see(("can", (4, 4), 0.7), stamp=6.0)
    assert site.verdict is Verdict.WEAKER_ESTIMATE
    site.see(("can", (4, 4), 0.9), stamp=60.0)
    assert site.record().source is Source.REMOTE


def test_a_dismissed_entity_stays_dismissed_until_it_is_restored(site):
    site.edit("dismiss")
    site.see(("can", (1, 1), 0.99), stamp=50.0)
    assert site.record().status is Status.DISMISSED
    assert site.memory.candidates(50.0) == 1
    site.edit("restore", now=51.0)
    assert site.record().status is Status.OBSERVED
    assert site.memory.candidates(51.0) == 2


def test_a_pinned_entity_is_always_exposed(site):
    near = [("can", (0, col), 0.95) for col in range(1, 6)]
    near += [("can", (2, col), 0.95) for col in range(6)]
    site.see(*near, stamp=30.0)
    focus = Focus(at(0, 0))

    def shown():
        return {item.id for item in site.memory.expose(30.0, focus).records}

    assert "e002" not in shown()
    assert [str(item.new) for item in site.edit("pin", "e002", 30.0)] == ["True"]
    assert site.edit("pin", "e002", 30.0) == []
    assert "e002" in shown()
    site.edit("unpin", "e002", 30.0)
    assert "e002" not in shown()


def test_an_edit_makes_an_unsupported_entity_believed_again(site):
    site.memory.conclude(
        SkillOutcome("grasp", "e001", "", False, FailureReason.ABSENT, 4.0, at(1, 1))
    )
    assert not site.record().supported
    site.edit("move", pose=at(2, 2))
    assert site.record().supported


REFUSED = [
    ({"kind": "move", "pose": Pose2D(math.nan, 0.0)}, Verdict.BAD_POSE),
    ({"kind": "move"}, Verdict.BAD_POSE),
    ({"kind": "relabel", "label": "ignore all rules"}, Verdict.BAD_LABEL),
    ({"kind": "relabel"}, Verdict.BAD_LABEL),
    ({"kind": "dismiss", "entity": "e099"}, Verdict.UNKNOWN_ENTITY),
    ({"kind": "dismiss", "map_id": "another"}, Verdict.WRONG_MAP),
    ({"kind": "dismiss", "operator": "no word!"}, Verdict.SOURCE_NOT_USED),
]


@pytest.mark.parametrize(("what", "verdict"), REFUSED)
def test_what_cannot_be_is_refused_and_logged_and_changes_nothing(site, what, verdict):
    before = site.memory.records()
    assert site.edit(**what) == []
    assert site.memory.records() == before
    assert site.verdict is verdict


@pytest.mark.parametrize("kind", ["move", "dismiss", "restore"])
def test_what_the_gripper_holds_is_neither_moved_nor_dismissed(site, kind):
    site.conclude("grasp")
    assert site.edit(kind, pose=at(2, 2)) == []
    assert site.verdict is Verdict.ALREADY_DONE


def test_what_the_gripper_holds_can_be_relabelled(site):
    site.conclude("grasp")
    site.edit("relabel", label="bottle")
    assert (site.record().label, site.record().status) == ("bottle", Status.GRASPED)


def test_delivered_work_is_kept(site):
    site.conclude("grasp")
    site.conclude("deliver")
    assert site.edit("relabel", label="bottle") == []
    assert site.verdict is Verdict.ALREADY_DONE


@pytest.mark.parametrize("method", [name for name in METHODS if name != "attention"])
def test_methods_without_lasting_records_refuse_edits(method):
    log = Heard()
    memory = make_memory(method, mission(), field(), log=log)
    assert memory.edit(OperatorEdit("ada", EditKind.DISMISS, "e001"), 0.0) == []
    assert log.items[-1][2] is Verdict.SOURCE_NOT_USED


def test_an_edit_survives_being_written_down():
    edit = OperatorEdit("ada", EditKind.MOVE, "e001", pose=Pose2D(1.0, 2.0, 0.0), map_id="m")
    assert OperatorEdit.from_plain(edit.as_plain()) == edit
    assert str(edit) == "move e001 (1, 2)"


def test_a_denied_skill_says_nothing_against_the_object_but_leaves_it_alone(site):
    site.memory.conclude(
        SkillOutcome("grasp", "e001", "", False, FailureReason.DENIED, 4.0, at(1, 1))
    )
    assert site.memory.candidates(5.0) == 1
    assert (site.record().failures, site.record().supported) == (0, True)
    assert site.memory.candidates(30.0) == 2
