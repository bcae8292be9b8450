"""Who says yes before a skill is dispatched: nobody, a list made beforehand, or a person."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import NamedTuple

from adm_core.errors import ConfigError
from adm_core.planning.plan import Step
from adm_core.planning.skills import SKILLS

TRUSTED, INTERACTIVE, REVERSIBLE = "trusted", "interactive", "reversible"
#: Ways of approval that are no list of skills.
APPROVAL_WORDS = (TRUSTED, INTERACTIVE, REVERSIBLE)


class Answer(NamedTuple):
    """Whether a skill may be dispatched, and by whose word.

    Attributes
    ----------
    granted : bool
        Yes or no.
    operator : str
        The person who was asked; empty if nobody was.
    how : str
        ``list`` (approved beforehand), ``yes``, ``always`` (this skill from now on), ``no``, or
        ``nobody`` (there was nobody to ask, which is a no).
    """

    granted: bool
    operator: str
    how: str


_ON_THE_LIST = Answer(True, "", "list")
_NOBODY = Answer(False, "", "nobody")


class Approval:
    """Grant what was approved beforehand, ask a person about the rest.

    Parameters
    ----------
    skills : iterable of str
        Skills approved beforehand.
    ask : callable, optional
        Asks a person about one skill call. Without it everything else is refused: approval
        fails closed.
    """

    def __init__(
        self, skills: Iterable[str] = tuple(SKILLS), ask: Callable[[Step], Answer] | None = None
    ) -> None:
        self._approved = set(skills)
        self._ask = ask

    def __call__(self, action: Step) -> Answer:
        """Return the answer for one skill call; may wait for a person."""
        if action.skill in self._approved:
            return _ON_THE_LIST
        answer = self._ask(action) if self._ask else _NOBODY
        self.remember(action, answer)
        return answer

    def remember(self, action: Step, answer: Answer) -> None:
        """Take an answer of old into account: `always` holds from then on."""
        if answer.granted and answer.how == "always":
            self._approved.add(action.skill)


def approved_skills(text: str) -> tuple[str, ...]:
    """Return the skills that a word or a list like ``grasp,deliver`` approves beforehand.

    ``trusted`` approves all, ``interactive`` none, ``reversible`` those that can be undone.

    Raises
    ------
    ConfigError
        If a word is no skill; names the nearest one.
    """
    if text == TRUSTED:
        return tuple(SKILLS)
    if text == INTERACTIVE:
        return ()
    if text == REVERSIBLE:
        return tuple(name for name, skill in SKILLS.items() if skill.reversible)
    names = [word.strip() for word in text.split(",") if word.strip()]
    for name in names:
        if name not in SKILLS:
            close = difflib.get_close_matches(name, (*APPROVAL_WORDS, *SKILLS), 1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise ConfigError(
                f"approve must be {', '.join(APPROVAL_WORDS)} or skills of {', '.join(SKILLS)}, "
                f"got {name!r}{hint}"
            )
    return tuple(names)
