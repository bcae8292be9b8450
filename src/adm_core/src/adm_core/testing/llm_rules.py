"""Documented request rules of ``/v1/responses`` and ``/v1/chat/completions``, enforced."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from adm_core.testing.llm_schema_rules import schema_problem

Body = dict[str, Any]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_REASONING = ("gpt-5", "o1", "o3", "o4")
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
_RESPONSES_KEYS = {
    "background", "include", "input", "instructions", "max_output_tokens", "max_tool_calls",
    "metadata", "model", "parallel_tool_calls", "previous_response_id", "prompt_cache_key",
    "reasoning", "safety_identifier", "service_tier", "store", "stream", "temperature", "text",
    "tool_choice", "tools", "top_logprobs", "top_p", "truncation", "user",
}  # fmt: skip
_CHAT_KEYS = {
    "frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens",
    "messages", "metadata", "model", "n", "parallel_tool_calls", "presence_penalty",
    "prompt_cache_key", "reasoning_effort", "response_format", "safety_identifier", "seed",
    "service_tier", "stop", "store", "stream", "temperature", "tool_choice", "tools",
    "top_logprobs", "top_p", "user", "verbosity",
}  # fmt: skip


class Rejection(NamedTuple):
    """An error reply: HTTP status and the fields of the documented error object."""

    status: int
    message: str
    param: str | None = None
    code: str | None = None

    def body(self) -> Body:
        """Return the error object."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        error = {"message": self.message, "type": kind, "param": self.param, "code": self.code}
        return {"error": error}


class _Broken(Exception):
    def __init__(self, message: str, param: str | None, code: str | None = None) -> None:
        super().__init__(message)
        self.rejection = Rejection(400, message, param, code)


def check_responses(body: Body) -> Rejection | None:
    """Return why ``/v1/responses`` rejects a body, or None."""
    try:
        if "response_format" in body:
            raise _Broken(
                "Unsupported parameter: 'response_format'. In the Responses API, this parameter "
                "has moved to 'text.format'.",
                "response_format",
                "unsupported_parameter",
            )
        _known_keys(body, _RESPONSES_KEYS)
        _common(body)
        _responses_input(body.get("input"))
        _type(body, "instructions", str, type(None))
        if body.get("previous_response_id") is not None:
            raise _Broken("Previous response not found.", "previous_response_id")
        _whole(body, "max_output_tokens", least=16)
        _reasoning(body, _get(body, "reasoning", dict).get("effort"), "reasoning.effort")
        text = _get(body, "text", dict)
        _choice(text, "verbosity", ("low", "medium", "high"), "text.verbosity")
        _responses_format(body, text.get("format", {"type": "text"}))
    except _Broken as err:
        return err.rejection
    return None


def check_chat(body: Body) -> Rejection | None:
    """Return why ``/v1/chat/completions`` rejects a body, or None."""
    try:
        if "text" in body or "input" in body:
            raise _Broken("Unknown parameter: use 'messages' and 'response_format'.", "text")
        _known_keys(body, _CHAT_KEYS)
        _common(body)
        _chat_messages(body.get("messages"))
        if is_reasoning(body["model"]) and "max_tokens" in body:
            raise _Broken(
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
                "max_tokens",
                "unsupported_parameter",
            )
        _whole(body, "max_tokens", least=1)
        _whole(body, "max_completion_tokens", least=1)
        _whole(body, "seed", least=-(2**63))
        _reasoning(body, body.get("reasoning_effort"), "reasoning_effort")
        _choice(body, "verbosity", ("low", "medium", "high"), "verbosity")
        _chat_format(body, body.get("response_format", {"type": "text"}))
    except _Broken as err:
        return err.rejection
    return None


def check_llama_cpp(body: Body) -> Rejection | None:
    """Return why llama-cpp-python's chat route rejects a body: 422, as its validation does."""
    try:
        _chat_messages(body.get("messages"))
    except _Broken as err:
        return Rejection(422, str(err), err.rejection.param)
    kind = body.get("response_format", {"type": "text"})
    if not isinstance(kind, dict) or kind.get("type") not in ("text", "json_object"):
        return Rejection(
            422, "Input should be 'text' or 'json_object'", "response_format.type", "literal_error"
        )
    return None


def is_reasoning(model: object) -> bool:
    """Tell whether a model spends output tokens on reasoning."""
    return str(model).startswith(_REASONING)


def _common(body: Body) -> None:
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise _Broken("Missing required parameter: 'model'.", "model", "missing_required_parameter")
    if body.get("stream"):
        raise _Broken("Streaming is not supported by this server.", "stream")
    _type(body, "store", bool, type(None))
    _choice(body, "truncation", ("auto", "disabled"), "truncation")
    temperature = body.get("temperature")
    if temperature is not None:
        if type(temperature) not in (int, float) or not 0 <= temperature <= 2:
            raise _Broken("Invalid 'temperature': expected a number from 0 to 2.", "temperature")
        if is_reasoning(body["model"]) and temperature != 1:
            raise _Broken(
                "Unsupported value: 'temperature' does not support this value with this model. "
                "Only the default (1) value is supported.",
                "temperature",
                "unsupported_value",
            )
    _metadata(_get(body, "metadata", dict))


def _known_keys(body: Body, known: set[str]) -> None:
    for name in sorted(set(body) - known):
        raise _Broken(f"Unknown parameter: '{name}'.", name, "unknown_parameter")


def _responses_input(value: Any) -> None:
    if isinstance(value, str) and value:
        return
    if not isinstance(value, list) or not value:
        raise _Broken("Missing required parameter: 'input'.", "input", "missing_required_parameter")
    for index, item in enumerate(value):
        place = f"input[{index}]"
        if not isinstance(item, dict) or item.get("type", "message") != "message":
            raise _Broken(f"Invalid value: '{place}' is no message.", place)
        if item.get("role") not in ("user", "assistant", "system", "developer"):
            raise _Broken(f"Invalid value: '{place}.role'.", f"{place}.role", "invalid_value")
        wanted = "output_text" if item["role"] == "assistant" else "input_text"
        _content(item.get("content"), f"{place}.content", wanted)


def _chat_messages(value: Any) -> None:
    if not isinstance(value, list) or not value:
        raise _Broken("Missing required parameter: 'messages'.", "messages")
    for index, item in enumerate(value):
        place = f"messages[{index}]"
        roles = ("system", "developer", "user", "assistant", "tool")
        if not isinstance(item, dict) or item.get("role") not in roles:
            raise _Broken(f"Invalid value: '{place}.role'.", f"{place}.role", "invalid_value")
        _content(item.get("content"), f"{place}.content", "text")


def _content(value: Any, place: str, wanted: str) -> None:
    if isinstance(value, str):
        return
    parts = value if isinstance(value, list) else [None]
    for part in parts:
        if not (
            isinstance(part, dict)
            and part.get("type") == wanted
            and isinstance(part.get("text"), str)
        ):
            raise _Broken(f"Invalid value: '{place}' must be text or parts of {wanted}.", place)


def _responses_format(body: Body, form: Any) -> None:
    kind = form.get("type") if isinstance(form, dict) else None
    if kind == "json_schema":
        _json_schema(form, "text.format", extra={"type"})
    elif kind == "json_object":
        _mentions_json(str(body.get("input")) + str(body.get("instructions")), "text.format")
    elif kind != "text":
        raise _Broken("Invalid value: 'text.format.type'.", "text.format.type", "invalid_value")


def _chat_format(body: Body, form: Any) -> None:
    form = form if isinstance(form, dict) else {}
    kind = form.get("type")
    if kind == "json_schema":
        _json_schema(form.get("json_schema"), "response_format.json_schema", extra=set())
    elif kind == "json_object":
        for name in sorted(set(form) - {"type"}):
            raise _Broken(f"Unknown parameter: 'response_format.{name}'.", "response_format")
        _mentions_json(str(body["messages"]), "messages")
    elif kind != "text":
        raise _Broken("Invalid value: 'response_format.type'.", "response_format.type")


def _json_schema(form: Any, place: str, extra: set[str]) -> None:
    if not isinstance(form, dict):
        raise _Broken(f"Missing required parameter: '{place}'.", place)
    for name in sorted(set(form) - {"name", "schema", "strict", "description"} - extra):
        raise _Broken(f"Unknown parameter: '{place}.{name}'.", f"{place}.{name}")
    name = form.get("name")
    if not isinstance(name, str) or not _NAME.match(name):
        raise _Broken(f"Invalid '{place}.name': must match ^[a-zA-Z0-9_-]+$.", f"{place}.name")
    if "schema" not in form:
        raise _Broken(f"Missing required parameter: '{place}.schema'.", f"{place}.schema")
    problem = schema_problem(form["schema"]) if form.get("strict") else None
    if problem:
        raise _Broken(
            f"Invalid schema for response_format '{name}': {problem}.",
            f"{place}.schema",
            "invalid_json_schema",
        )


def _mentions_json(text: str, place: str) -> None:
    if "json" not in text.lower():
        raise _Broken(f"'{place}' of type 'json_object' needs the word 'json' in the input.", place)


def _reasoning(body: Body, effort: Any, place: str) -> None:
    if effort is None:
        return
    if not is_reasoning(body["model"]):
        raise _Broken(
            f"Unsupported parameter: '{place}' is not supported with this model.",
            place,
            "unsupported_parameter",
        )
    if effort not in _EFFORTS:
        raise _Broken(f"Invalid value: '{place}'.", place, "invalid_value")


def _metadata(value: dict[str, Any]) -> None:
    short = all(
        isinstance(item, str) and len(key) <= 64 and len(item) <= 512 for key, item in value.items()
    )
    if len(value) > 16 or not short:
        raise _Broken("Invalid 'metadata': at most 16 short pairs of text.", "metadata")


def _get(body: Body, name: str, kind: type) -> Any:
    value = body.get(name)
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise _Broken(f"Invalid type for '{name}'.", name, "invalid_type")
    return value


def _type(body: Body, name: str, *kinds: type) -> None:
    if name in body and not isinstance(body[name], kinds):
        raise _Broken(f"Invalid type for '{name}'.", name, "invalid_type")


def _whole(body: Body, name: str, least: int) -> None:
    value = body.get(name)
    if value is not None and (type(value) is not int or value < least):
        raise _Broken(
            f"Invalid '{name}': expected an integer >= {least}.", name, "integer_below_min_value"
        )


def _choice(body: Body, name: str, values: tuple[str, ...], place: str) -> None:
    if body.get(name) is not None and body[name] not in values:
        raise _Broken(f"Invalid value: '{place}'.", place, "invalid_value")
