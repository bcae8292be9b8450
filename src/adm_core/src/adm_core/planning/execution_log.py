"""The executor's decisions, written to the audit log."""

from __future__ import annotations

from adm_core.memory.audit import AuditLog
from adm_core.planning.plan import Step
from adm_core.planning.ports import PlanReply
from adm_core.planning.progress import Reason
from adm_core.types import Pose2D


class AuditedExecution:
    """ExecutionLog that writes to an :class:`AuditLog`.

    Parameters
    ----------
    audit : AuditLog
        Where to write.
    commit : bool
        Whether to commit with every entry; not needed where a journal commits before each
        dispatch.
    """

    def __init__(self, audit: AuditLog, commit: bool = True) -> None:
        self._audit = audit
        self._commit = audit.commit if commit else lambda: None

    def planning(self, step: int, call: int, reason: Reason, reply: PlanReply) -> None:
        """Note a planning call and its answer."""
        self._audit.planning(
            step,
            call,
            (reason.word, reason.entity, reason.field, reason.old, reason.new),
            [(item.id, item.score) for item in reply.exposure.records],
            map(str, reply.steps),
            reply.context_units,
            reply.planner,
            reply.refusals,
        )
        self._commit()

    def skill(self, step: int, action: Step, event: str, reason: str) -> None:
        """Note that a skill was committed, preempted or ended."""
        self._audit.skill(step, action.skill, action.target_id, action.station_id, event, reason)
        self._commit()

    def pose(self, step: int, robot: Pose2D, held_id: str) -> None:
        """Note where the robot is."""
        self._audit.pose(step, robot, held_id)
        self._commit()
