"""Reply objects of both APIs, and their usage counted by a tokenizer of our own."""

from __future__ import annotations

import re
from typing import Any

Json = dict[str, Any]

_TOKEN = re.compile(r"\w{1,4}|[^\w\s]")
_CREATED = 1_700_000_000  # replies must not depend on when a test runs


def tokens(text: str) -> int:
    """Return the tokens of a text: four letters or one sign each."""
    return len(_TOKEN.findall(text))


def cut_to(text: str, limit: int) -> str:
    """Return the part of `text` that fits into `limit` tokens."""
    ends = [match.end() for match in _TOKEN.finditer(text)]
    return text if len(ends) <= limit else text[: ends[limit - 1]]


def usage(prompt: str, answer: str, cached: int, reasoning: int) -> tuple[int, int, int, int]:
    """Return input, cached, output and reasoning tokens; reasoning is part of the output."""
    return tokens(prompt), cached, tokens(answer) + reasoning, reasoning


def response_object(
    number: int,
    body: Json,
    part: Json,
    used: tuple[int, int, int, int] | None,
    status: str = "completed",
    reason: str | None = None,
) -> Json:
    """Return a ``response`` with one message of one content part."""
    message = {
        "type": "message",
        "id": f"msg_{number:06d}",
        "role": "assistant",
        "status": "incomplete" if status == "incomplete" else "completed",
        "content": [part],
    }
    error = {"code": "server_error", "message": "The model failed."} if status == "failed" else None
    reply: Json = {
        "id": f"resp_{number:06d}",
        "object": "response",
        "created_at": _CREATED + number,
        "status": status,
        "error": error,
        "incomplete_details": {"reason": reason} if reason else None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "model": body.get("model"),
        "output": [message],
        "parallel_tool_calls": True,
        "store": body.get("store", True),
        "text": body.get("text", {"format": {"type": "text"}}),
        "tool_choice": "auto",
        "tools": [],
    }
    if used:
        reply["usage"] = {
            "input_tokens": used[0],
            "input_tokens_details": {"cached_tokens": used[1], "cache_write_tokens": 0},
            "output_tokens": used[2],
            "output_tokens_details": {"reasoning_tokens": used[3]},
            "total_tokens": used[0] + used[2],
        }
    return reply


def chat_object(
    number: int,
    body: Json,
    text: str | None,
    used: tuple[int, int, int, int] | None,
    finish: str = "stop",
    refusal: str | None = None,
) -> Json:
    """Return a ``chat.completion`` with one choice."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    reply: Json = {
        "id": f"chatcmpl-{number:06d}",
        "object": "chat.completion",
        "created": _CREATED + number,
        "model": body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
    }
    if used:
        reply["usage"] = {
            "prompt_tokens": used[0],
            "prompt_tokens_details": {"cached_tokens": used[1]},
            "completion_tokens": used[2],
            "completion_tokens_details": {"reasoning_tokens": used[3]},
            "total_tokens": used[0] + used[2],
        }
    return reply
