import pytest
from adm_core.search.room_words import canonical_type, is_passage, singular
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("kitchen", "kitchen"),
        ("Kitchens", "kitchen"),
        ("washroom", "bathroom"),
        ("Wash-Room", "wash room"),
        ("WC", "bathroom"),
        ("Living_Room", "living room"),
        ("living rooms", "living room"),
        ("living", "living room"),
        ("laboratories", "lab"),
        ("Child's Room", "bedroom"),
        ("offices", "office"),
        ("stairs", "stairs"),
        ("hallways", "corridor"),
        ("glass", "glass"),
        ("boxes", "box"),
        ("", ""),
        ("  ", ""),
    ],
)
def test_names_of_one_type_have_one_canonical_name(name, canonical):
    assert canonical_type(name) == canonical


@given(st.text(max_size=30))
def test_canonical_name_is_its_own(name):
    assert canonical_type(canonical_type(name)) == canonical_type(name)


@pytest.mark.parametrize("name", ["corridor", "Hallway", "unknown", "lobbies"])
def test_passages_lead_on(name):
    assert is_passage(name)


@pytest.mark.parametrize("name", ["kitchen", "bedroom", "type 7", ""])
def test_rooms_do_not_lead_on(name):
    assert not is_passage(name)


def test_singular_leaves_words_that_only_look_plural():
    assert [singular(word) for word in ("glass", "bus", "axis")] == ["glass", "bus", "axis"]
