"""The planner that a mission was asked for: policy, a model, or a recording of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from adm_core.config import build
from adm_core.errors import ConfigError, LlmError
from adm_core.grid.terrain import Terrain
from adm_core.llm.client import LlmClient, live_client, recorded
from adm_core.llm.config import LlmConfig
from adm_core.llm.ledger import Ledger, load_prices
from adm_core.llm.probe import PROMPT, ProbeReport, probe
from adm_core.llm.recording import Recorder, RecordingExchange, Replay
from adm_core.memory.static import Mission
from adm_core.planning.llm_planner import LlmPlanner, LlmPlannerConfig
from adm_core.planning.planner import Planner

#: Fields of LlmConfig that shape requests: all that a replay must have as the recording had.
_SHAPING = (
    "mode",
    "model",
    "deadline_s",
    "max_output_tokens",
    "effort",
    "verbosity",
    "temperature",
    "sampling_seed",
)


@dataclass
class PlannerSetup:
    """Everything that makes the planner of a mission; close it to close the recording.

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
    _config: LlmPlannerConfig = field(default_factory=LlmPlannerConfig)
    _recorder: Recorder | None = None

    def __enter__(self) -> PlannerSetup:
        return self

    def __exit__(self, *_: object) -> None:
        if self._recorder:
            self._recorder.close()

    def planner(self, mission: Mission, terrain: Terrain) -> Planner:
        """Return the planner of one mission."""
        if self._client is None or self.ledger is None:
            return Planner(mission, terrain)
        return LlmPlanner(mission, terrain, self._client, self._config, self.ledger, self.mode)


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
        return _replay(llm)
    ledger = Ledger(llm.mode, llm.model, load_prices(llm.prices) if llm.prices else None)
    client = live_client(llm, environment, clock, sleep)
    warning = _probed(client, ledger) if llm.probe != "off" else ""
    if warning and llm.probe == "require":
        raise LlmError(f"{llm.model} in mode {llm.mode}: {warning}")
    recorder = Recorder(llm.record, _settings(llm, planning)) if llm.record else None
    if recorder:
        client = recorded(client, lambda inner: RecordingExchange(inner, recorder))
    return PlannerSetup(llm.mode, ledger, warning, client, planning, recorder)


def _replay(llm: LlmConfig) -> PlannerSetup:
    recording = Replay(llm.replay)
    try:
        shape = dict(recording.settings["llm"])
        planning = build(LlmPlannerConfig, recording.settings["planning"])
        config = build(LlmConfig, {**shape, "prices": llm.prices})
    except (KeyError, TypeError, ValueError, ConfigError) as err:
        raise LlmError(f"recording {llm.replay} has no usable settings: {err}") from err
    prices = load_prices(llm.prices) if llm.prices else None
    ledger = Ledger("replay", config.model, prices)
    return PlannerSetup("replay", ledger, "", LlmClient(config, recording), planning)


def _settings(llm: LlmConfig, planning: LlmPlannerConfig) -> dict[str, Any]:
    return {
        "llm": {name: getattr(llm, name) for name in _SHAPING},
        "planning": {item.name: getattr(planning, item.name) for item in fields(planning)},
    }


def _probed(client: LlmClient, ledger: Ledger) -> str:
    report: ProbeReport = probe(client)
    failure = report.completion.failure
    verdict = failure.value if failure else "accepted"
    detail = report.completion.detail
    ledger.add(0, "probe", PROMPT, report.completion, verdict, detail, trigger="start-up")
    return "" if report.obeys else str(report)
