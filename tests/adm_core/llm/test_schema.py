import json

import pytest
from adm_core.llm.schema import MAX_TEXT, parse_json, violation
from hypothesis import given
from hypothesis import strategies as st

SCHEMA = {
    "type": "object",
    "properties": {
        "word": {"type": "string", "maxLength": 3},
        "kind": {"type": ["string", "null"], "enum": ["a", "b", None]},
        "list": {
            "type": "array",
            "items": {"type": "integer"},
            "minItems": 1,
            "maxItems": 2,
        },
    },
    "required": ["word", "kind", "list"],
    "additionalProperties": False,
}
GOOD = {"word": "abc", "kind": None, "list": [1]}

BAD = [
    ([], "answer: must be object"),
    ("x", "answer: must be object"),
    ({"word": "abc", "kind": "a"}, "list: missing"),
    ({**GOOD, "more": 1}, "answer: has a property that is not allowed"),
    ({**GOOD, "word": 3}, "word: must be string"),
    ({**GOOD, "word": "abcd"}, "word: longer than 3 characters"),
    ({**GOOD, "kind": "c"}, "kind: not one of the allowed values"),
    ({**GOOD, "kind": 0}, "kind: must be string or null"),
    ({**GOOD, "list": []}, "list: fewer than 1 items"),
    ({**GOOD, "list": [1, 2, 3]}, "list: more than 2 items"),
    ({**GOOD, "list": [1, True]}, "list[1]: must be integer"),
    ({**GOOD, "list": [1.0]}, "list[0]: must be integer"),
]

NOT_BARE = [
    "",
    "Sure: {}",
    "{} done",
    "```json\n{}\n```",
    '{"a":1,"a":2}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":"\\ud800"}',
    "[" * 100_000,
    "[" * 30_000,
    "1" * 5_000,
    " " * (MAX_TEXT + 1),
    '{"a":1',
    "\ufeff{}",
]


def test_a_value_that_obeys_has_no_violation():
    assert violation(GOOD, SCHEMA) is None


@pytest.mark.parametrize(("value", "words"), BAD)
def test_the_first_violation_names_place_and_rule(value, words):
    assert violation(value, SCHEMA) == words


def test_a_keyword_that_is_not_checked_is_not_skipped_in_silence():
    with pytest.raises(ValueError, match="pattern"):
        violation("x", {"type": "string", "pattern": "y"})


@pytest.mark.parametrize("text", NOT_BARE, ids=range(len(NOT_BARE)))
def test_only_bare_unambiguous_json_is_read(text):
    with pytest.raises(ValueError) as caught:
        parse_json(text)
    assert "Sure" not in str(caught.value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=8,
    )
)
def test_what_is_written_as_json_is_read_back(value):
    try:
        text = json.dumps(value)
        text.encode().decode("unicode_escape")
        assert parse_json(text) == value
    except ValueError as err:
        assert "half a character" in str(err)
