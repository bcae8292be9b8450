"""Trusted, approved beforehand, or asked for; nobody to ask is a no."""

import pytest
from adm_core.errors import ConfigError
from adm_core.planning.approval import Answer, Approval, approved_skills
from adm_core.planning.plan import Step
from adm_core.planning.skills import SKILLS

GRASP = Step("grasp", "e001")


def person(*answers):
    left = list(answers)
    return lambda action: left.pop(0)


YES, NO = Answer(True, "ada", "yes"), Answer(False, "ada", "no")


def test_by_default_every_skill_is_trusted():
    approval = Approval()
    assert all(approval(Step(name, "e001")).granted for name in SKILLS)


def test_without_a_person_what_is_not_on_the_list_is_refused():
    approval = Approval(approved_skills("navigate,deliver"))
    assert approval(Step("navigate", "e001")).how == "list"
    assert approval(GRASP) == Answer(False, "", "nobody")


def test_a_person_is_asked_every_time_about_what_is_not_on_the_list():
    approval = Approval((), person(YES, NO, YES))
    assert [approval(GRASP).granted for _ in range(3)] == [True, False, True]


def test_always_holds_for_that_skill_alone():
    approval = Approval((), person(Answer(True, "ada", "always"), NO))
    assert approval(GRASP).granted
    assert approval(GRASP).how == "list"
    assert not approval(Step("deliver", "e001", "station_A")).granted


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("trusted", tuple(SKILLS)),
        ("interactive", ()),
        ("reversible", ("navigate", "approach", "grasp", "verify", "observe")),
        ("grasp", ("grasp",)),
        (" grasp , deliver ", ("grasp", "deliver")),
    ],
)
def test_words_of_approval(text, names):
    assert approved_skills(text) == names


@pytest.mark.parametrize(
    ("text", "hint"),
    [("grap", "did you mean 'grasp'"), ("trust", "did you mean 'trusted'"), ("fly", "got 'fly'")],
)
def test_what_is_no_skill_is_refused_with_the_nearest_word(text, hint):
    with pytest.raises(ConfigError, match=hint):
        approved_skills(text)
