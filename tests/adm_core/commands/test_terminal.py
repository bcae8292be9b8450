"""Prompts of the terminal, line by line, without a real one."""

import io

import pytest
from adm_core.commands.terminal import Terminal
from adm_core.planning.approval import Answer
from adm_core.planning.controls import Controls, Word
from adm_core.planning.plan import Step

GRASP = Step("grasp", "e001")


class Screen(io.StringIO):
    def isatty(self):
        return True


def terminal(*lines):
    return Terminal("ada", Screen("".join(f"{line}\n" for line in lines)), Screen())


def obeyed(*lines, stopped=False):
    """Hold a mission, type lines, and return the controls."""
    controls = Controls(held=True)
    if stopped:
        controls.estop("bob")
    person = terminal(*lines)
    for _ in lines or ("",):
        person.on_hold(controls)
    return controls, person


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("c", Word.RESUME),
        ("continue", Word.RESUME),
        ("s", Word.STEP),
        ("q", Word.CANCEL),
        ("QUIT", Word.CANCEL),
        ("e", Word.ESTOP),
    ],
)
def test_one_letter_is_one_control(line, word):
    controls, _ = obeyed(line)
    assert [(item.word, item.operator) for item in controls.take_news()] == [(word, "ada")]


@pytest.mark.parametrize("line", ["", "h", "?", "what", "relabel e001", "move e001 a b"])
def test_what_is_not_understood_leaves_the_mission_held_and_explains(line):
    controls, person = obeyed(line)
    assert controls.held
    assert controls.take_news() == []
    assert "carry out one skill" in person._stream.getvalue()


def test_an_edit_is_handed_in_with_the_operators_name():
    controls, _ = obeyed("relabel e001 bottle", "move e002 1.5 2")
    edits = controls.take_edits()
    assert [str(item) for item in edits] == ["relabel e001 bottle", "move e002 (1.5, 2)"]
    assert {item.operator for item in edits} == {"ada"}


def test_an_emergency_stop_has_to_be_reset_first():
    controls, person = obeyed("c", "s", stopped=True)
    assert controls.stopped
    assert person._stream.getvalue().count("reset it first") == 2
    controls, _ = obeyed("r", "c", stopped=True)
    assert not controls.held


def test_the_end_of_the_input_ends_the_mission():
    controls, _ = obeyed()
    assert controls.cancelled.detail == "cancelled"


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (("y",), Answer(True, "ada", "yes")),
        (("n",), Answer(False, "ada", "no")),
        (("always",), Answer(True, "ada", "always")),
        (("maybe", "", "yes"), Answer(True, "ada", "yes")),
        ((), Answer(False, "", "nobody")),
    ],
)
def test_a_skill_is_approved_by_a_clear_word_only(lines, answer):
    assert terminal(*lines).ask(GRASP) == answer


def closed():
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("source", [io.StringIO("y\n"), closed()])
def test_without_a_terminal_nothing_is_approved_and_a_hold_ends_the_mission(source):
    person, controls = Terminal("ada", source, Screen()), Controls(held=True)
    assert person.ask(GRASP) == Answer(False, "", "nobody")
    person.on_hold(controls)
    assert controls.cancelled.detail == "interrupted"


class Endless(Screen):
    """A person who never answers: whoever reads would wait for ever."""

    def readline(self, *_):
        raise AssertionError("an answer was waited for after the termination")


class Interrupting(Screen):
    """A screen during whose writing a termination comes."""

    def write(self, text):
        self.person.terminate()
        return super().write(text)


def test_a_termination_while_the_question_is_written_is_the_answer():
    screen = Interrupting()
    person = screen.person = Terminal("ada", Endless(), screen)
    assert person.ask(GRASP) == Answer(False, "", "nobody")


def test_a_termination_before_the_question_is_the_answer():
    person = Terminal("ada", Endless(), Screen())
    person.terminate()
    assert person.ask(GRASP) == Answer(False, "", "nobody")


def test_a_termination_during_the_wait_ends_it():
    person = terminal()
    person._source.readline = lambda: person.terminate()
    assert person.ask(GRASP) == Answer(False, "", "nobody")
