"""The planner that a mission was asked for: policy, a model, or a recording of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from adm_core.grid.terrain import Terrain
from adm_core.llm.config import LlmConfig
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.static import Mission
from adm_core.missions.endpoint import OnLine, connect, replayed
from adm_core.planning.llm_planner import LlmPlanner, LlmPlannerConfig
from adm_core.planning.planner import Planner


@dataclass
class PlannerSetup(OnLine):
    """Everything that makes the planner of a mission.

    Attributes
    ----------
    config : LlmPlannerConfig
        How a model is asked.
    """

    config: LlmPlannerConfig = LlmPlannerConfig()  # noqa: RUF009 - a frozen value

    def planner(
        self, mission: Mission, terrain: Terrain, attention: AttentionConfig | None = None
    ) -> Planner:
        """Return the planner of one mission; `attention` tells it how well records are backed."""
        if self.line is None:
            return Planner(mission, terrain, attention=attention)
        return LlmPlanner(
            mission, terrain, self.line.client, self.config, self.line.ledger, self.mode, attention
        )


def set_up_planner(
    llm: LlmConfig,
    planning: LlmPlannerConfig,
    environment: Mapping[str, str],
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> PlannerSetup:
    """Make ready what `llm` asks for; a live endpoint is probed first.

    Parameters
    ----------
    llm, planning : LlmConfig, LlmPlannerConfig
        Parameters; a replay takes those that shape requests from its recording.
    environment : mapping
        Where the key may be.
    clock, sleep : callable
        Monotonic seconds and waiting, for deadline and retry.

    Raises
    ------
    LlmError
        If the SDK, the key or the recording is unusable, or the endpoint does not obey a
        schema and the probe is required.
    """
    if llm.mode == "policy":
        return PlannerSetup("policy")
    if llm.mode == "replay":
        planning, line = replayed(llm, "planning", LlmPlannerConfig)
    else:
        line = connect(llm, "planning", planning, environment, clock, sleep)
    return PlannerSetup(llm.mode, line, planning)
