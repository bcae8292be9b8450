"""The line to a language model: probed and recorded if it is live, or a recording of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from adm_core.config import Config, build
from adm_core.errors import ConfigError, LlmError
from adm_core.llm.client import LlmClient, live_client, recorded
from adm_core.llm.config import LlmConfig
from adm_core.llm.ledger import Ledger, load_prices
from adm_core.llm.probe import PROMPT, ProbeReport, probe
from adm_core.llm.recording import Recorder, RecordingExchange, Replay

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T", bound=Config)

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


@dataclass(frozen=True)
class Line:
    """A client and what goes with it.

    Attributes
    ----------
    client : LlmClient
    ledger : Ledger
        Calls so far.
    warning : str
        What the start-up probe found, if it was only to warn.
    recorder : Recorder or None
        Open recording; whoever made the line closes it.
    """

    client: LlmClient
    ledger: Ledger
    warning: str = ""
    recorder: Recorder | None = None


@dataclass
class OnLine:
    """What may ask a model; close it to close the recording.

    Attributes
    ----------
    mode : str
        Active mode, as published.
    line : Line or None
        None where no model is asked.
    """

    mode: str
    line: Line | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.line and self.line.recorder:
            self.line.recorder.close()

    @property
    def ledger(self) -> Ledger | None:
        """Calls so far; None where no model is asked."""
        return self.line.ledger if self.line else None

    @property
    def warning(self) -> str:
        """What the start-up probe found, if it was only to warn."""
        return self.line.warning if self.line else ""


def connect(
    llm: LlmConfig,
    name: str,
    config: Config,
    environment: Mapping[str, str],
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Line:
    """Open a line to a live endpoint; it is probed first.

    Parameters
    ----------
    llm : LlmConfig
        Of a mode that calls a model.
    name, config : str, Config
        What else shapes the requests; a recording keeps it under the name.
    environment : mapping
        Where the key may be.
    clock, sleep : callable
        Monotonic seconds and waiting, for deadline and retry.

    Raises
    ------
    LlmError
        If the SDK or the key is unusable, the recording cannot be written, or the endpoint
        does not obey a schema and the probe is required.
    """
    ledger = Ledger(llm.mode, llm.model, load_prices(llm.prices) if llm.prices else None)
    client = live_client(llm, environment, clock, sleep)
    warning = _probed(client, ledger) if llm.probe != "off" else ""
    if warning and llm.probe == "require":
        raise LlmError(f"{llm.model} in mode {llm.mode}: {warning}")
    recorder = Recorder(llm.record, _settings(llm, name, config)) if llm.record else None
    if recorder:
        client = recorded(client, lambda inner: RecordingExchange(inner, recorder))
    return Line(client, ledger, warning, recorder)


def replayed(llm: LlmConfig, name: str, cls: type[T]) -> tuple[T, Line]:
    """Return what a recording was made with under `name`, and the line that replays it.

    Raises
    ------
    LlmError
        If the recording cannot be read, or is one of something else.
    """
    recording = Replay(llm.replay)
    try:
        shape = dict(recording.settings["llm"])
        config = build(cls, recording.settings[name])
        as_recorded = build(LlmConfig, {**shape, "prices": llm.prices})
    except (KeyError, TypeError, ValueError, ConfigError) as err:
        raise LlmError(f"recording {llm.replay} has no usable settings: {err}") from err
    prices = load_prices(llm.prices) if llm.prices else None
    ledger = Ledger("replay", as_recorded.model, prices)
    return config, Line(LlmClient(as_recorded, recording), ledger)


def _settings(llm: LlmConfig, name: str, config: Config) -> dict[str, Any]:
    return {
        "llm": {key: getattr(llm, key) for key in _SHAPING},
        name: {item.name: getattr(config, item.name) for item in fields(config)},  # type: ignore[arg-type]
    }


def _probed(client: LlmClient, ledger: Ledger) -> str:
    report: ProbeReport = probe(client)
    failure = report.completion.failure
    verdict = failure.value if failure else "accepted"
    detail = report.completion.detail
    ledger.add(0, "probe", PROMPT, report.completion, verdict, detail, trigger="start-up")
    return "" if report.obeys else str(report)
