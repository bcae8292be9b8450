import pytest
from adm_core.config import build
from adm_core.errors import ConfigError, LlmError
from adm_core.llm.config import MODES, LlmConfig
from adm_core.llm.keys import Key, find_key

BAD = [
    ({"mode": "telepathy"}, "mode must be one of"),
    ({"deadline_s": 0.0}, "deadline_s must be >="),
    ({"attempts": 0}, "attempts must be >="),
    ({"temperature": 0.0}, "temperature must be 1 or negative"),
    ({"model": "m", "temperature": 3.0}, "temperature must be <="),
    ({"base_url": "http://me:secret@host/v1"}, "base_url must not hold"),
    ({"mode": "replay"}, "replay must name a recording"),
    ({"mode": "policy", "replay": "f"}, "replay needs mode replay"),
    ({"mode": "policy", "record": "f"}, "record needs a mode"),
    ({"key": "sk-secret"}, "has no parameter key"),
]


@pytest.mark.parametrize(("values", "words"), BAD)
def test_bad_values_are_refused_with_the_rule(values, words):
    with pytest.raises(ConfigError, match=words):
        build(LlmConfig, values)


def test_the_five_modes_have_the_names_used_everywhere():
    assert MODES == (
        "policy",
        "responses_strict",
        "chat_json_schema",
        "chat_json_object",
        "replay",
    )


def test_the_key_comes_from_the_file_before_the_environment(tmp_path):
    path = tmp_path / "key"
    path.write_text("from-file\n")
    config = LlmConfig(mode="responses_strict", key_file=str(path))
    assert find_key(config, {"OPENAI_API_KEY": "from-env"}).reveal() == "from-file"
    config = LlmConfig(mode="responses_strict", key_env="MY_KEY")
    assert find_key(config, {"MY_KEY": "from-env"}).reveal() == "from-env"


def test_a_missing_key_says_what_to_do(tmp_path):
    with pytest.raises(LlmError, match="OPENAI_API_KEY"):
        find_key(LlmConfig(mode="responses_strict"), {})
    with pytest.raises(LlmError, match="cannot be read"):
        find_key(LlmConfig(mode="responses_strict", key_file=str(tmp_path / "no")), {})
    (tmp_path / "empty").write_text("")
    with pytest.raises(LlmError, match="is empty"):
        find_key(LlmConfig(mode="responses_strict", key_file=str(tmp_path / "empty")), {})


def test_a_server_of_ones_own_needs_no_key():
    config = LlmConfig(mode="chat_json_object", base_url="http://127.0.0.1:1/v1")
    assert find_key(config, {}).reveal()


def test_a_key_does_not_print_itself():
    key = Key("sk-very-secret")
    assert "secret" not in f"{key!r} {key}"
    assert key.redact("wrong key sk-very-secret given") == "wrong key [key] given"
