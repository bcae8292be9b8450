import json

import pytest
from adm_core.llm.body import CHAT, RESPONSES
from adm_core.llm.exchange import Failure, Outcome, RawReply, Usage
from adm_core.llm.replies import read, read_usage

SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
JSON = {"content-type": "application/json", "x-request-id": "req_1"}


def raw(body, status=200, headers=JSON):
    text = body if isinstance(body, str) else json.dumps(body)
    return Outcome(RawReply(status, headers, text), None, "", 0.1, 1)


def response(*parts, status="completed", **more):
    message = {"type": "message", "content": list(parts)}
    return raw({"status": status, "output": [{"type": "reasoning"}, message], **more})


def text(value):
    return {"type": "output_text", "text": value}


def chat(content, finish="stop", **message):
    choice = {"finish_reason": finish, "message": {"content": content, **message}}
    return raw({"choices": [choice]})


REFUSAL = {"type": "refusal", "refusal": "no"}
CUT = {"incomplete_details": {"reason": "max_output_tokens"}}

CASES = [
    (RESPONSES, Outcome(None, Failure.TIMEOUT, "late", 1.0, 1), Failure.TIMEOUT),
    (RESPONSES, Outcome(None, Failure.CONNECTION, "gone", 1.0, 1), Failure.CONNECTION),
    (RESPONSES, raw({"error": {"message": "m"}}, 429), Failure.RATE_LIMITED),
    (RESPONSES, raw("oops", 503), Failure.SERVER_ERROR),
    (RESPONSES, raw({"error": "x"}, 409), Failure.SERVER_ERROR),
    (RESPONSES, raw({"error": {"message": "bad"}}, 400), Failure.REJECTED),
    (RESPONSES, raw("<html>", headers={"content-type": "text/html"}), Failure.BAD_BODY),
    (RESPONSES, raw("[1]"), Failure.BAD_BODY),
    (RESPONSES, raw({"choices": []}), Failure.BAD_BODY),
    (RESPONSES, response(text('{"ok":tr'), status="incomplete", **CUT), Failure.INCOMPLETE),
    (RESPONSES, response(REFUSAL, status="incomplete", **CUT), Failure.INCOMPLETE),
    (RESPONSES, response(text('{"ok":true}'), status="incomplete"), Failure.NOT_COMPLETED),
    (RESPONSES, response(text('{"ok":true}'), status="failed"), Failure.NOT_COMPLETED),
    (RESPONSES, response(text('{"ok":true}'), status="cancelled"), Failure.NOT_COMPLETED),
    (RESPONSES, response(text('{"ok":true}'), status="from_next_year"), Failure.NOT_COMPLETED),
    (RESPONSES, response(text('{"ok":true}'), error={"code": "x"}), Failure.NOT_COMPLETED),
    (RESPONSES, response(text('{"ok":true}'), REFUSAL), Failure.REFUSED),
    (RESPONSES, response(text("I will not.")), Failure.NOT_JSON),
    (RESPONSES, response(), Failure.NOT_JSON),
    (RESPONSES, raw({"status": "completed", "output": [{"type": "message", "content": 5}]}),
     Failure.NOT_JSON),
    (RESPONSES, response(text('{"ok":1}')), Failure.SCHEMA),
    (RESPONSES, response(text('{"ok":'), text("true}")), None),
    (CHAT, chat('{"ok":true}'), None),
    (CHAT, chat('{"ok":tr', "length"), Failure.INCOMPLETE),
    (CHAT, chat('{"ok":true}', "content_filter"), Failure.NOT_COMPLETED),
    (CHAT, chat('{"ok":true}', "tool_calls"), Failure.NOT_COMPLETED),
    (CHAT, chat('{"ok":true}', None), Failure.NOT_COMPLETED),
    (CHAT, chat(None, refusal="no"), Failure.REFUSED),
    (CHAT, chat(None), Failure.NOT_JSON),
    (CHAT, chat('{"ok":"yes"}'), Failure.SCHEMA),
    (CHAT, raw({"choices": []}), Failure.BAD_BODY),
    (CHAT, raw({"status": "completed", "output": []}), Failure.BAD_BODY),
]  # fmt: skip


@pytest.mark.parametrize(("route", "outcome", "failure"), CASES, ids=range(len(CASES)))
def test_replies_are_checked_in_order_each_with_its_code(route, outcome, failure):
    reading = read(outcome, route, SCHEMA)
    assert reading.failure is failure
    assert (reading.value == {"ok": True}) == (failure is None)


def test_every_failure_is_covered():
    assert {failure for _, _, failure in CASES} == {None, *Failure}


def test_usage_is_read_in_the_words_of_both_apis():
    responses = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 3},
        "total_tokens": 15,
    }
    chat_words = {
        "prompt_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens": 5,
        "completion_tokens_details": {"reasoning_tokens": 3},
        "total_tokens": 15,
    }
    assert read_usage(responses) == read_usage(chat_words) == Usage(10, 4, 5, 3, 15)


@pytest.mark.parametrize(
    "usage",
    [None, {}, [], "many", {"input_tokens": -1}, {"input_tokens": "9"}, {"input_tokens": True}],
)
def test_missing_or_senseless_usage_is_none_and_not_zero(usage):
    assert read_usage(usage) == Usage()
