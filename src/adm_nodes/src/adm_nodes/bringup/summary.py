"""Summary of a mission on nodes: the executor's costs, the world's truth, the price of ROS."""

from __future__ import annotations

from adm_core.missions.setup import MissionSetup
from adm_core.missions.summary import Summary

import adm_interfaces.msg as msgs
from adm_nodes.bringup.overhead import overhead
from adm_nodes.bringup.session import Session


def summarize(setup: MissionSetup, session: Session, interrupted: bool) -> Summary:
    """Return the summary of a session that has ended, well or not."""
    result = session.result or _result_so_far(session)
    outcome = _outcome(session, interrupted)
    facts = session.facts
    return Summary(
        scenario=setup.name,
        method=setup.config.method,
        seed=setup.config.seed,
        containers=setup.mission.expected,
        delivered=facts.delivered if facts else result.delivered,
        steps=result.steps,
        budget_steps=setup.mission.budget_steps,
        planner_calls=result.planner_calls,
        context_units=result.context_units if session.result else None,
        replans=[
            {
                "step": item.step,
                "reason": item.reason.word,
                "entity": item.reason.entity,
                "field": item.reason.field,
            }
            for item in result.replans
        ],
        stale_visits=sum(not item.ghost for item in facts.visits) if facts else None,
        ghost_visits=sum(item.ghost for item in facts.visits) if facts else None,
        path_m=round(result.path_m, 3) if session.result else None,
        decision_sha256=result.decision_sha256 if session.result else None,
        wall_s=round(result.wall_s, 4) if session.result else None,
        ros=True,
        processes=dict(session.pids),
        outcome=outcome,
    )


def before_the_first_step(setup: MissionSetup) -> Summary:
    """Return the summary of a mission that was interrupted while its nodes were being started."""
    return Summary(
        scenario=setup.name,
        method=setup.config.method,
        seed=setup.config.seed,
        containers=setup.mission.expected,
        delivered=0,
        steps=0,
        budget_steps=setup.mission.budget_steps,
        planner_calls=0,
        context_units=0,
        replans=[],
        stale_visits=0,
        ghost_visits=0,
        path_m=0.0,
        decision_sha256=None,
        wall_s=None,
        ros=True,
        outcome="interrupted",
    )


def price_of_ros(
    setup: MissionSetup, session: Session, summary: Summary, pace_s: float
) -> dict[str, object]:
    """Return what ROS cost, by running the mission again without it.

    `pace_s` is the pause that was made after each step: no cost of ROS.
    """
    result = session.result
    assert result is not None  # only a mission that came to its end is compared
    return overhead(
        setup,
        result.wall_s - pace_s * summary.steps,
        result.decision_sha256,
        summary.steps,
        sum(item.messages_sent for item in session.statuses.values()),
    )


def _outcome(session: Session, interrupted: bool) -> str:
    if interrupted:
        return "interrupted"
    if session.failure:
        return f"failed: {session.failure}"
    assert session.result is not None
    detail = session.result.detail
    return f"{session.result.outcome}: {detail}" if detail else session.result.outcome


def _result_so_far(session: Session) -> msgs.MissionResult:
    """Return what was last seen of a mission whose executor could not report."""
    last = session.last
    if last is None:
        return msgs.MissionResult()
    return msgs.MissionResult(
        steps=last.step, delivered=last.delivered, planner_calls=last.planner_calls
    )
