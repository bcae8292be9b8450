import pytest
from adm_core.search.tokens import estimate_tokens
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("room", 1),
        ("living room", 3),  # 11 bytes
        ("12", 1),
        ("1234", 2),
        ("[1,2,3]", 7),
        ("internationalisation", 5),  # 20 bytes
        ("ä" * 40, 20),
    ],
)
def test_estimate_is_the_larger_of_bytes_and_pieces(text, tokens):
    assert estimate_tokens(text) == tokens


@given(st.text(max_size=200))
def test_estimate_is_never_below_four_bytes_a_token(text):
    assert estimate_tokens(text) * 4 >= len(text.encode("utf-8", "replace"))


@given(st.text("abc12 ,[]", max_size=40), st.text("abc12 ,[]", max_size=40))
def test_parts_are_never_cheaper_than_the_whole(left, right):
    assert estimate_tokens(left + right) <= estimate_tokens(left) + estimate_tokens(right) + 1
