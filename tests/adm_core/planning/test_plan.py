import pytest
from adm_core.memory.records import Change
from adm_core.planning.plan import Step, dependencies, triggering_change

FETCH = (
    Step("navigate", "e1"),
    Step("approach", "e1"),
    Step("grasp", "e1"),
    Step("navigate", station_id="station_A"),
    Step("deliver", "e1", "station_A"),
)


def change(entity, field, new="x"):
    return Change(entity, field, "old", new)


def test_a_plan_depends_on_what_its_arguments_and_preconditions_read():
    fields = {"pose", "supported", "support", "label", "status"}
    assert dependencies(FETCH) == {("e1", field) for field in fields}


def test_after_the_grasp_the_pose_no_longer_matters():
    assert dependencies(FETCH[3:]) == {("e1", "label"), ("e1", "status")}


@pytest.mark.parametrize("field", ["stamp", "source", "confidence"])
def test_time_source_and_confidence_never_trigger(field):
    assert triggering_change([change("e1", field)], FETCH) is None


def test_an_unrelated_entity_never_triggers():
    assert triggering_change([change("e2", "pose"), change("e2", "status")], FETCH) is None


def test_a_moved_target_triggers_until_it_is_held():
    moved = change("e1", "pose")
    assert triggering_change([moved], FETCH) is moved
    assert triggering_change([moved], FETCH[3:]) is None


def test_a_predicted_effect_does_not_trigger_but_another_value_does():
    predicted = frozenset({("e1", "status", "grasped")})
    assert triggering_change([change("e1", "status", "grasped")], FETCH[3:], predicted) is None
    assert triggering_change([change("e1", "status", "dismissed")], FETCH[3:], predicted)


def test_a_step_prints_as_a_call():
    assert [str(step) for step in FETCH[2:]] == [
        "grasp(e1)",
        "navigate(station_A)",
        "deliver(e1, station_A)",
    ]
