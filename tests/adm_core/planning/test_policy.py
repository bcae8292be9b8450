from adm_core.memory.method import Focus
from adm_core.memory.records import ExposedRecord, Exposure, Source, Status
from adm_core.planning.plan import Step
from adm_core.planning.policy import nearest_confident_plan
from adm_core.planning.query import Query
from adm_core.planning.validator import validate
from worlds import at, mission


def record(name, label="can", q=0.9, stamp=0.0, status=Status.OBSERVED):
    return ExposedRecord(name, label, at(1, 1), q, status, stamp, Source.REMOTE, 0.0)


def query(*pairs, held=None):
    records = tuple(item for item, _ in pairs)
    exposure = Exposure(records, held)
    focus = Focus(at(0, 0), held_id=held.id if held else "")
    return Query(mission(), focus, "none", exposure, tuple(float(d) for _, d in pairs))


def target(*pairs):
    steps = nearest_confident_plan(query(*pairs))
    return steps[0].target_id if steps else None


def test_confidence_is_weighed_against_distance():
    assert target((record("e1", q=0.9), 8), (record("e2", q=0.6), 4)) == "e2"
    assert target((record("e1", q=0.9), 8), (record("e2", q=0.4), 4)) == "e1"


def test_ties_go_to_the_newer_measurement_then_to_the_smaller_id():
    assert target((record("e1"), 3), (record("e2", stamp=1.0), 3)) == "e2"
    assert target((record("e2"), 3), (record("e10"), 3), (record("e1"), 3)) == "e1"


def test_what_cannot_be_worked_on_is_passed_over():
    far = float("inf")
    done = record("e3", status=Status.DISMISSED)
    assert target((record("e1"), far), (record("e2", "banana"), 1), (done, 1)) is None


def test_the_plan_fetches_and_delivers_and_is_valid():
    asked = query((record("e1", "bottle"), 3))
    steps = nearest_confident_plan(asked)
    assert [step.skill for step in steps] == [
        "navigate",
        "approach",
        "grasp",
        "navigate",
        "deliver",
    ]
    assert steps[-1] == Step("deliver", "e1", "station_B")
    assert validate(steps, asked) is None


def test_a_held_object_comes_first():
    held = record("e7", status=Status.GRASPED)
    steps = nearest_confident_plan(query((record("e1"), 0), held=held))
    assert steps == (Step("navigate", station_id="station_A"), Step("deliver", "e7", "station_A"))
