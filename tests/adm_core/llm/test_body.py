import json

import pytest
from adm_core.llm.body import CHAT, RESPONSES, request, strict_subset
from adm_core.llm.config import LIVE_MODES, LlmConfig
from adm_core.llm.exchange import Prompt
from adm_core.planning.plan_schema import plan_schema
from adm_core.testing.llm_rules import check_chat, check_llama_cpp, check_responses

PROMPT = Prompt("Answer in JSON.", (("a", "1"), ("b", '"x"')), "adm_plan", plan_schema())
CHECKS = {
    "responses_strict": check_responses,
    "chat_json_schema": check_chat,
    "chat_json_object": check_llama_cpp,
}


@pytest.mark.parametrize("mode", LIVE_MODES)
@pytest.mark.parametrize("prompt", [PROMPT, PROMPT.repair(("schema: steps: missing",))])
@pytest.mark.parametrize(
    "more",
    [{}, {"effort": "low", "verbosity": "low"}, {"temperature": 1.0}, {"model": "gpt-4.1"},
     {"model": "gpt-4.1", "temperature": 0.0}],
)  # fmt: skip
def test_requests_keep_the_documented_rules(mode, prompt, more):
    _, body = request(prompt, LlmConfig(mode=mode, **more))
    assert CHECKS[mode](body) is None


def test_responses_are_never_stored_and_never_linked():
    route, body = request(PROMPT, LlmConfig(mode="responses_strict"))
    assert (route, body["store"]) == (RESPONSES, False)
    assert "previous_response_id" not in body
    assert "temperature" not in body
    assert body["text"]["format"]["strict"] is True


def test_local_keywords_stay_at_home():
    assert "maxLength" in json.dumps(plan_schema())
    _, strict = request(PROMPT, LlmConfig(mode="chat_json_schema"))
    assert "maxLength" not in json.dumps(strict)
    _, loose = request(PROMPT, LlmConfig(mode="chat_json_object"))
    assert loose["response_format"] == {"type": "json_object", "schema": plan_schema()}
    assert strict_subset({"maxLength": 3, "items": [{"maxLength": 2}]}) == {"items": [{}]}


def test_a_repair_adds_the_codes_and_nothing_of_the_answer():
    config = LlmConfig(mode="chat_json_object", model="m")
    route, first = request(PROMPT, config)
    _, second = request(PROMPT.repair(("validator:not_held: step 1: not_held",)), config)
    assert route == CHAT
    assert second["messages"][:-1] == first["messages"]
    added = json.loads(second["messages"][-1]["content"])
    assert added == {"your_previous_answer_was_refused": ["validator:not_held: step 1: not_held"]}


def test_the_user_turn_is_one_json_object_in_the_order_of_the_blocks():
    assert PROMPT.user_text == '{"a":1,"b":"x"}'
    assert PROMPT.sizes() == {"instructions": len("Answer in JSON."), "a": 1, "b": 3}
