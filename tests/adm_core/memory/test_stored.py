"""Stored data that is damaged: one clear error, whatever is wrong with it."""

import pytest
from adm_core.errors import AuditError
from adm_core.memory.stored import sound, stored_value


@pytest.mark.parametrize("text", ["{", "", None, 5, b"\xff", "[" * 100_000, "[1]"])
def test_anything_but_json_of_the_type_is_damage(text):
    with pytest.raises(AuditError, match=r"^entry 3 is damaged: no "):
        stored_value(text, dict, "entry 3")


def test_sound_values_come_through():
    assert stored_value('{"a": [1]}', dict, "entry 3") == {"a": [1]}


@pytest.mark.parametrize("error", [KeyError("k"), TypeError("t"), ValueError("v"), IndexError()])
def test_what_cannot_be_rebuilt_is_damage(error):
    with pytest.raises(AuditError, match=r"^entry 3 is damaged: "), sound("entry 3"):
        raise error
