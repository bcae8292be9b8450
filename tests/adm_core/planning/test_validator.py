import math

import pytest
from adm_core.memory.method import Focus
from adm_core.memory.records import ExposedRecord, Exposure, Source, Status
from adm_core.planning.plan import Step
from adm_core.planning.query import Query
from adm_core.planning.validator import MAX_STEPS, Refusal, validate
from worlds import at, mission

N, A, G, D, V = "navigate", "approach", "grasp", "deliver", "verify"
CAN, BOTTLE, DONE = "e1", "e2", "e3"
TO_A, TO_B = Step(N, station_id="station_A"), Step(N, station_id="station_B")
FETCH_CAN = (Step(N, CAN), Step(A, CAN), Step(G, CAN))
FETCH_BOTTLE = (Step(N, BOTTLE), Step(A, BOTTLE), Step(G, BOTTLE))


def record(name, label, status=Status.OBSERVED):
    return ExposedRecord(name, label, at(1, 1), 0.9, status, 0.0, Source.REMOTE, 0.5)


SHOWN = (
    record(CAN, "can"),
    record(BOTTLE, "bottle"),
    record("e4", "can", Status.DISMISSED),
    record("e5", "can", Status.GRASPED),
    record("e6", "glass"),
    record("far", "can"),
)


def query(held="", shown=SHOWN):
    in_hand = record("e9", "can", Status.GRASPED) if held else None
    exposure = Exposure(shown, in_hand, ((DONE, Status.DELIVERED),))
    ways = tuple(math.inf if item.id == "far" else 1.0 for item in shown)
    return Query(mission(), Focus(at(0, 0), held_id=held), "none", exposure, ways)


GOOD = [
    (*FETCH_CAN, TO_A, Step(D, CAN, "station_A")),
    (
        *FETCH_CAN,
        TO_A,
        Step(D, CAN, "station_A"),
        *FETCH_BOTTLE,
        TO_B,
        Step(D, BOTTLE, "station_B"),
    ),
    (Step(N, CAN), Step(G, CAN)),
    (Step(V, CAN), Step(N, CAN), Step(G, CAN)),
]

BAD = [
    ((Step("fly", CAN),), 0, Refusal.UNKNOWN_SKILL),
    ((Step(N),), 0, Refusal.MISSING_ARGUMENT),
    ((Step(N, CAN, "station_A"),), 0, Refusal.UNEXPECTED_ARGUMENT),
    ((Step(G),), 0, Refusal.MISSING_ARGUMENT),
    ((Step(N, CAN), Step(G, CAN, "station_A")), 1, Refusal.UNEXPECTED_ARGUMENT),
    ((*FETCH_CAN, TO_A, Step(D, CAN)), 4, Refusal.MISSING_ARGUMENT),
    ((Step(N, "e77"),), 0, Refusal.UNKNOWN_ENTITY),
    ((Step(N, station_id="station_Z"),), 0, Refusal.UNKNOWN_STATION),
    ((Step(N, DONE),), 0, Refusal.TERMINAL_TARGET),
    ((Step(N, "e4"),), 0, Refusal.TERMINAL_TARGET),
    ((*FETCH_CAN, *FETCH_BOTTLE), 5, Refusal.HANDS_FULL),
    ((TO_A, Step(D, CAN, "station_A")), 1, Refusal.NOT_HELD),
    ((Step(G, CAN),), 0, Refusal.NOT_AT_TARGET),
    ((Step(N, BOTTLE), Step(A, CAN)), 1, Refusal.NOT_AT_TARGET),
    ((*FETCH_CAN, Step(D, CAN, "station_A")), 3, Refusal.NOT_AT_STATION),
    ((*FETCH_CAN, TO_B, Step(D, CAN, "station_B")), 4, Refusal.INCOMPATIBLE_STATION),
    ((*FETCH_CAN, TO_A, Step(D, CAN, "station_A"), Step(N, CAN)), 5, Refusal.TERMINAL_TARGET),
    ((Step(N, "e5"),), 0, Refusal.TARGET_STATUS),
    ((*FETCH_CAN, Step(N, CAN)), 3, Refusal.TARGET_HELD),
    ((Step(N, "far"),), 0, Refusal.UNREACHABLE),
    ((Step(N, "e6"), Step(A, "e6"), Step(G, "e6")), 2, Refusal.NO_STATION),
    ((Step(N, CAN), Step(V, CAN)), 1, Refusal.NO_PROGRESS),
    ((), 0, Refusal.EMPTY_PLAN),
    (tuple(Step(V, CAN) for _ in range(MAX_STEPS + 1)), MAX_STEPS, Refusal.TOO_LONG),
]


@pytest.mark.parametrize("steps", GOOD)
def test_plans_that_keep_the_rules_are_accepted(steps):
    assert validate(steps, query()) is None


@pytest.mark.parametrize(("steps", "index", "code"), BAD)
def test_plans_that_break_a_rule_are_refused_with_its_code(steps, index, code):
    finding = validate(steps, query())
    assert (finding.index, finding.code) == (index, code)


def test_every_refusal_is_covered():
    assert {code for _, _, code in BAD} == set(Refusal)


def test_with_a_held_object_only_its_delivery_is_valid():
    assert validate((TO_A, Step(D, "e9", "station_A")), query(held="e9")) is None
    assert validate(FETCH_CAN, query(held="e9")).code is Refusal.HANDS_FULL


def test_an_empty_plan_is_valid_where_nothing_can_be_worked_on():
    assert validate((), query(shown=SHOWN[2:])) is None
    assert validate((), query(held="e9")).code is Refusal.EMPTY_PLAN
