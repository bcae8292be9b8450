"""Reading a reply in a fixed order: transport, status, refusal, JSON, schema.

A cut answer comes with HTTP 200 and a refusal may be plain text, so the order matters: read
as JSON first, both would look like a careless model.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from adm_core.llm.body import RESPONSES
from adm_core.llm.exchange import Failure, Json, Outcome, RawReply, Usage
from adm_core.llm.schema import parse_json, violation


class Reading(NamedTuple):
    """Value or failure, and what the reply says about its cost."""

    value: Json | None
    failure: Failure | None
    detail: str
    usage: Usage = Usage()
    request_id: str = ""


def read(outcome: Outcome, route: str, schema: Json) -> Reading:
    """Return what an exchange came to, checked against `schema`."""
    if outcome.reply is None:
        return Reading(None, outcome.failure or Failure.CONNECTION, outcome.detail)
    reply = outcome.reply
    request_id = reply.headers.get("x-request-id", "")[:128]
    failure, detail = _http_failure(reply)
    if failure:
        return Reading(None, failure, detail, Usage(), request_id)
    try:
        envelope = json.loads(reply.body)
        if not isinstance(envelope, dict):
            raise ValueError
    except (ValueError, RecursionError):
        kind = reply.headers.get("content-type", "no content type")[:40]
        detail = f"HTTP {reply.status} whose body is no JSON object ({kind})"
        return Reading(None, Failure.BAD_BODY, detail, Usage(), request_id)
    usage = read_usage(envelope.get("usage"))
    failure, text = _read_responses(envelope) if route == RESPONSES else _read_chat(envelope)
    if failure:
        return Reading(None, failure, text, usage, request_id)
    value, failure, detail = check_text(text, schema)
    return Reading(value, failure, detail, usage, request_id)


def check_text(text: str, schema: Json) -> tuple[Json | None, Failure | None, str]:
    """Return the value of an answer's text, or the failure and its detail."""
    try:
        value = parse_json(text)
    except ValueError as err:
        return None, Failure.NOT_JSON, str(err)
    broken = violation(value, schema)
    if broken:
        return None, Failure.SCHEMA, broken
    return value, None, ""


def read_usage(usage: Any) -> Usage:
    """Return the tokens of a reply's usage, in the words of either API; None where missing."""
    if not isinstance(usage, dict):
        return Usage()

    def count(*names: str) -> int | None:
        node: Any = usage
        for name in names:
            node = node.get(name) if isinstance(node, dict) else None
        return node if type(node) is int and node >= 0 else None

    def first(*found: int | None) -> int | None:
        return next((item for item in found if item is not None), None)

    return Usage(
        first(count("input_tokens"), count("prompt_tokens")),
        first(
            count("input_tokens_details", "cached_tokens"),
            count("prompt_tokens_details", "cached_tokens"),
        ),
        first(count("output_tokens"), count("completion_tokens")),
        first(
            count("output_tokens_details", "reasoning_tokens"),
            count("completion_tokens_details", "reasoning_tokens"),
        ),
        count("total_tokens"),
    )


def _http_failure(reply: RawReply) -> tuple[Failure | None, str]:
    if 200 <= reply.status < 300:
        return None, ""
    detail = f"HTTP {reply.status}{_error_message(reply.body)}"
    if reply.status == 429:
        return Failure.RATE_LIMITED, detail
    if reply.status >= 500 or reply.status in (408, 409):
        return Failure.SERVER_ERROR, detail
    return Failure.REJECTED, detail


def _error_message(body: str) -> str:
    try:
        error = json.loads(body)["error"]
        message = error["message"] if isinstance(error, dict) else error
    except (ValueError, RecursionError, TypeError, KeyError):
        return ""
    return f": {message[:200]}" if isinstance(message, str) else ""


def _read_responses(envelope: Json) -> tuple[Failure | None, str]:
    status = envelope.get("status")
    if status == "incomplete":
        details = envelope.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else None
        if reason == "max_output_tokens":
            return Failure.INCOMPLETE, "cut at max_output_tokens"
        return Failure.NOT_COMPLETED, f"incomplete: {_word(reason)}"
    output = envelope.get("output")
    if status is None or not isinstance(output, list):
        return Failure.BAD_BODY, "no response object: is this address the Responses API?"
    if status != "completed" or envelope.get("error"):
        return Failure.NOT_COMPLETED, f"status {_word(status)}"
    parts = [
        part
        for item in output
        if isinstance(item, dict) and item.get("type") == "message"
        for part in _list(item.get("content"))
        if isinstance(part, dict)
    ]
    if any(part.get("type") == "refusal" for part in parts):
        return Failure.REFUSED, "the model refused"
    return None, "".join(
        str(part.get("text", "")) for part in parts if part.get("type") == "output_text"
    )


def _read_chat(envelope: Json) -> tuple[Failure | None, str]:
    choices = envelope.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return Failure.BAD_BODY, "no chat completion: is this address a chat API?"
    reason = choice.get("finish_reason")
    if reason == "length":
        return Failure.INCOMPLETE, "cut at the token limit"
    if reason != "stop":
        return Failure.NOT_COMPLETED, f"finish reason {_word(reason)}"
    if message.get("refusal"):
        return Failure.REFUSED, "the model refused"
    content = message.get("content")
    return None, content if isinstance(content, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _word(value: Any) -> str:
    return value[:40] if isinstance(value, str) and value.isidentifier() else "unknown"
