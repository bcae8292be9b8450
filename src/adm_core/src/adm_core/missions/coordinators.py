"""The coordinator that a search was asked for: built-in rule, a model, or a recording of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from adm_core.llm.config import LlmConfig
from adm_core.missions.endpoint import OnLine, connect, replayed
from adm_core.search.coordinators import (
    Context,
    Coordinator,
    HeuristicConfig,
    HeuristicCoordinator,
)
from adm_core.search.coordinators.llm import LlmCoordinator, LlmCoordinatorConfig, paper_settings
from adm_core.search.llm_task_parser import parse_task_with_llm
from adm_core.search.task_parser import ParsedTask, parse_task


@dataclass
class CoordinatorSetup(OnLine):
    """Everything that makes the coordinator of a search.

    Attributes
    ----------
    config : LlmCoordinatorConfig
        How a model is asked.
    """

    config: LlmCoordinatorConfig = LlmCoordinatorConfig()  # noqa: RUF009 - a frozen value

    def coordinator(
        self,
        weights: HeuristicConfig = HeuristicConfig(),  # noqa: B008 - a frozen value
        context: Context = Context(),  # noqa: B008 - a frozen value
    ) -> Coordinator:
        """Return the coordinator of one search; `weights` are those of the built-in rule."""
        rule = HeuristicCoordinator(weights, context)
        if self.line is None:
            return rule
        return LlmCoordinator(self.line.client, self.line.ledger, rule, self.config, context)

    def task(
        self, sentence: str, room_types: Iterable[str], object_kinds: Iterable[str] = ()
    ) -> ParsedTask:
        """Read a sentence with the model, if there is one, else with the built-in parser."""
        if self.line is None:
            return parse_task(sentence, room_types, object_kinds)
        return parse_task_with_llm(
            sentence, room_types, self.line.client, self.line.ledger, object_kinds
        )


def set_up_coordinator(
    llm: LlmConfig,
    coordination: LlmCoordinatorConfig,
    environment: Mapping[str, str],
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> CoordinatorSetup:
    """Make ready what `llm` asks for; a live endpoint is probed first.

    Parameters
    ----------
    llm, coordination : LlmConfig, LlmCoordinatorConfig
        Parameters, the paper's temperature and answer limit where they are not set; a replay
        takes those that shape requests from its recording.
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
        return CoordinatorSetup("policy")
    if llm.mode == "replay":
        coordination, line = replayed(llm, "coordination", LlmCoordinatorConfig)
    else:
        line = connect(paper_settings(llm), "coordination", coordination, environment, clock, sleep)
    return CoordinatorSetup(llm.mode, line, coordination)
