import pytest
from adm_core.manipulation.sequence import ArmEnd
from adm_core.manipulation.servo import ServoState
from adm_core.memory.records import FailureReason
from adm_core.planning.body import arm_reason, servo_reason


@pytest.mark.parametrize("end", ArmEnd)
def test_every_end_of_the_arm_has_a_reason_and_only_success_has_none(end):
    assert (arm_reason(end) is FailureReason.NONE) == (end is ArmEnd.NONE)


@pytest.mark.parametrize("state", [item for item in ServoState if item is not ServoState.RUNNING])
def test_every_end_of_the_servo_has_a_reason(state):
    assert (servo_reason(state, True) is FailureReason.NONE) == (state is ServoState.CENTRED)


def test_only_what_was_never_seen_is_absent():
    assert servo_reason(ServoState.LOST, was_seen=False) is FailureReason.ABSENT
    assert servo_reason(ServoState.LOST, was_seen=True) is FailureReason.LOST


def test_a_running_approach_has_no_reason():
    with pytest.raises(ValueError, match="running"):
        servo_reason(ServoState.RUNNING, True)


def test_an_empty_hand_at_the_station_means_dropped():
    assert arm_reason(ArmEnd.EMPTY).empties_hand
    assert not arm_reason(ArmEnd.NOT_RELEASED).empties_hand
