"""Request bodies of the three live modes; pure functions of prompt and config."""

from __future__ import annotations

from typing import Any

from adm_core.llm.config import LlmConfig
from adm_core.llm.exchange import Json, Prompt

RESPONSES, CHAT = "responses", "chat/completions"

#: Keywords that our schemas use and the strict subset does not know; checked locally only.
_LOCAL_KEYWORDS = frozenset({"maxLength"})


def request(prompt: Prompt, config: LlmConfig) -> tuple[str, Json]:
    """Return route and body of a request in the mode of `config`."""
    if config.mode == "responses_strict":
        return RESPONSES, _responses_body(prompt, config)
    return CHAT, _chat_body(prompt, config)


def strict_subset(schema: Json) -> Json:
    """Return `schema` without the keywords that strict endpoints reject."""
    return _without(schema, _LOCAL_KEYWORDS)


def _responses_body(prompt: Prompt, config: LlmConfig) -> Json:
    text: Json = {
        "format": {
            "type": "json_schema",
            "name": prompt.schema_name,
            "schema": strict_subset(prompt.schema),
            "strict": True,
        }
    }
    if config.verbosity:
        text["verbosity"] = config.verbosity
    turns = [prompt.user_text, *filter(None, [prompt.repair_text])]
    body: Json = {
        "model": config.model,
        "instructions": prompt.instructions,
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": turn}]} for turn in turns
        ],
        "text": text,
        "store": False,
        "max_output_tokens": config.max_output_tokens,
    }
    if config.effort:
        body["reasoning"] = {"effort": config.effort}
    if config.temperature >= 0:
        body["temperature"] = config.temperature
    return body


def _chat_body(prompt: Prompt, config: LlmConfig) -> Json:
    turns = [prompt.user_text, *filter(None, [prompt.repair_text])]
    limit = "max_completion_tokens" if config.reasoning_model else "max_tokens"
    body: Json = {
        "model": config.model,
        "messages": [
            {"role": "system", "content": prompt.instructions},
            *({"role": "user", "content": turn} for turn in turns),
        ],
        "response_format": _response_format(prompt, config),
        limit: config.max_output_tokens,
    }
    if config.effort:
        body["reasoning_effort"] = config.effort
    if config.verbosity:
        body["verbosity"] = config.verbosity
    if config.temperature >= 0:
        body["temperature"] = config.temperature
    if config.sampling_seed >= 0:
        body["seed"] = config.sampling_seed
    return body


def _response_format(prompt: Prompt, config: LlmConfig) -> Json:
    if config.mode == "chat_json_object":  # llama-cpp-python turns the whole schema into a grammar
        return {"type": "json_object", "schema": prompt.schema}
    schema = strict_subset(prompt.schema)
    wrapped = {"name": prompt.schema_name, "schema": schema, "strict": True}
    return {"type": "json_schema", "json_schema": wrapped}


def _without(node: Any, keywords: frozenset[str]) -> Any:
    if isinstance(node, dict):
        return {key: _without(item, keywords) for key, item in node.items() if key not in keywords}
    if isinstance(node, list):
        return [_without(item, keywords) for item in node]
    return node
