"""A client: prompt in, value that obeys its schema or a failure with a code out."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adm_core.llm.body import request
from adm_core.llm.config import LlmConfig
from adm_core.llm.exchange import Completion, Exchange, Prompt, request_sha256
from adm_core.llm.keys import find_key
from adm_core.llm.recording import RecordingExchange
from adm_core.llm.replies import read
from adm_core.llm.retry import LiveExchange
from adm_core.llm.transport import SdkTransport


class LlmClient:
    """Complete prompts in one mode through one exchange.

    Parameters
    ----------
    config : LlmConfig
        Shape of the requests; a mode that calls a model.
    exchange : Exchange
        Live, recorded or replayed.
    """

    def __init__(self, config: LlmConfig, exchange: Exchange) -> None:
        if not config.live:
            raise ValueError(f"config must have a mode that calls a model, got {config.mode}")
        self.config = config
        self._exchange = exchange

    def complete(self, prompt: Prompt, budget_s: float) -> Completion:
        """Return the answer to `prompt`; whatever the endpoint does, within `budget_s`.

        Raises
        ------
        LlmError
            In a replay, if the request was not recorded.
        """
        route, body = request(prompt, self.config)
        outcome = self._exchange(route, body, budget_s)
        reading = read(outcome, route, prompt.schema)
        return Completion(
            reading.value,
            reading.failure,
            reading.detail,
            reading.usage,
            outcome.latency_s,
            outcome.attempts,
            reading.request_id,
            request_sha256(route, body),
        )


def live_client(
    config: LlmConfig,
    environment: Mapping[str, str],
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> LlmClient:
    """Return a client of the endpoint of `config`.

    Raises
    ------
    LlmError
        If the SDK or the key is missing.
    """
    transport = SdkTransport(config, find_key(config, environment))
    return LlmClient(config, LiveExchange(transport, config.attempts, clock, sleep))


def recorded(client: LlmClient, recorder: Callable[[Exchange], RecordingExchange]) -> LlmClient:
    """Return `client` with every exchange recorded."""
    return LlmClient(client.config, recorder(client._exchange))
