import pytest
from adm_core.llm.body import strict_subset
from adm_core.llm.schema import violation
from adm_core.search.assignment_schema import assignment_schema, read_assignment, refusal
from adm_core.testing.llm_schema_rules import schema_problem
from hypothesis import given
from hypothesis import strategies as st


def answer(*pairs, summary="s"):
    items = [{"robot": robot, "room": room} for robot, room in pairs]
    return {"summary": summary, "assignments": items}


@pytest.mark.parametrize("enum_ids", [False, True])
def test_schema_is_in_the_strict_subset(enum_ids):
    schema = assignment_schema((0, 1), (3, 4), enum_ids=enum_ids)
    assert schema_problem(strict_subset(schema)) is None


def test_valid_answer_obeys_the_schema():
    value = answer((0, 3), (1, 3))
    assert violation(value, assignment_schema((0, 1), (3, 4), enum_ids=True)) is None
    assert read_assignment(value) == ("s", [(0, 3), (1, 3)])


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        {"summary": "s"},
        answer((0, 3)),  # one robot too few
        answer((0, 3), (1, 3), (2, 3)),  # one too many
        answer((0, 3.0), (1, 3)),
        answer((0, "3"), (1, 3)),
        answer((0, None), (1, 3)),
        answer((True, 3), (1, 3)),
        answer((0, 3), (1, 3), summary="x" * 400),
        {**answer((0, 3), (1, 3)), "thoughts": "hm"},
    ],
)
def test_answers_of_another_shape_break_the_schema(value):
    assert violation(value, assignment_schema((0, 1), (3, 4)))


def test_enum_admits_present_ids_only():
    schema = assignment_schema((0, 1), (3, 4), enum_ids=True)
    assert violation(answer((0, 3), (1, 5)), schema)
    assert violation(answer((0, 3), (2, 4)), schema)


@pytest.mark.parametrize(
    ("pairs", "code"),
    [
        ([(0, 3), (1, 4)], None),
        ([(0, 3), (1, 3)], None),
        ([(0, 3), (7, 4)], "unknown_robot"),
        ([(0, 3), (-1, 4)], "unknown_robot"),
        ([(0, 3), (0, 4)], "duplicate_robot"),
        ([(0, 3), (0, 3)], "duplicate_robot"),
        ([(0, 3), (1, 99)], "unknown_room"),
        ([(0, 0), (1, 3)], "unknown_room"),
        ([(0, 3)], "missing_robot"),
        ([], "missing_robot"),
    ],
)
def test_validator_names_the_first_reason(pairs, code):
    found = refusal(pairs, (0, 1), {3, 4})
    assert (found and found[0]) == code


@given(
    st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), max_size=6),
    st.sets(st.integers(0, 3)),
    st.sets(st.integers(0, 3)),
)
def test_validator_admits_exactly_one_known_room_for_each_robot(pairs, robots, rooms):
    valid = sorted(robot for robot, _ in pairs) == sorted(robots) and all(
        room in rooms for _, room in pairs
    )
    assert (refusal(pairs, robots, rooms) is None) == valid
