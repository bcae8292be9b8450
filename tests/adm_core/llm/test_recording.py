import json

import pytest
from adm_core.errors import LlmError
from adm_core.llm.exchange import Failure, Outcome, RawReply
from adm_core.llm.recording import Recorder, RecordingExchange, Replay

REPLY = RawReply(200, {"x-request-id": "r", "set-cookie": "secret"}, '{"a":1}')
OUTCOMES = [
    Outcome(REPLY, None, "", 0.25, 1),
    Outcome(None, Failure.TIMEOUT, "late", 25.0, 3),
    Outcome(RawReply(429, {}, ""), None, "", 0.5, 2),
]


def recording(path, *bodies):
    outcomes = iter(OUTCOMES)
    with Recorder(path, {"mode": "m"}) as recorder:
        exchange = RecordingExchange(lambda *_: next(outcomes), recorder)
        return [exchange("responses", body, 25.0) for body in bodies]


def test_a_replay_gives_what_was_recorded_failures_too(tmp_path):
    path = tmp_path / "r.jsonl"
    given = recording(path, {"n": 1}, {"n": 1}, {"n": 2})
    replay = Replay(path)
    assert replay.settings == {"mode": "m"}
    played = [replay("responses", body, 25.0) for body in ({"n": 2}, {"n": 1}, {"n": 1})]
    order = [given[2], given[0], given[1]]
    for was, now in zip(order, played, strict=True):
        assert (now.failure, now.latency_s, now.attempts) == (
            was.failure,
            was.latency_s,
            was.attempts,
        )
        assert (now.reply and now.reply.body) == (was.reply and was.reply.body)
    assert replay.unused == 0


def test_only_harmless_headers_are_kept(tmp_path):
    recording(tmp_path / "r.jsonl", {"n": 1})
    assert "secret" not in (tmp_path / "r.jsonl").read_text()


def test_a_miss_is_loud_and_says_where_the_request_differs(tmp_path):
    recording(tmp_path / "r.jsonl", {"input": [{"text": "robot at 1"}]})
    replay = Replay(tmp_path / "r.jsonl")
    with pytest.raises(LlmError, match=r"request\.input\[0\]\.text, character 9"):
        replay("responses", {"input": [{"text": "robot at 2"}]}, 1.0)
    replay("responses", {"input": [{"text": "robot at 1"}]}, 1.0)
    with pytest.raises(LlmError, match="all of its 1 exchanges are used up"):
        replay("responses", {"input": [{"text": "robot at 1"}]}, 1.0)


def test_the_route_is_part_of_the_request(tmp_path):
    recording(tmp_path / "r.jsonl", {"n": 1})
    with pytest.raises(LlmError, match="no answer left"):
        Replay(tmp_path / "r.jsonl")("chat/completions", {"n": 1}, 1.0)


def test_an_old_recording_is_never_overwritten(tmp_path):
    recording(tmp_path / "r.jsonl", {"n": 1})
    with pytest.raises(LlmError, match="already exists"):
        Recorder(tmp_path / "r.jsonl", {})
    with pytest.raises(LlmError, match="cannot be written"):
        Recorder(tmp_path / "no" / "r.jsonl", {})


@pytest.mark.parametrize("text", ["", "{}", "[1]", "no json", '{"adm_llm_recording": 99}'])
def test_a_file_that_is_no_recording_is_refused(tmp_path, text):
    (tmp_path / "r.jsonl").write_text(text)
    with pytest.raises(LlmError, match=r"recording|damaged"):
        Replay(tmp_path / "r.jsonl")
    with pytest.raises(LlmError, match="cannot be read"):
        Replay(tmp_path / "none.jsonl")


def test_each_exchange_is_on_disk_before_its_answer_is_used(tmp_path):
    path = tmp_path / "r.jsonl"
    recorder = Recorder(path, {})
    RecordingExchange(lambda *_: OUTCOMES[0], recorder)("responses", {}, 1.0)
    assert len(path.read_text().splitlines()) == 2
    assert json.loads(path.read_text().splitlines()[1])["status"] == 200
    recorder.close()
