"""Parameters of a language model client."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.config import Config, param
from adm_core.errors import ConfigError

#: Modes that talk to an endpoint, from the strictest to the loosest contract.
LIVE_MODES = ("responses_strict", "chat_json_schema", "chat_json_object")
#: All planner modes, by the names used in options, messages and ledgers.
MODES = ("policy", *LIVE_MODES, "replay")

#: Models that refuse any temperature but 1 and take `max_completion_tokens`.
_REASONING_PREFIXES = ("gpt-5", "o1", "o3", "o4")


@dataclass(frozen=True)
class LlmConfig(Config):
    """How a language model is reached. No field holds a key: it is read when needed."""

    mode: str = param(
        "policy", "who plans: the built-in policy, a model, or a recording", choices=MODES
    )
    model: str = param("gpt-5-mini-2025-08-07", "model name as the endpoint knows it")
    base_url: str = param("", "root of the API, as http://127.0.0.1:8000/v1; empty: OpenAI")
    key_env: str = param("OPENAI_API_KEY", "environment variable with the API key")
    key_file: str = param("", "file with the API key; wins over the environment")
    deadline_s: float = param(
        25.0, "time for one planning call, retries and repair included", unit="s", min=0.1, max=600
    )
    attempts: int = param(3, "HTTP attempts of one request", min=1, max=10)
    max_output_tokens: int = param(
        2000, "limit of the answer, reasoning included", unit="tokens", min=16
    )
    effort: str = param("", "reasoning effort, as the endpoint names it; empty: not sent")
    verbosity: str = param("", "verbosity of the text; empty: not sent")
    temperature: float = param(-1.0, "sampling temperature; negative: not sent", max=2.0)
    sampling_seed: int = param(-1, "seed sent to chat endpoints; negative: not sent")
    record: str = param("", "file to record every exchange to")
    replay: str = param("", "recording to replay, in mode replay")
    prices: str = param("", "YAML of prices per million tokens: model: {input, cached, output}")
    probe: str = param(
        "require",
        "start-up check that the endpoint obeys a schema",
        choices=("require", "warn", "off"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reasoning_model and self.temperature >= 0 and self.temperature != 1:
            raise ConfigError(
                f"temperature must be 1 or negative (not sent) for {self.model}, "
                f"got {self.temperature}"
            )
        if "@" in self.base_url:
            raise ConfigError("base_url must not hold a user or password: use key_env or key_file")
        if self.mode == "replay" and not self.replay:
            raise ConfigError("replay must name a recording in mode replay")
        if self.replay and self.mode != "replay":
            raise ConfigError(f"replay needs mode replay, got {self.mode}")
        if self.record and self.mode not in LIVE_MODES:
            raise ConfigError(
                f"record needs a mode that calls a model ({', '.join(LIVE_MODES)}), got {self.mode}"
            )

    @property
    def live(self) -> bool:
        """Whether this mode talks to an endpoint."""
        return self.mode in LIVE_MODES

    @property
    def reasoning_model(self) -> bool:
        """Whether the model spends output tokens on reasoning and fixes its temperature."""
        return self.model.startswith(_REASONING_PREFIXES)
