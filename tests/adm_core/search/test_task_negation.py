"""What robots are told not to do is no task."""

import pytest
from adm_core.search.task_negation import plain_negations, without_forbidden
from adm_core.search.task_parser import NOT_ASKED, parse_task

TYPES = ["bathroom", "kitchen", "office", "corridor"]


@pytest.mark.parametrize(
    "sentence",
    [
        "don't explore", "Do NOT explore!", "don\u2019t explore the building", "dont explore",
        "never explore the floor", "don't look for the cup", "please do not look for my cup",
        "do not find the cup in the kitchen", "don't search the kitchen", "no exploration",
        "stop exploring", "avoid exploring", "refrain from exploring", "you should not explore",
        "I don't want you to explore", "explore nothing", "find nothing",
        "do not even look into the office",
    ],
)  # fmt: skip
def test_a_sentence_that_only_forbids_is_not_carried_out(sentence):
    task, warnings = parse_task(sentence, TYPES)
    assert warnings == (NOT_ASKED,)
    assert "nothing to look for was understood" in NOT_ASKED
    assert not task.is_search


@pytest.mark.parametrize(
    ("sentence", "thing", "clause"),
    [
        ("find the cup, don't search the office", "cup", "do not search the office"),
        ("find the cup; never enter the office", "cup", "never enter the office"),
        ("don't explore but find the cup", "cup", "do not explore"),
        ("find the cup without searching the kitchen", "cup", "without searching the kitchen"),
        ("explore, do not look for the cup", "", "do not look for the cup"),
    ],
)
def test_what_is_forbidden_besides_a_task_is_left_out_and_said(sentence, thing, clause):
    task, warnings = parse_task(sentence, TYPES)
    assert (task.object, task.room_type) == (thing, "")
    assert warnings == (f"left out: {clause!r}",)
    assert task.text == sentence


@pytest.mark.parametrize(
    ("sentence", "thing", "room"),
    [
        ("I can't find my cup", "cup", ""),
        ("I don't see my cup", "cup", ""),
        ("I never find my keys", "keys", ""),
        ("I cannot find my keys in the kitchen", "keys", "kitchen"),
        ("find the cup, it isn't in the kitchen", "cup", ""),
        ("find the cup, not in the kitchen", "cup", ""),
        ("why don't you explore the flat", "", ""),
        ("don't forget to explore", "", ""),
        ("find the no smoking sign", "no smoking sign", ""),
        ("find the no go sign", "no go sign", ""),
    ],
)
def test_other_negations_forbid_nothing(sentence, thing, room):
    task, warnings = parse_task(sentence, TYPES)
    assert (task.object, task.room_type, warnings) == (thing, room, ())


def test_clauses_are_taken_out_of_the_text():
    text = plain_negations("don't enter the lab, find it. it isn't red")
    assert text == "do not enter the lab, find it. it is not red"
    assert without_forbidden(text) == (", find it. it is not red", ("do not enter the lab",))
