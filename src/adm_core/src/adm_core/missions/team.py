"""A joint mission: robots search a building, a manipulator collects while they do."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

from adm_core.memory.audit import AuditLog
from adm_core.missions.planners import PlannerSetup
from adm_core.missions.profile import Profile
from adm_core.missions.recycling import LocalMission, LocalWorld, oracle_steps
from adm_core.missions.setup import BUDGET_FACTOR, MissionConfig
from adm_core.missions.spec import NOTHING_ELSE, MissionSpec
from adm_core.missions.summary import Summary, summarize
from adm_core.missions.team_config import TeamConfig
from adm_core.missions.team_setup import TeamSetup, make_team_setup
from adm_core.missions.team_world import TeamFacts


@dataclass
class TeamSummary(Summary):
    """Outcome and cost of a joint mission.

    Attributes
    ----------
    searchers, search_method : int, str
        Who searched.
    searched_share : float
        Share of the reachable floor that the first sweep has seen.
    searched_at : int or None
        Step at which it ended.
    sweeps : int
        Sweeps that were finished.
    first_seen : list of int or None
        Step at which each container was reported first.
    in_turn_steps : int
        Steps of a team that would search first and then collect with full knowledge; 0 if they
        were not measured.
    """

    searchers: int = 0
    search_method: str = ""
    searched_share: float = 0.0
    searched_at: int | None = None
    sweeps: int = 0
    first_seen: list[int | None] = field(default_factory=list)
    in_turn_steps: int = 0

    def more_lines(self) -> list[str]:
        """Return the searchers' half for people."""
        reported = sum(step is not None for step in self.first_seen)
        if self.searched_at is None:
            swept = f"had seen {self.searched_share:.0%} of the floor"
        else:
            swept = f"had seen the floor at step {self.searched_at}, swept it {self.sweeps} x"
        in_turn = f" ({self.in_turn_steps} steps in turn)" if self.in_turn_steps else ""
        return [
            f"  searchers      {self.searchers} by {self.search_method} {swept}{in_turn}",
            f"  reported       {reported} of {self.containers}",
        ]


def prepare_team(
    config: MissionConfig,
    team: TeamConfig,
    profile: Profile | None = None,
    spec: MissionSpec = NOTHING_ELSE,
) -> TeamSetup:
    """Build a joint mission; where it has no budget, measure one.

    The measure is a team that works in turn: it sweeps the building once, and then the
    manipulator, which knows everything, collects. 1.5 times its steps are the budget.

    Parameters and errors are those of :func:`~adm_core.missions.team_setup.make_team_setup`.
    """
    ready = make_team_setup(config, team, profile, spec)
    if team.team_budget:
        return ready
    scouts, searched = ready.scouts(), 0
    while scouts.searched_at is None:
        scouts.advance(searched)
        searched += 1
    in_turn = searched + oracle_steps(ready.told())
    return ready.with_budget(math.ceil(BUDGET_FACTOR * in_turn), in_turn)


def team_mission(
    team: TeamSetup, audit: AuditLog | None = None, planners: PlannerSetup | None = None
) -> LocalMission:
    """Return the mission of a team, ready to run; a journal in `audit` is resumed.

    Its memory, planner and executor are those of any mission; only the world is another, and
    the terrain that they all measure ways on is what the team knows by then.
    """
    return LocalMission(team.setup, audit, world=LocalWorld(team), planners=planners)


def summarize_team(
    team: TeamSetup,
    mission: LocalMission,
    wall_s: float,
    planners: PlannerSetup | None = None,
    ended: str = "",
) -> TeamSummary:
    """Return the summary of a joint mission that has ended; `ended` says why, if early."""
    facts = mission.world.facts()
    assert isinstance(facts, TeamFacts)
    base = summarize(team.setup, mission.executor, facts, wall_s, planners, ended)
    return TeamSummary(
        **{item.name: getattr(base, item.name) for item in fields(base)},
        searchers=len(team.building.starts),
        search_method=team.team.search_method,
        searched_share=round(facts.share, 4),
        searched_at=facts.searched_at,
        sweeps=facts.sweeps,
        first_seen=list(facts.first_seen),
        in_turn_steps=team.in_turn_steps,
    )
