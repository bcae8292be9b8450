"""What a sentence tells robots not to do: such clauses are no task."""

from __future__ import annotations

import re

_VERBS = (
    "explor(?:e|ing|ation)|map(?:ping)?|survey(?:ing)?|patrol(?:ling)?|chart|discover(?:ing)?|"
    "search(?:ing)?|look(?:ing)?|scan(?:ning)?|find(?:ing)?|seek(?:ing)?|check(?:ing)?|"
    "sweep(?:ing)?|inspect(?:ing)?|visit(?:ing)?|enter(?:ing)?|go(?:ing)?|cover(?:ing)?|"
    "locat(?:e|ing)|hunt(?:ing)?|track(?:ing)?|fetch(?:ing)?|bring(?:ing)?|get|see|spot|detect"
)
_BETWEEN = r"(?:(?:please|ever|even|now|to|any|further|more) )*"
#: "I do not see my cup" is a reason to look for it, "do not see to it" is none.
_TOLD = r"(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\bhe )(?<!\bshe )"
#: "the do not enter sign" is a thing.
_NAMED = r"(?<!\bthe )(?<!\ba )"
_FORBIDS = (
    rf"{_TOLD}(?:do|must|should|shall|may|need) not|{_TOLD}never|"
    r"(?:do|does|would|will) not (?:want|need|like|wish)(?: \w+)? to|"
    r"no need (?:for you )?(?:to|for)|no(?= (?:explor|search|mapping))|"
    r"stop|quit|avoid|without|refrain from|instead of|rather than"
)
_CLAUSE = re.compile(
    rf"{_NAMED}\b(?:(?:{_FORBIDS}) {_BETWEEN}(?:{_VERBS})\b|"
    rf"(?:{_VERBS}) (?:for )?(?:absolutely )?nothing\b)"
    r"(?:(?!\bbut\b)[^.,;:!?])*"
)
#: "do not forget to" and the like ask for what follows.
_DOUBLE = re.compile(
    r"\b(?:do not|never) (?:stop|quit|avoid|refrain from|forget to|hesitate to|fail to) "
)
_SHORT = re.compile(r"\b(?:dont|do n't)\b|n't\b")


def plain_negations(text: str) -> str:
    """Return a lower-case text with ``n't`` written out."""
    return _SHORT.sub(lambda found: "do not" if "do" in found[0] else " not", text)


def without_forbidden(text: str) -> tuple[str, tuple[str, ...]]:
    """Take the clauses out of a sentence that tell robots what not to do.

    Parameters
    ----------
    text : str
        Lower case, with negations written out (:func:`plain_negations`).

    Returns
    -------
    str
        What is left.
    tuple of str
        The clauses.

    Examples
    --------
    >>> without_forbidden("find the cup, do not search the office")
    ('find the cup, ', ('do not search the office',))
    """
    asked = _DOUBLE.sub("", text)
    clauses = tuple(found[0].strip() for found in _CLAUSE.finditer(asked))
    return _CLAUSE.sub("", asked), clauses
