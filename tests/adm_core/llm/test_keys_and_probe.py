"""Keys that could not be sent, and what the probe says of an endpoint that gives no answer."""

import pytest
from adm_core.errors import LlmError
from adm_core.llm.client import LlmClient
from adm_core.llm.config import LlmConfig
from adm_core.llm.exchange import Failure, Outcome, RawReply
from adm_core.llm.keys import find_key
from adm_core.llm.probe import probe

LIVE = {"mode": "responses_strict"}


@pytest.mark.parametrize("key", ["schlüssel", "two words", "two\nlines", "bell\x07"])
def test_a_key_that_cannot_stand_in_a_header_is_refused_and_not_shown(tmp_path, key):
    path = tmp_path / "key"
    path.write_text(key, encoding="utf-8")
    for config, environment in (
        (LlmConfig(**LIVE, key_file=str(path)), {}),
        (LlmConfig(**LIVE), {"OPENAI_API_KEY": key}),
    ):
        with pytest.raises(LlmError, match="the key must be one word of printable ASCII") as caught:
            find_key(config, environment)
        assert key not in str(caught.value)


@pytest.mark.parametrize("path", ["\0", "nowhere"])
def test_a_key_file_that_cannot_be_read_is_an_error(path):
    with pytest.raises(LlmError, match="cannot be read"):
        find_key(LlmConfig(**LIVE, key_file=path), {})


def answer(outcome):
    return str(probe(LlmClient(LlmConfig(**LIVE), lambda *_: outcome)))


def test_the_probe_tells_silence_from_disobedience():
    silent = Outcome(None, Failure.CONNECTION, "refused", 0.1, 1)
    assert answer(silent) == "endpoint gave no answer (connection: refused)"
    page = Outcome(RawReply(200, {}, "<html>"), None, "", 0.1, 1)
    assert answer(page).startswith("endpoint gave no answer (bad_body: ")
    missing = Outcome(
        RawReply(404, {}, '{"error": {"message": "no such model"}}'), None, "", 0.1, 1
    )
    assert answer(missing) == "endpoint refuses the request (rejected: HTTP 404: no such model)"
