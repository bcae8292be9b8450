import copy

import pytest
from adm_core.testing.llm_rules import check_chat, check_llama_cpp, check_responses

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
FORMAT = {"type": "json_schema", "name": "n", "schema": SCHEMA, "strict": True}
RESPONSES = {
    "model": "gpt-5-mini",
    "input": [{"role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
    "text": {"format": FORMAT},
    "store": False,
    "max_output_tokens": 100,
    "reasoning": {"effort": "low"},
}
CHAT = {
    "model": "gpt-4.1",
    "messages": [{"role": "user", "content": "hello"}],
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "n", "schema": SCHEMA, "strict": True},
    },
    "max_tokens": 100,
}


def changed(body, path, value):
    """Return a copy of `body` with the value at a dotted path; None removes it."""
    body = copy.deepcopy(body)
    *way, last = path.split(".")
    node = body
    for name in way:
        node = node.setdefault(name, {})
    if value is None:
        node.pop(last)
    else:
        node[last] = value
    return body


BAD_RESPONSES = [
    ("model", None, "Missing required parameter: 'model'"),
    ("model", 3, "Missing required parameter: 'model'"),
    ("input", None, "Missing required parameter: 'input'"),
    ("input", [], "Missing required parameter: 'input'"),
    ("input", ["x"], "no message"),
    ("input", [{"role": "robot", "content": "x"}], "role"),
    ("input", [{"role": "user", "content": [{"type": "text", "text": "x"}]}], "input_text"),
    ("input", [{"role": "user", "content": 3}], "input_text"),
    ("response_format", FORMAT, "moved to 'text.format'"),
    ("messages", [], "Unknown parameter: 'messages'"),
    ("max_tokens", 5, "Unknown parameter: 'max_tokens'"),
    ("max_output_tokens", 15, "integer >= 16"),
    ("max_output_tokens", 20.5, "integer >= 16"),
    ("temperature", 0, "Only the default (1)"),
    ("temperature", 3, "from 0 to 2"),
    ("store", "no", "Invalid type for 'store'"),
    ("stream", True, "Streaming"),
    ("truncation", "sometimes", "truncation"),
    ("previous_response_id", "resp_1", "not found"),
    ("reasoning.effort", "huge", "reasoning.effort"),
    ("text.format.strict", None, ""),
    ("text.format.name", "two words", "must match"),
    ("text.format.name", "n" * 65, "must match"),
    ("text.format.schema", None, "Missing required parameter: 'text.format.schema'"),
    ("text.format.schema", {"type": "object"}, "Invalid schema for response_format 'n'"),
    ("text.format.json_schema", {}, "Unknown parameter: 'text.format.json_schema'"),
    ("text.format", {"type": "json_object"}, "word 'json'"),
    ("text.format", {"type": "grammar"}, "text.format.type"),
    ("text.verbosity", "loud", "text.verbosity"),
    ("metadata", {"k": "v" * 513}, "metadata"),
    ("instructions", 3, "Invalid type for 'instructions'"),
]

BAD_CHAT = [
    ("messages", None, "Missing required parameter: 'messages'"),
    ("messages", [{"role": "robot", "content": "x"}], "role"),
    ("messages", [{"role": "user", "content": None}], "text"),
    ("input", "x", "Unknown parameter"),
    ("text", {}, "Unknown parameter"),
    ("top_k", 3, "Unknown parameter: 'top_k'"),
    ("model", "gpt-5-mini", "Use 'max_completion_tokens'"),
    ("max_tokens", 0, "integer >= 1"),
    ("reasoning_effort", "low", "not supported with this model"),
    ("response_format", {"type": "json_object"}, "word 'json'"),
    ("response_format", {"type": "json_object", "schema": SCHEMA}, "response_format.schema"),
    ("response_format", {"type": "json_schema"}, "Missing required parameter"),
    ("response_format.json_schema.name", None, "must match"),
    ("seed", "x", "integer"),
]


def test_good_requests_pass():
    assert check_responses(RESPONSES) is None
    assert check_responses({"model": "gpt-4.1", "input": "hello"}) is None
    assert check_chat(CHAT) is None


@pytest.mark.parametrize(("path", "value", "words"), BAD_RESPONSES)
def test_responses_rules_are_enforced(path, value, words):
    rejection = check_responses(changed(RESPONSES, path, value))
    if not words:
        assert rejection is None
    else:
        assert (rejection.status, words in rejection.message) == (400, True)
        error = rejection.body()["error"]
        assert set(error) == {"message", "type", "param", "code"}


@pytest.mark.parametrize(("path", "value", "words"), BAD_CHAT)
def test_chat_rules_are_enforced(path, value, words):
    rejection = check_chat(changed(CHAT, path, value))
    assert (rejection.status, words in rejection.message) == (400, True)


def test_llama_cpp_knows_json_object_with_a_schema_only():
    assert check_llama_cpp(CHAT).status == 422
    form = {"type": "json_object", "schema": SCHEMA}
    assert check_llama_cpp(changed(CHAT, "response_format", form)) is None
    assert check_llama_cpp({"messages": []}).status == 422
