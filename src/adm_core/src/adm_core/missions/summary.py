"""What a mission came to, in the form of ``summary.json``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from adm_core.missions.planners import PlannerSetup
from adm_core.missions.setup import MissionSetup
from adm_core.planning.executor import Executor
from adm_core.simulation.recycling import WorldFacts


@dataclass
class Summary:
    """Outcome and cost of one mission; what nobody could tell any more is None.

    Attributes
    ----------
    scenario, method, seed : str, str, int
        What was run; the scenario of a map mission is the map's name.
    containers, delivered : int
        How many there were, and how many are at their stations.
    steps, budget_steps : int
        Steps taken and allowed.
    planner_calls, context_units : int
        Planning calls, and their size by the proxy 48 + 18 n.
    replans : list of dict
        Each plan given up: step, reason, entity, field.
    stale_visits, ghost_visits : int
        PICKs where a container no longer was, or never had been.
    path_m : float
        Length of the robot's way in metres.
    decision_sha256 : str
        Digest of all exposed id lists and committed skills.
    wall_s : float
        Duration in seconds.
    ros : bool
        Whether ROS 2 nodes carried the mission out.
    processes : dict
        Node name to process id; empty without ROS.
    outcome : str
        completed, out_of_budget, interrupted, cancelled, held or failed with the reason.
    ros_overhead : dict
        Wall times with and without ROS, messages per step, whether decisions agree; empty
        without ROS.
    planner : str
        Planner mode.
    ledger : dict or None
        Calls, tokens, latency and verdicts of the model; None where none is asked.
    """

    scenario: str
    method: str
    seed: int
    containers: int
    delivered: int
    steps: int
    budget_steps: int
    planner_calls: int
    context_units: int | None
    replans: list[dict[str, object]]
    stale_visits: int | None
    ghost_visits: int | None
    path_m: float | None
    decision_sha256: str | None
    wall_s: float | None
    ros: bool = False
    processes: dict[str, int] = field(default_factory=dict)
    outcome: str = ""
    ros_overhead: dict[str, Any] = field(default_factory=dict)
    planner: str = "policy"
    ledger: dict[str, Any] | None = None

    @property
    def success(self) -> bool:
        """Whether every container is at its station."""
        return self.delivered == self.containers

    def more_lines(self) -> list[str]:
        """Return what else there is to tell people; nothing in a usual mission."""
        return []

    def as_dict(self) -> dict[str, object]:
        """Return the summary as plain data."""
        return asdict(self)


def summarize(
    setup: MissionSetup,
    executor: Executor,
    facts: WorldFacts,
    wall_s: float,
    planners: PlannerSetup | None = None,
    ended: str = "",
) -> Summary:
    """Return the summary of a mission that has ended in this process.

    `ended` says why, if it was neither the mission's own end nor a person's word.
    """
    return Summary(
        scenario=setup.name,
        method=setup.config.method,
        seed=setup.config.seed,
        containers=setup.mission.expected,
        delivered=facts.delivered,
        steps=executor.step,
        budget_steps=setup.mission.budget_steps,
        planner_calls=executor.tally.planner_calls,
        context_units=executor.tally.context_units,
        replans=[
            {"step": step, "reason": reason.word, "entity": reason.entity, "field": reason.field}
            for step, reason in executor.tally.replans
        ],
        stale_visits=sum(not visit.ghost for visit in facts.visits),
        ghost_visits=sum(visit.ghost for visit in facts.visits),
        path_m=round(executor.tally.path_m, 3),
        decision_sha256=executor.digest.hexdigest(),
        wall_s=round(wall_s, 4),
        outcome=ended or executor.ended or ("completed" if executor.complete else "out_of_budget"),
        planner=planners.mode if planners else "policy",
        ledger=planners.ledger.summary() if planners and planners.ledger else None,
    )
