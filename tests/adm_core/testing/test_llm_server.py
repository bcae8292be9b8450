"""The server by plain HTTP, as any other client would see it."""

import json
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from adm_core.llm.body import request
from adm_core.llm.config import LlmConfig
from adm_core.llm.exchange import Prompt
from adm_core.llm.replies import check_text
from adm_core.planning.plan_schema import INSTRUCTIONS, plan_schema, read_steps
from adm_core.planning.policy import nearest_confident_plan
from adm_core.planning.query_text import query_text
from adm_core.planning.validator import validate
from adm_core.testing.llm_behaviour import KINDS, Behaviour, parse_script
from adm_core.testing.llm_model import MODELS, Question, smallest_value
from adm_core.testing.llm_server import CHAT, RESPONSES, StrictLlmServer, main
from llm_doubles import query, record

BODY = {"model": "m", "input": "hello"}


def post(server, route, body, key="any"):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    url = server.base_url.removesuffix("/v1") + route
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, data, headers), timeout=10
        ) as reply:
            return reply.status, dict(reply.headers), json.loads(reply.read())
    except urllib.error.HTTPError as err:
        with err:
            return err.code, dict(err.headers), json.loads(err.read())


@pytest.fixture
def server():
    with StrictLlmServer(key="right") as running:
        yield running


def test_errors_have_the_documented_shape(server):
    for status, route, body, key in (
        (401, RESPONSES, BODY, "wrong"),
        (400, RESPONSES, {"model": "m"}, "right"),
        (400, RESPONSES, b"{", "right"),
        (404, "/v1/embeddings", BODY, "right"),
    ):
        got, _, reply = post(server, route, body, key)
        assert got == status
        assert set(reply["error"]) == {"message", "type", "param", "code"}


def test_a_response_has_status_output_and_usage(server):
    status, headers, reply = post(server, RESPONSES, BODY, "right")
    assert (status, reply["object"], reply["status"]) == (200, "response", "completed")
    assert reply["output"][0]["content"][0]["type"] == "output_text"
    assert reply["usage"]["total_tokens"] > 0
    assert headers["x-request-id"].startswith("req_")


def test_a_chat_completion_has_choices_and_usage(server):
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    _, _, reply = post(server, CHAT, body, "right")
    assert reply["choices"][0]["finish_reason"] == "stop"
    assert reply["usage"]["prompt_tokens"] == 2


def test_repeated_long_prompts_count_as_cached(server):
    body = {"model": "m", "input": "word " * 2_000}
    first, second = (post(server, RESPONSES, body, "right")[2]["usage"] for _ in range(2))
    assert first["input_tokens_details"]["cached_tokens"] == 0
    assert second["input_tokens_details"]["cached_tokens"] == 1920
    assert first["input_tokens"] == second["input_tokens"] == 2000


def test_the_output_limit_cuts_with_http_200(server):
    form = {"type": "json_schema", "name": "n", "schema": plan_schema(), "strict": False}
    body = {"model": "m", "input": "x", "max_output_tokens": 16, "text": {"format": form}}
    server._model = lambda question: "word " * 50
    status, _, reply = post(server, RESPONSES, body, "right")
    assert (status, reply["status"]) == (200, "incomplete")
    assert reply["incomplete_details"] == {"reason": "max_output_tokens"}
    assert reply["usage"]["output_tokens"] == 16


def test_scripts_are_read_from_text():
    assert parse_script("429:1, http:503,ok") == [
        Behaviour("429", "1"),
        Behaviour("http", "503"),
        Behaviour("ok"),
    ]
    with pytest.raises(ValueError, match="kind must be one of"):
        parse_script("explode")
    assert "ok" in KINDS


@pytest.mark.parametrize("name", MODELS)
def test_models_plan_from_the_request_alone(name):
    shown = query([record("e1", q=0.5), record("e2", "bottle", q=0.9)], [1.0, 5.0])
    prompt = Prompt(INSTRUCTIONS, query_text(shown, 32_000).blocks, "p", plan_schema())
    turns = [prompt.user_text]
    for turn in range(2):
        text = MODELS[name](Question(tuple(turns), prompt.schema))
        value, failure, _ = check_text(text, prompt.schema)
        if name == "prose":
            assert failure is not None
            return
        accepted = validate(read_steps(value), shown) is None
        assert accepted == (name == "policy" or (name == "repairable" and turn == 1))
        if accepted:
            assert read_steps(value) == nearest_confident_plan(shown)
        turns.append("codes")


def test_other_questions_get_the_smallest_answer():
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "number"}, "minItems": 2},
            "b": {"type": ["string", "null"]},
            "c": {"enum": ["x", "y"]},
        },
    }
    assert smallest_value(schema) == {"a": [0, 0], "b": None, "c": "x"}
    assert request(Prompt("", (), "n", schema), LlmConfig(mode="chat_json_schema"))


def test_the_module_runs_as_a_program():
    code = "adm_core.testing.llm_server"
    command = [sys.executable, "-m", code, "--port", "0", "--script", "http:503"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        url = line.split(" at ")[1].split()[0]
        running = type("S", (), {"base_url": url})
        assert post(running, RESPONSES, BODY)[0] == 503
        assert post(running, RESPONSES, BODY)[0] == 200
        process.terminate()
    with pytest.raises(SystemExit):
        main(["--script", "explode"])
