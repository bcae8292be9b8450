import pytest
from adm_core.search.room_words import canonical_type, is_passage, matching_types, singular
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


@pytest.mark.parametrize("name", ["corridor", "Hallway", "unknown", "lobbies", "kitchen/hall"])
def test_passages_lead_on(name):
    assert is_passage(name)


@pytest.mark.parametrize("name", ["kitchen", "bedroom", "type 7", ""])
def test_rooms_do_not_lead_on(name):
    assert not is_passage(name)


def test_singular_leaves_words_that_only_look_plural():
    assert [singular(word) for word in ("glass", "bus", "axis")] == ["glass", "bus", "axis"]


@pytest.mark.parametrize(
    ("wanted", "names", "found"),
    [
        ("toilet", {"Toilet", "Bathroom"}, {"Toilet"}),
        ("washroom", {"Toilet", "Bathroom"}, {"Toilet", "Bathroom"}),
        ("kitchen", {"kitchen/office", "office"}, {"kitchen/office"}),
        ("study", {"kitchen/office", "office"}, {"kitchen/office", "office"}),
        ("gym", {"Gym", "lab"}, {"Gym"}),
        ("sauna", {"Gym", "lab"}, set()),
        ("", {"", "lab"}, set()),
    ],
)
def test_wanted_type_matches_equal_names_or_else_those_that_mean_it(wanted, names, found):
    assert matching_types(wanted, names) == found


@pytest.mark.parametrize("wanted", ["kitchen", "Offices", "study", "kitchen/office"])
def test_a_room_with_several_uses_answers_to_each_and_to_all(wanted):
    assert matching_types(wanted, ["kitchen/office", "bathroom"]) == {"kitchen/office"}
