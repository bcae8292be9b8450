"""HTTP through the OpenAI SDK, with its retries off and a limit on time and size of our own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, Protocol

from adm_core.errors import LlmError
from adm_core.llm.body import RESPONSES
from adm_core.llm.config import LlmConfig
from adm_core.llm.exchange import Failure, Json, RawReply
from adm_core.llm.keys import Key

#: A plan is a few hundred bytes; whatever sends more than this is no planner.
MAX_REPLY_BYTES = 4 * 2**20


class TransportError(Exception):
    """No whole reply arrived; `failure` is TIMEOUT or CONNECTION."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure


class Transport(Protocol):
    """One HTTP request."""

    def send(self, route: str, body: Json, timeout_s: float) -> RawReply:
        """Return the reply, whatever its status; raise TransportError if none arrives whole."""


class SdkTransport:
    """Requests by the OpenAI SDK to the endpoint of `config`.

    Parameters
    ----------
    config : LlmConfig
        Address of the endpoint.
    key : Key
        What to authorise with.

    Raises
    ------
    LlmError
        If the SDK is not installed or refuses the address.
    """

    def __init__(self, config: LlmConfig, key: Key) -> None:
        self._sdk = import_sdk()
        self._key = key
        try:
            self._client = self._sdk.OpenAI(
                api_key=key.reveal(), base_url=config.base_url or None, max_retries=0
            )
        except Exception as err:  # the SDK raises many kinds for a bad address
            raise LlmError(f"base_url {config.base_url!r} cannot be used: {err}") from err

    def send(self, route: str, body: Json, timeout_s: float) -> RawReply:
        """Return the reply to one POST.

        The SDK's own timeout is per read, so a dripping endpoint could hold a call for ever:
        the read happens in a thread that is left behind, and told to stop, when time is up.
        """
        stop = threading.Event()
        answer: queue.SimpleQueue[RawReply | TransportError] = queue.SimpleQueue()
        worker = threading.Thread(
            target=lambda: answer.put(self._attempt(route, body, timeout_s, stop)), daemon=True
        )
        worker.start()
        try:
            result = answer.get(timeout=timeout_s)
        except queue.Empty:
            stop.set()
            raise TransportError(Failure.TIMEOUT, "no whole reply in time") from None
        if isinstance(result, TransportError):
            raise result
        return result

    def _attempt(
        self, route: str, body: Json, timeout_s: float, stop: threading.Event
    ) -> RawReply | TransportError:
        sdk = self._sdk
        try:
            with self._opener(route)(**body, timeout=timeout_s) as response:
                text = _read(response.iter_bytes(), stop)
                return self._reply(response.status_code, response.headers, text)
        except TransportError as err:
            return err
        except sdk.APIStatusError as err:
            return self._reply(err.response.status_code, err.response.headers, err.response.text)
        except sdk.APITimeoutError:
            return TransportError(Failure.TIMEOUT, "no reply in time")
        except Exception as err:  # the SDK lets errors of its HTTP library through while reading
            cause = err.__cause__ or err
            return TransportError(
                Failure.CONNECTION, self._key.redact(f"{type(cause).__name__}: {cause}"[:200])
            )

    def _opener(self, route: str) -> Callable[..., Any]:
        if route == RESPONSES:
            opener = self._client.responses.with_streaming_response.create
        else:
            opener = self._client.chat.completions.with_streaming_response.create
        return opener

    def _reply(self, status: int, headers: Any, text: str) -> RawReply:
        kept = {name.lower(): self._key.redact(value) for name, value in headers.items()}
        return RawReply(status, kept, self._key.redact(text))


def import_sdk() -> Any:
    """Return the module ``openai``, or raise LlmError with what to install."""
    try:
        import openai
    except ImportError as err:
        raise LlmError(
            "modes that call a model need the package 'openai': pip install openai"
        ) from err
    return openai


def _read(chunks: Any, stop: threading.Event) -> str:
    data = bytearray()
    for chunk in chunks:
        if stop.is_set():
            raise TransportError(Failure.TIMEOUT, "no whole reply in time")
        data += chunk
        if len(data) > MAX_REPLY_BYTES:
            raise TransportError(Failure.CONNECTION, f"reply beyond {MAX_REPLY_BYTES} bytes")
    return data.decode("utf-8", errors="replace")
