"""Properties of the memory that hold whatever is reported, in whatever order."""

from dataclasses import replace

import numpy as np
import pytest
from adm_core.memory.attention import AttentionConfig, top_k
from adm_core.memory.dynamic import DynamicMemory, MemoryConfig
from adm_core.memory.evidence import replaces
from adm_core.memory.footprint import WHOLE_FIELD
from adm_core.memory.method import Focus
from adm_core.memory.records import (
    OPEN,
    Detection,
    EvidenceBatch,
    FailureReason,
    SkillOutcome,
    Source,
    Status,
)
from adm_core.planning.plan import Step, dependencies, triggering_change
from adm_core.types import Pose2D
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sizes import examples
from worlds import at, field, mission

TERRAIN = field(6)
CONFIGS = [
    MemoryConfig(),
    MemoryConfig(confirm=2, misses=2, pin_target=True),
    MemoryConfig(association="gated", misses=3, confirm=2),
    MemoryConfig(misses=2, notice_moves=True),
]
property_test = settings(max_examples=examples("memory"), deadline=None)

unit = st.floats(0.0, 1.0)
times = st.integers(0, 40).map(float)
cells = st.tuples(st.integers(0, 5), st.integers(0, 5))
labels = st.sampled_from(["can", "bottle"])
sources = st.sampled_from([Source.REMOTE, Source.ONBOARD, Source.STATIC_PRIOR, Source.OPERATOR])
detections = st.builds(lambda label, cell, q: Detection(label, at(*cell), q), labels, cells, unit)
batches = st.builds(
    lambda source, stamp, seen, looked: EvidenceBatch(
        1, source, "test", stamp, tuple(seen), footprint=WHOLE_FIELD if looked else None
    ),
    sources,
    times,
    st.lists(detections, max_size=5),
    st.booleans(),
)
outcomes = st.builds(
    lambda skill, index, ok, reason: (skill, index, ok, reason),
    st.sampled_from(["grasp", "deliver", "navigate"]),
    st.integers(1, 8),
    st.booleans(),
    st.sampled_from([FailureReason.ABSENT, FailureReason.SLIPPED, FailureReason.UNREACHABLE]),
)
histories = st.lists(st.one_of(batches, outcomes), max_size=25)
configs = st.sampled_from(CONFIGS)


def memory(config=CONFIGS[0], attention=None):
    return DynamicMemory(mission(), TERRAIN, config, attention)


def live(made, history):
    """Feed reports and outcomes at one event a second; return the time after the last."""
    now = 40.0
    for event in history:
        now += 1.0
        if isinstance(event, EvidenceBatch):
            made.observe(event, now)
        else:
            skill, index, ok, reason = event
            why = FailureReason.NONE if ok else reason
            made.conclude(SkillOutcome(skill, f"e{index:03d}", "", ok, why, now, at(0, 0)))
    return now


def report(*seen, stamp, source=Source.REMOTE):
    return EvidenceBatch(1, source, "test", stamp, tuple(seen))


def score(weight, q, stamp, metres, now=50.0, **form):
    arrays = [np.array([value]) for value in (weight, q, stamp, metres)]
    return top_k(*arrays, now=now, config=AttentionConfig(**form)).scores[0]


forms = st.fixed_dictionaries(
    {
        "decay": st.sampled_from(["exp", "half_life", "linear"]),
        "distance": st.sampled_from(["rational", "exp"]),
        "combine": st.sampled_from(["product", "sum"]),
    }
)


@property_test
@given(unit, unit, st.tuples(times, times), st.floats(0, 30), forms)
def test_the_score_falls_with_age(w, q, stamps, distance, form):
    older, newer = sorted(stamps)
    assert score(w, q, older, distance, **form) <= score(w, q, newer, distance, **form)


@property_test
@given(unit, unit, times, st.tuples(st.floats(0, 30), st.floats(0, 30)), forms)
def test_the_score_falls_with_distance(w, q, stamp, distances, form):
    near, far = sorted(distances)
    assert score(w, q, stamp, far, **form) <= score(w, q, stamp, near, **form)


@property_test
@given(st.tuples(unit, unit), unit, times, st.floats(0, 30), forms)
def test_the_score_rises_with_weight_and_confidence(pair, other, stamp, distance, form):
    low, high = sorted(pair)
    for a, b in (((low, other), (high, other)), ((other, low), (other, high))):
        assert score(*a, stamp, distance, **form) <= score(*b, stamp, distance, **form)


@property_test
@given(histories, configs, st.integers(1, 4))
def test_at_most_k_are_exposed_and_none_that_is_terminal_or_unsupported(history, config, k):
    made = memory(config, AttentionConfig(k=k))
    now = live(made, history)
    known = {item.id: item for item in made.records()}
    shown = made.expose(now, Focus(at(2, 2))).records
    assert len(shown) <= k
    for item in shown:
        record = known[item.id]
        assert record.status in OPEN and record.supported and not record.tentative


@property_test
@given(histories, configs)
def test_reading_changes_nothing(history, config):
    made = memory(config)
    now = live(made, history)
    before = made.records()
    for later in (now, now + 100.0):
        made.expose(later, Focus(at(3, 3), "e001"))
        made.candidates(later)
    assert made.records() == before


def facts(made):
    """Return what is believed, ids left out, poses to the tolerance."""
    return sorted(
        (item.label, *TERRAIN.cell(item.pose), item.confidence, item.stamp, item.source.value)
        for item in made.records()
    )


@property_test
@given(histories, times, st.lists(st.tuples(detections, sources), min_size=2, max_size=6))
def test_simultaneous_reports_commute(history, stamp, seen):
    one, other = memory(), memory()
    now = live(one, history)
    live(other, history)
    for item, source in seen:
        one.observe(report(item, stamp=stamp, source=source), now)
    for item, source in reversed(seen):
        other.observe(report(item, stamp=stamp, source=source), now)
    assert facts(one) == facts(other)


@property_test
@given(histories, times, st.lists(detections, min_size=1, max_size=6), sources)
def test_one_batch_and_single_updates_give_the_same(history, stamp, seen, source):
    together, single = memory(), memory()
    now = live(together, history)
    live(single, history)
    together.observe(report(*seen, stamp=stamp, source=source), now)
    for item in seen:
        single.observe(report(item, stamp=stamp, source=source), now)
    assert together.records() == single.records()


@property_test
@given(histories, configs, st.tuples(st.integers(0, 5), st.integers(0, 5)))
def test_what_is_kept_beside_the_records_agrees_with_them(history, config, cell):
    """Tables for fast look-up: entities by place, by neighbourhood, and those still backed."""
    made = memory(config)
    live(made, history)
    backed = [item for item in made.records() if item.supported and item.status in OPEN]
    assert made._backed() == backed
    if config.association == "gated":
        near = {item.id for item in backed if item.label == "can" and item.pose == at(*cell)}
        assert near <= set(made._nearby.around("can", at(*cell))) <= {item.id for item in backed}


@property_test
@given(histories, batches, configs)
def test_a_duplicate_report_is_idempotent(history, batch, config):
    once, twice = memory(config), memory(config)
    now = live(once, history)
    live(twice, history)
    once.observe(batch, now)
    twice.observe(batch, now)
    twice.observe(batch, now)
    assert once.records() == twice.records()


@property_test
@given(detections, detections, times, times, sources, sources)
def test_a_late_report_cannot_overwrite_a_fresher_stronger_one(a, b, late, fresh, s1, s2):
    assume(late <= fresh)
    made = memory()
    weak = replace(b, label=a.label, pose=a.pose)
    made.observe(report(a, stamp=fresh, source=s1), 41.0)
    assume(made.records())
    (before,) = made.records()
    newcomer = replace(before, confidence=weak.confidence, stamp=late, source=s2)
    assume(made.support(newcomer, 41.0) < made.support(before, 41.0))
    assert not replaces(newcomer, before, 41.0, made.attention)
    made.observe(report(weak, stamp=late, source=s2), 41.0)
    assert made.records() == [before]


@property_test
@given(histories, batches, configs)
def test_perception_never_changes_a_status_nor_moves_what_is_held_or_delivered(
    history, batch, config
):
    made = memory(config)
    now = live(made, history)
    before = {item.id: item for item in made.records()}
    made.observe(batch, now)
    for item in made.records():
        if item.id in before:
            old = before[item.id]
            assert item.status is old.status and item.label == old.label
            if item.status in (Status.GRASPED, Status.DELIVERED):
                assert item == old
        else:
            assert item.status is Status.OBSERVED


PLAN = (
    Step("navigate", "e001"),
    Step("approach", "e001"),
    Step("grasp", "e001"),
    Step("navigate", station_id="station_A"),
    Step("deliver", "e001", "station_A"),
)
jitter = st.tuples(st.floats(-0.07, 0.07), st.floats(-0.07, 0.07))


@property_test
@given(jitter, st.floats(0.55, 1.0), st.integers(0, 10).map(float))
def test_jitter_below_the_tolerance_keeps_the_pose_and_never_replans(shift, q, stamp):
    made = memory()
    made.observe(report(Detection("can", at(2, 3), 0.6), stamp=0.0), 0.0)
    pose = made.records()[0].pose
    near = Pose2D(pose.x + shift[0], pose.y + shift[1], 0.3)
    changes = made.observe(report(Detection("can", near, q), stamp=stamp), 10.0)
    assert made.records()[0].pose is pose
    assert triggering_change(changes, PLAN) is None


@pytest.mark.parametrize("shift", [0.11, 0.3])
def test_a_move_beyond_the_tolerance_is_a_changed_field_of_the_plan(shift):
    made = memory()
    made.observe(report(Detection("can", at(2, 3), 0.6), stamp=0.0), 0.0)
    moved = Pose2D(3.5 + shift, 2.5)
    changes = made.observe(report(Detection("can", moved, 0.9), stamp=5.0), 5.0)
    assert made.records()[0].pose == moved
    assert triggering_change(changes, PLAN).field == "pose"


@property_test
@given(histories, batches)
def test_an_unrelated_entity_never_replans(history, batch):
    made = memory()
    made.observe(report(Detection("can", at(2, 3), 0.9), stamp=0.0), 0.0)
    now = live(made, [event for event in history if isinstance(event, EvidenceBatch)])
    others = tuple(item for item in batch.detections if item.pose != at(2, 3))
    changes = made.observe(replace(batch, detections=others, footprint=None), now)
    assert triggering_change(changes, PLAN) is None


@pytest.mark.parametrize("skill", ["navigate", "approach", "grasp", "deliver"])
def test_a_successful_skill_alone_never_replans(skill):
    made = memory()
    made.observe(report(Detection("can", at(2, 3), 0.9), stamp=0.0), 0.0)
    made.attend(Focus(at(0, 0), "e001"), 0.0)
    done = [step.skill for step in PLAN].index(skill)
    if skill == "deliver":
        done = len(PLAN) - 1
        made.conclude(SkillOutcome("grasp", "e001", "", True, FailureReason.NONE, 1.0, at(2, 3)))
    outcome = SkillOutcome(skill, "e001", "", True, FailureReason.NONE, 2.0, at(2, 3))
    status = {"grasp": Status.GRASPED, "deliver": Status.DELIVERED}.get(skill)
    predicted = frozenset({("e001", "status", status.value)}) if status else frozenset()
    changes = made.conclude(outcome)
    assert triggering_change(changes, PLAN[done + 1 :], predicted) is None


def test_a_plan_reads_neither_time_nor_source_nor_raw_confidence():
    assert {name for _, name in dependencies(PLAN)}.isdisjoint({"stamp", "source", "confidence"})


@property_test
@given(st.integers(5, 30).map(float), st.lists(batches, max_size=10))
def test_a_refuted_record_stays_hidden_until_newer_evidence(refuted, later):
    made = memory()
    made.observe(report(Detection("can", at(2, 3), 0.9), stamp=0.0), 0.0)
    absent = SkillOutcome("grasp", "e001", "", False, FailureReason.ABSENT, refuted, at(2, 3))
    made.conclude(absent)
    for batch in later:
        made.observe(batch, 50.0)
    record = made.records()[0]
    shown = {item.id for item in made.expose(50.0, Focus(at(0, 0))).records}
    assert record.supported == (record.stamp > refuted)
    if record.stamp <= refuted:
        assert "e001" not in shown


@property_test
@given(histories, histories, configs)
def test_after_a_new_map_only_what_was_seen_since_is_exposed(before, after, config):
    made = memory(config)
    now = live(made, before)
    made.begin_map("another", now)
    assert made.expose(now, Focus(at(0, 0))).records == ()
    statuses = {record.id: record.status for record in made.records()}
    seen_since = set()
    for event in after:
        now += 1.0
        if isinstance(event, EvidenceBatch):
            fresh = replace(event, stamp=now)
            made.observe(fresh, now)
            seen_since |= {record.id for record in made.records() if record.stamp == now}
        shown = {item.id for item in made.expose(now, Focus(at(0, 0))).records}
        assert shown <= seen_since
    assert all(
        record.status is statuses[record.id] for record in made.records() if record.id in statuses
    )
    assert all(record.map_id == "another" for record in made.records() if record.id in seen_since)
