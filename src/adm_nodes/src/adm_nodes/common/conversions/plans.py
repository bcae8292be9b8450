"""Plans, actions and their outcomes, progress of a mission."""

from __future__ import annotations

from adm_core.memory.method import Focus
from adm_core.memory.records import FailureReason, SkillOutcome
from adm_core.planning.plan import Step
from adm_core.planning.ports import WorldReport
from adm_core.planning.progress import Reason, Snapshot, Tally

import adm_interfaces.msg as msgs
from adm_nodes.common.conversions.memory import exposed_from_msg, exposed_to_msg
from adm_nodes.common.conversions.places import pose_from_msg, pose_to_msg


def focus_to_msg(focus: Focus) -> msgs.Focus:
    """Return what the robot is about."""
    return msgs.Focus(
        robot=pose_to_msg(focus.robot),
        entity_id=focus.entity_id,
        held_id=focus.held_id,
        station_id=focus.station_id,
    )


def focus_from_msg(msg: msgs.Focus) -> Focus:
    """Return what the robot is about."""
    return Focus(pose_from_msg(msg.robot), msg.entity_id, msg.held_id, msg.station_id)


def outcome_to_msg(outcome: SkillOutcome) -> msgs.SkillOutcome:
    """Return what became of a skill."""
    return msgs.SkillOutcome(
        skill=outcome.skill,
        target_id=outcome.target_id,
        station_id=outcome.station_id,
        success=outcome.success,
        reason=outcome.reason.value,
        stamp=outcome.stamp,
        pose=pose_to_msg(outcome.pose),
    )


def outcome_from_msg(msg: msgs.SkillOutcome) -> SkillOutcome:
    """Return what became of a skill."""
    return SkillOutcome(
        msg.skill,
        msg.target_id,
        msg.station_id,
        msg.success,
        FailureReason(msg.reason),
        msg.stamp,
        pose_from_msg(msg.pose),
    )


def report_to_msg(report: WorldReport) -> msgs.WorldReport:
    """Return what the robot knows after an action."""
    return msgs.WorldReport(
        step=report.step,
        robot=pose_to_msg(report.robot),
        success=report.success,
        reason=report.reason.value,
        moved_m=report.moved_m,
        evidence_seq=report.evidence_seq,
    )


def report_from_msg(msg: msgs.WorldReport) -> WorldReport:
    """Return what the robot knows after an action."""
    return WorldReport(
        msg.step,
        pose_from_msg(msg.robot),
        msg.success,
        FailureReason(msg.reason),
        msg.moved_m,
        msg.evidence_seq,
    )


def step_to_msg(step: Step) -> msgs.PlanStep:
    """Return a skill call."""
    return msgs.PlanStep(skill=step.skill, target_id=step.target_id, station_id=step.station_id)


def step_from_msg(msg: msgs.PlanStep) -> Step:
    """Return a skill call."""
    return Step(msg.skill, msg.target_id, msg.station_id)


def reason_to_msg(reason: Reason) -> msgs.Reason:
    """Return why a planning call was made."""
    return msgs.Reason(
        word=reason.word,
        entity=reason.entity,
        field=reason.field,
        old_value=reason.old,
        new_value=reason.new,
    )


def reason_from_msg(msg: msgs.Reason) -> Reason:
    """Return why a planning call was made."""
    return Reason(msg.word, msg.entity, msg.field, msg.old_value, msg.new_value)


def snapshot_to_msg(snapshot: Snapshot, replans: int = 0, held: str = "") -> msgs.MissionStatus:
    """Return the state after a step, with the plans given up so far and why it is held."""
    return msgs.MissionStatus(
        step=snapshot.step,
        delivered=snapshot.delivered,
        planner_calls=snapshot.planner_calls,
        robot=pose_to_msg(snapshot.robot),
        held_id=snapshot.held_id,
        activity=snapshot.activity,
        exposed=[exposed_to_msg(item) for item in snapshot.exposed],
        planned=[step_to_msg(item) for item in snapshot.planned],
        plan=[step_to_msg(item) for item in snapshot.plan],
        replans=replans,
        held=held,
        reason=reason_to_msg(snapshot.reason),
    )


def snapshot_from_msg(msg: msgs.MissionStatus) -> Snapshot:
    """Return the state after a step."""
    return Snapshot(
        step=msg.step,
        delivered=msg.delivered,
        planner_calls=msg.planner_calls,
        robot=pose_from_msg(msg.robot),
        held_id=msg.held_id,
        activity=msg.activity,
        exposed=tuple(exposed_from_msg(item) for item in msg.exposed),
        planned=tuple(step_from_msg(item) for item in msg.planned),
        plan=tuple(step_from_msg(item) for item in msg.plan),
        reason=reason_from_msg(msg.reason),
    )


def result_to_msg(
    tally: Tally, digest: str, step: int, outcome: str, detail: str, wall_s: float
) -> msgs.MissionResult:
    """Return how a mission ended and what it cost, as its executor knows."""
    return msgs.MissionResult(
        outcome=outcome,
        detail=detail,
        steps=step,
        delivered=len(tally.delivered),
        planner_calls=tally.planner_calls,
        context_units=tally.context_units,
        replans=[
            msgs.Replan(step=at, reason=reason_to_msg(reason)) for at, reason in tally.replans
        ],
        path_m=tally.path_m,
        decision_sha256=digest,
        wall_s=wall_s,
    )
