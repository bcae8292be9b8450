"""Hold, resume, step, cancel and the latched emergency stop, by themselves."""

import threading

import pytest
from adm_core.memory.edits import EditKind, OperatorEdit
from adm_core.planning.controls import Controls, Word

EDIT = OperatorEdit("ada", EditKind.PIN, "e001")


def test_a_mission_begins_to_run_unless_it_is_to_be_held():
    assert not Controls().held
    assert Controls(held=True).held


def test_hold_and_resume():
    controls = Controls()
    controls.hold("ada", "lunch")
    assert controls.held
    controls.resume("bob")
    assert not controls.held
    assert [(item.word, item.operator, item.detail) for item in controls.take_news()] == [
        (Word.HOLD, "ada", "lunch"),
        (Word.RESUME, "bob", ""),
    ]
    assert controls.take_news() == []


def test_a_step_ends_where_the_next_skill_begins():
    controls = Controls(held=True)
    controls.step("ada")
    assert not controls.held
    controls.reaches_boundary()
    assert controls.held


def test_an_emergency_stop_is_latched_until_it_is_reset_and_then_still_held():
    controls = Controls()
    controls.estop("ada")
    controls.resume("ada")
    controls.step("ada")
    assert controls.held
    controls.reset("ada")
    assert not controls.stopped
    controls.hold("ada")
    assert controls.held


def test_a_reset_does_not_set_anything_in_motion():
    controls = Controls()
    controls.estop("ada")
    controls.reset("ada")
    assert controls.held


def test_listeners_are_told_of_a_stop_before_the_mission_looks():
    heard, controls = [], Controls()
    controls.listeners.append(heard.append)
    controls.estop("ada", "dog on the track")
    assert [(item.word, item.detail) for item in heard] == [(Word.ESTOP, "dog on the track")]


def test_a_stop_of_an_earlier_run_stays_latched():
    controls = Controls()
    controls.latch()
    assert controls.stopped
    assert controls.held


def test_a_stop_of_an_earlier_run_can_be_lifted_by_name():
    controls = Controls(reset_by="ada")
    controls.latch()
    assert not controls.held
    assert controls.take_news()[-1].operator == "ada"


@pytest.mark.parametrize("act", [Controls.resume, Controls.cancel, Controls.step])
def test_a_waiting_mission_is_woken_by_another_thread(act):
    controls = Controls(held=True)
    timer = threading.Timer(0.05, act, (controls, "ada"))
    timer.start()
    controls.wait()
    timer.join()
    assert not controls.held


def test_an_edit_wakes_a_held_mission_but_not_a_stopped_one():
    controls = Controls(held=True)
    controls.edit(EDIT)
    controls.wait()
    assert controls.take_edits() == (EDIT,)
    assert controls.take_edits() == ()
    asked = []

    def on_hold(it):
        asked.append(it.held)
        if len(asked) == 2:
            it.cancel("ada")

    controls.on_hold = on_hold
    controls.edit(EDIT)
    controls.wait(edits_wake=False)
    assert asked == [True, True]
