"""Spellings of rooms and types."""

import pytest
from adm_core.grid.floorplans.words import type_name, without_number


@pytest.mark.parametrize(
    "word, name",
    [
        ("Living_Room", "living room"),
        ("Toilet", "bathroom"),
        ("Guest_Room", "bedroom"),
        ("  Dining-Room ", "dining room"),
        ("Kitchen", "kitchen"),
    ],
)
def test_types_are_spelt_alike(word, name):
    assert type_name(word) == name


@pytest.mark.parametrize(
    "name, stem",
    [
        ("Room 12", "room"),
        ("Kitchen 2", "kitchen"),
        ("office_3b", "office"),
        ("Lab A", "lab"),
        ("corridor", "corridor"),
        ("Room", "room"),
        ("12", ""),
    ],
)
def test_numbers_are_no_part_of_a_type(name, stem):
    assert without_number(name) == stem
