"""What goes to a model and what comes back: prompts, raw replies, completions, failures."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Protocol

Json = dict[str, Any]


class Failure(str, Enum):
    """Why a call gave no usable value, in the order in which replies are checked."""

    TIMEOUT = "timeout"
    CONNECTION = "connection"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    REJECTED = "rejected"  # 4xx: this request will never do
    BAD_BODY = "bad_body"  # HTTP 200, but not the API's JSON: a proxy's page, a wrong address
    NOT_COMPLETED = "not_completed"
    INCOMPLETE = "incomplete"  # cut at max_output_tokens: HTTP 200 with half a text
    REFUSED = "refused"
    NOT_JSON = "not_json"
    SCHEMA = "schema"

    @property
    def repairable(self) -> bool:
        """Whether asking once more, with the code, can help."""
        return self in (Failure.INCOMPLETE, Failure.NOT_JSON, Failure.SCHEMA)


@dataclass(frozen=True)
class Prompt:
    """One request in the words of the caller.

    Attributes
    ----------
    instructions : str
        Fixed text of ours.
    blocks : tuple of (name, JSON text)
        Data of the user turn, in order; sent as one JSON object.
    schema_name, schema : str, dict
        What the answer must look like: an object in the strict subset, plus ``maxLength``.
    refused : tuple of str
        Codes for which the previous answer was refused; never its text.
    """

    instructions: str
    blocks: tuple[tuple[str, str], ...]
    schema_name: str
    schema: Json
    refused: tuple[str, ...] = ()

    def repair(self, codes: tuple[str, ...]) -> Prompt:
        """Return the same prompt with the codes of the refused answer."""
        return replace(self, refused=codes)

    @property
    def user_text(self) -> str:
        """The blocks as one JSON object."""
        return "{" + ",".join(f"{json.dumps(name)}:{text}" for name, text in self.blocks) + "}"

    @property
    def repair_text(self) -> str:
        """The second user turn of a repair call; empty without codes."""
        if not self.refused:
            return ""
        return json.dumps({"your_previous_answer_was_refused": list(self.refused)})

    def sizes(self) -> dict[str, int]:
        """Return the characters of every part of the prompt."""
        parts = {"instructions": len(self.instructions)}
        parts |= {name: len(text) for name, text in self.blocks}
        if self.refused:
            parts["repair"] = len(self.repair_text)
        return parts


@dataclass(frozen=True)
class RawReply:
    """An HTTP reply: status, headers in lower case, body as text."""

    status: int
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True)
class Outcome:
    """What one exchange came to: a reply, or the failure to get one.

    Attributes
    ----------
    reply : RawReply or None
        The last reply.
    failure : Failure or None
        TIMEOUT or CONNECTION if there is none.
    detail : str
        Text for people.
    latency_s : float
        From the first attempt to the end, waits included.
    attempts : int
        HTTP requests made.
    """

    reply: RawReply | None
    failure: Failure | None
    detail: str
    latency_s: float
    attempts: int


@dataclass(frozen=True)
class Usage:
    """Tokens of a call as the endpoint reports them; None where it does not say."""

    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    total_tokens: int | None = None


@dataclass(frozen=True)
class Completion:
    """A value that obeys the schema, or the failure that took its place.

    Attributes
    ----------
    value : dict or None
        The answer.
    failure : Failure or None
        Why there is none.
    detail : str
        Text of ours about the failure; holds no text of the model.
    usage : Usage
        Tokens.
    latency_s, attempts : float, int
        Cost.
    request_id, request_sha256 : str
        Name of the call at the endpoint, and digest of what was sent.
    """

    value: Json | None
    failure: Failure | None
    detail: str
    usage: Usage
    latency_s: float
    attempts: int
    request_id: str
    request_sha256: str


class Exchange(Protocol):
    """Sends one request body and returns what came of it, within a time budget."""

    def __call__(self, route: str, body: Json, budget_s: float) -> Outcome:
        """Send `body` to `route`; never raise for what an endpoint does."""


def request_sha256(route: str, body: Json) -> str:
    """Return the digest by which a request is recorded and found again."""
    text = json.dumps([route, body], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
