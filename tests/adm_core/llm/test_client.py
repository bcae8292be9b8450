"""The client against the strict server over real HTTP."""

import json
import subprocess
import sys
import time

import pytest
from adm_core.errors import LlmError
from adm_core.llm import transport
from adm_core.llm.body import request
from adm_core.llm.client import LlmClient, live_client
from adm_core.llm.config import LIVE_MODES, LlmConfig
from adm_core.llm.exchange import Failure
from adm_core.llm.probe import PROMPT, probe
from adm_core.testing.llm_behaviour import Behaviour
from adm_core.testing.llm_model import talk
from adm_core.testing.llm_server import StrictLlmServer
from llm_doubles import Scripted

pytest.importorskip("openai")


def dialect(mode):
    return "llama_cpp" if mode == "chat_json_object" else "openai"


def client(server, mode="responses_strict", environment=None, **more):
    config = LlmConfig(mode=mode, base_url=server.base_url, **more)
    return live_client(config, environment or {}, time.monotonic, time.sleep)


@pytest.mark.parametrize("mode", LIVE_MODES)
def test_the_server_receives_exactly_the_body_that_is_hashed(mode):
    with StrictLlmServer(dialect=dialect(mode)) as server:
        asked = client(server, mode)
        assert asked.complete(PROMPT, 5.0).failure is None
        assert server.received[0].body == request(PROMPT, asked.config)[1]


FAULTS = [
    ("ok", None, 1),
    ("bare", None, 1),
    ("429:0.05", None, 2),
    ("http:500", None, 2),
    ("http:503", None, 2),
    ("cut", None, 2),
    ("drop", None, 2),
    ("429:60", Failure.RATE_LIMITED, 1),
    ("401", Failure.REJECTED, 1),
    ("http:404", Failure.REJECTED, 1),
    ("html", Failure.BAD_BODY, 1),
    ("garbage", Failure.BAD_BODY, 1),
    ("other", Failure.BAD_BODY, 1),
    ("incomplete", Failure.INCOMPLETE, 1),
    ("incomplete:content_filter", Failure.NOT_COMPLETED, 1),
    ("status:failed", Failure.NOT_COMPLETED, 1),
    ("refusal", Failure.REFUSED, 1),
    ("text:I would rather talk", Failure.NOT_JSON, 1),
    ("text:{}", Failure.SCHEMA, 1),
]


@pytest.mark.parametrize("mode", LIVE_MODES)
@pytest.mark.parametrize(("fault", "failure", "attempts"), FAULTS)
def test_every_fault_of_an_endpoint_has_its_code(mode, fault, failure, attempts):
    script = [Behaviour(*fault.split(":", 1))]
    with StrictLlmServer(script, dialect=dialect(mode)) as server:
        done = client(server, mode, deadline_s=5.0).complete(PROMPT, 5.0)
    assert (done.failure, done.attempts) == (failure, attempts)


@pytest.mark.parametrize("fault", ["drip:0.02", "hang:5"])
def test_the_deadline_ends_a_call_that_drips_or_hangs(fault):
    with StrictLlmServer([Behaviour(*fault.split(":"))]) as server:
        started = time.monotonic()
        done = client(server).complete(PROMPT, 0.5)
        assert time.monotonic() - started < 2.0
    assert done.failure is Failure.TIMEOUT


def test_nobody_there_is_a_failure_and_no_exception():
    with StrictLlmServer() as server:
        asked = client(server, attempts=1)
    assert asked.complete(PROMPT, 2.0).failure is Failure.CONNECTION


def test_a_reply_of_endless_length_is_dropped(monkeypatch):
    monkeypatch.setattr(transport, "MAX_REPLY_BYTES", 100)
    with StrictLlmServer() as server:
        done = client(server, attempts=1).complete(PROMPT, 2.0)
    assert (done.failure, "beyond" in done.detail) == (Failure.CONNECTION, True)


def test_the_key_goes_out_and_is_never_shown():
    with StrictLlmServer(key="sk-right-key") as server:
        good = client(server, environment={"OPENAI_API_KEY": "sk-right-key"})
        bad = client(server, environment={"OPENAI_API_KEY": "sk-wrong-key"})
        assert good.complete(PROMPT, 5.0).failure is None
        done = bad.complete(PROMPT, 5.0)
    assert done.failure is Failure.REJECTED
    assert "sk-" not in repr(done)


@pytest.mark.parametrize("mode", LIVE_MODES)
def test_the_probe_passes_an_endpoint_that_obeys_and_names_its_gaps(mode):
    with StrictLlmServer([Behaviour("ok"), Behaviour("bare")], dialect=dialect(mode)) as server:
        asked = client(server, mode)
        assert (probe(asked).obeys, probe(asked).gaps[-1]) == (True, "request id")


def test_the_probe_finds_out_a_model_that_talks():
    with StrictLlmServer(model=talk) as server:
        report = probe(client(server))
    assert not report.obeys
    assert "not_json" in str(report)


def test_the_probe_finds_out_a_mode_that_the_server_does_not_have():
    with StrictLlmServer(dialect="llama_cpp") as server:
        assert "HTTP 404" in str(probe(client(server, "responses_strict")))
        assert "HTTP 422" in str(probe(client(server, "chat_json_schema")))
        assert probe(client(server, "chat_json_object")).obeys


def test_usage_and_request_id_are_reported():
    with StrictLlmServer(reasoning_tokens=7) as server:
        done = client(server).complete(PROMPT, 5.0)
    assert done.usage.reasoning_tokens == 7
    assert done.usage.total_tokens == done.usage.input_tokens + done.usage.output_tokens
    assert done.request_id.startswith("req_")


def test_reasoning_can_use_up_the_output_limit():
    with StrictLlmServer(reasoning_tokens=100) as server:
        done = client(server, max_output_tokens=16).complete(PROMPT, 5.0)
    assert done.failure is Failure.INCOMPLETE


def test_without_the_sdk_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    config = LlmConfig(mode="responses_strict", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(LlmError, match="pip install openai"):
        live_client(config, {}, time.monotonic, time.sleep)


def test_the_policy_mode_has_no_client():
    with pytest.raises(ValueError, match="mode that calls a model"):
        LlmClient(LlmConfig(), Scripted())


def test_importing_the_room_loads_neither_sdk_nor_pydantic():
    names = "body client config exchange keys ledger probe recording replies retry schema transport"
    code = "import sys\n" + "".join(f"import adm_core.llm.{name}\n" for name in names.split())
    code += "print([name for name in ('openai', 'pydantic', 'numpy') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.replace("'", '"')) == []
