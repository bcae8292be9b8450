"""YAML is read, or refused in one line."""

import pytest
from adm_core.files import parse_yaml

ODD = ["!!timestamp abc", "!!bool maybe", "!!int x", "!!float y", "a: 1\na b", "[" * 3000, "!x 1"]


@pytest.mark.parametrize("text", [*ODD, "\x00", "? [a]\n: 1", "{[]: 1}", "!!binary ä", "*a"])
def test_what_is_no_yaml_is_a_value_error_of_one_line(text):
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
        parse_yaml(text)


def test_the_line_of_a_mistake_comes_first():
    with pytest.raises(ValueError, match=r"^line 3: "):
        parse_yaml("a: 1\nb: 2\nc: ]\n")


def test_a_document_comes_through():
    assert parse_yaml("a: [1, x]") == {"a": [1, "x"]}
    assert parse_yaml("") is None
