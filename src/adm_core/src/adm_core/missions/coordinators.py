"""The coordinator that a search was asked for: built-in rule, a model, or a recording of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from adm_core.llm.client import LlmClient
from adm_core.llm.config import LlmConfig
from adm_core.llm.ledger import Ledger
from adm_core.llm.recording import Recorder
from adm_core.missions.endpoint import connect, replayed
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
class CoordinatorSetup:
    """Everything that makes the coordinator of a search; close it to close the recording.

    Attributes
    ----------
    mode : str
        Active mode, as published.
    ledger : Ledger or None
        Calls so far; None where no model is asked.
    warning : str
        What the start-up probe found, if it was only to warn.
    """

    mode: str
    ledger: Ledger | None = None
    warning: str = ""
    _client: LlmClient | None = None
    _config: LlmCoordinatorConfig = field(default_factory=LlmCoordinatorConfig)
    _recorder: Recorder | None = None

    def __enter__(self) -> CoordinatorSetup:
        return self

    def __exit__(self, *_: object) -> None:
        if self._recorder:
            self._recorder.close()

    def coordinator(
        self,
        weights: HeuristicConfig = HeuristicConfig(),  # noqa: B008 - a frozen value
        context: Context = Context(),  # noqa: B008 - a frozen value
    ) -> Coordinator:
        """Return the coordinator of one search; `weights` are those of the built-in rule."""
        rule = HeuristicCoordinator(weights, context)
        if self._client is None or self.ledger is None:
            return rule
        return LlmCoordinator(self._client, self.ledger, rule, self._config, context)

    def task(
        self, sentence: str, room_types: Iterable[str], object_kinds: Iterable[str] = ()
    ) -> ParsedTask:
        """Read a sentence with the model, if there is one, else with the built-in parser."""
        if self._client is None or self.ledger is None:
            return parse_task(sentence, room_types, object_kinds)
        return parse_task_with_llm(sentence, room_types, self._client, self.ledger, object_kinds)


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
    return CoordinatorSetup(
        llm.mode, line.ledger, line.warning, line.client, coordination, line.recorder
    )
