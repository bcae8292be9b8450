"""From a sentence to a task: what is looked for, and in which type of room (section IV).

The parser knows English word order, not the world: it finds the verb, the thing and the place,
and asks the map which types of rooms there are. What it does not understand it says. For free
speech and other languages there is :mod:`adm_core.search.llm_task_parser`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from adm_core.search.room_words import is_room_word, matching_types, singular
from adm_core.search.task import SearchTask
from adm_core.search.task_negation import plain_negations, without_forbidden
from adm_core.search.task_words import (
    BE,
    DETERMINERS,
    EXPLORE,
    FILLERS,
    INTO,
    NEGATIONS,
    OTHER_VERBS,
    PREPOSITIONS,
    PRONOUNS,
    PUNCTUATION,
    ROOM_VERBS,
    SEARCH_VERBS,
    STOPS,
    SWEEP,
    WHOLE,
)  # fmt: skip

#: Longest sentence that is read, longest name of an object, longest room type in words.
MAX_SENTENCE, MAX_OBJECT, _MOST_WORDS = 300, 60, 3
#: The warning for a sentence that only says what is not to be done: its task is not to be carried
#: out.
NOT_ASKED = "nothing to look for was understood: the sentence says only what not to do"

_TOKEN = re.compile(r"'s\b|[^\W_]+(?:-[^\W_]+)*|[.,;:!?]")


class ParsedTask(NamedTuple):
    """A task and what was not understood.

    Attributes
    ----------
    task : SearchTask
        Its room type is spelled as the map spells it.
    warnings : tuple of str
        For people; empty if the whole sentence made sense.
    """

    task: SearchTask
    warnings: tuple[str, ...] = ()


class _Place(NamedTuple):
    """A mention of a room: tokens [start, end), the name in it, whether it is ruled out."""

    start: int
    end: int
    name: str
    excluded: bool


def parse_task(
    sentence: str, room_types: Iterable[str], object_kinds: Iterable[str] = ()
) -> ParsedTask:
    """Read a sentence such as ``find my jacket left in my bedroom``.

    Parameters
    ----------
    sentence : str
        English; at most 300 characters are read.
    room_types : iterable of str
        Names of the types that the map has; other names for them, plurals, case and
        underscores do not matter (:mod:`adm_core.search.room_words`).
    object_kinds : iterable of str
        Kinds of objects that the map has, if it has any: ``the big printer`` is then a
        ``printer``.

    Returns
    -------
    ParsedTask
        Exploration where nothing to look for is named. A room that the map does not have gives
        an empty room type and a warning, and so does any sentence that makes no sense. What
        is not to be done is left out with a warning, :data:`NOT_ASKED` if nothing else is said.
    """
    types = list(room_types)
    text = " ".join(sentence[:MAX_SENTENCE].split())
    asked, forbidden = without_forbidden(plain_negations(text.lower().replace("’", "'")))
    parsed = _parse(text, _TOKEN.findall(asked), types, object_kinds)
    if not forbidden:
        return parsed
    left_out = tuple(f"left out: {clause!r}" for clause in forbidden)
    if parsed.task.is_search or EXPLORE & set(_TOKEN.findall(asked)):
        return ParsedTask(parsed.task, (*parsed.warnings, *left_out))
    return ParsedTask(parsed.task, (NOT_ASKED,))


def _parse(
    text: str, tokens: Sequence[str], types: Sequence[str], object_kinds: Iterable[str]
) -> ParsedTask:
    """Read the tokens of a sentence that asks for something."""
    places = _places(tokens, types)
    thing = _thing(tokens, places, types)
    room, warnings = _room(places, types)
    if not thing and _is_exploration(tokens, room):
        only = (f"everything is explored, not only the {room}",) if room else ()
        return ParsedTask(SearchTask(text or "explore"), only)
    thing = _known_kind(thing, object_kinds)
    if not thing and not room:
        warnings += ("nothing to look for was understood: exploring",)
        return ParsedTask(SearchTask(text or "explore"), warnings)
    return ParsedTask(SearchTask(text, thing, room), warnings)


# --- places ------------------------------------------------------------------------------------


def _places(tokens: Sequence[str], types: Sequence[str]) -> list[_Place]:
    """Return the places that the sentence names.

    They stand after a preposition, after a verb such as in ``search the kitchen``, after
    another place and "or", or before a possessive.
    """
    found: list[_Place] = []
    for start, token in enumerate(tokens):
        joins = token in ("and", "or") and found and found[-1].end == start
        if token in PREPOSITIONS or token in ROOM_VERBS or joins:
            place = _place_after(tokens, start, types)
        else:
            place = _place_before(tokens, start, types) if token == "'s" else None
        if place and (not found or place.start >= found[-1].end):
            found.append(place)
    return found


def _place_after(tokens: Sequence[str], start: int, types: Sequence[str]) -> _Place | None:
    """Return the place behind the preposition at `start`, of a known type if there is one."""
    at = start + 1
    while at < len(tokens) and tokens[at] in FILLERS and not _known_at(tokens, at, types):
        at += 1
    excluded = any(token in NEGATIONS for token in tokens[max(0, start - 2) : start])
    length = _known_at(tokens, at, types)
    if length and tokens[start] not in PREPOSITIONS and _is_name_at(tokens, at + length):
        return None  # "find the office chair"
    if length:
        return _Place(start, at + length, " ".join(tokens[at : at + length]), excluded)
    end = at
    while end < len(tokens) and end - at < _MOST_WORDS and _is_name(tokens[end]):
        end += 1
    name = " ".join(tokens[at:end])
    if not name or tokens[start] not in INTO:
        return None
    return _Place(start, end, name, excluded)


def _place_before(tokens: Sequence[str], end: int, types: Sequence[str]) -> _Place | None:
    """Return the room before the possessive at `end`, as in ``the lab's printer``."""
    for length in range(_MOST_WORDS, 0, -1):
        start = end - length
        if start >= 0 and _known_at(tokens, start, types) == length:
            return _Place(start, end + 1, " ".join(tokens[start:end]), False)
    return None


def _known_at(tokens: Sequence[str], at: int, types: Sequence[str]) -> int:
    """Return how many tokens from `at` name a room, the most that do; 0 if none."""
    for length in range(min(_MOST_WORDS, len(tokens) - at), 0, -1):
        name = " ".join(tokens[at : at + length])
        if not set(name) & PUNCTUATION and (_is_room(name, types)):
            return length
    return 0


def _is_room(name: str, types: Sequence[str]) -> bool:
    return is_room_word(name) or bool(matching_types(name, types))


def _is_name(token: str) -> bool:
    return token not in STOPS and token not in PUNCTUATION and token != "'s"


def _is_name_at(tokens: Sequence[str], at: int) -> bool:
    return at < len(tokens) and _is_name(tokens[at])


def _room(places: Sequence[_Place], types: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the map's name of the place that counts, and what is left out."""
    named = [place for place in places if not place.excluded and singular(place.name) not in WHOLE]
    rooms = [(place, _map_type(place.name, types)) for place in named]
    known = list(dict.fromkeys(room for _, room in rooms if room))
    if known:
        rest = [room for room in known[1:] if room != known[0]]
        return known[0], tuple(f"only {known[0]} counts, not {room}" for room in rest)
    has = ", ".join(sorted(set(types))) or "no room types"
    return "", tuple(f"the map has no {place.name!r}, it has {has}" for place, _ in rooms)


def _map_type(name: str, types: Sequence[str]) -> str:
    matching = matching_types(name, types)
    return next((known for known in types if known in matching), "")


# --- things ------------------------------------------------------------------------------------


def _thing(tokens: Sequence[str], places: Sequence[_Place], types: Sequence[str]) -> str:
    """Return the name of what is looked for; empty if none is named."""
    inside = {at for place in places for at in range(place.start, place.end)}
    starts = [place.end + 1 for place in places if tokens[place.end : place.end + 1] == ["for"]]
    for verbs in (SEARCH_VERBS, OTHER_VERBS):
        starts += _after_verbs(tokens, verbs)
    names = [_name_from(tokens, start, inside) for start in starts]
    names += [_name_before(tokens, at, inside) for at, token in enumerate(tokens) if token in BE]
    return next((name for name in names if name and not _is_room(name, types)), "")


def _after_verbs(tokens: Sequence[str], verbs: Sequence[str]) -> list[int]:
    """Return where the tokens after each verb begin, in order; the longest verb wins."""
    found: dict[int, int] = {}
    for parts in (verb.split() for verb in verbs):
        for at in range(len(tokens) - len(parts) + 1):
            if list(tokens[at : at + len(parts)]) == parts:
                found[at] = max(found.get(at, 0), at + len(parts))
    return [found[at] for at in sorted(found)]


def _name_from(tokens: Sequence[str], start: int, inside: set[int]) -> str:
    """Return the name of the thing that begins at `start`, behind articles and owners."""
    while start < len(tokens) and (
        tokens[start] in DETERMINERS or start in inside or "'s" in tokens[start : start + 2]
    ):
        start += 1
    end = start
    while end < len(tokens) and end not in inside and _is_name(tokens[end]):
        end += 1
    return _thing_name(tokens[start:end])


def _name_before(tokens: Sequence[str], end: int, inside: set[int]) -> str:
    """Return the name of the thing that ends before `end`."""
    start = end
    while start > 0 and start - 1 not in inside and _is_name(tokens[start - 1]):
        start -= 1
    return _name_from(tokens[:end], start, inside)


def _thing_name(tokens: Sequence[str]) -> str:
    """Return tokens as a name; empty for pronouns and for the whole place."""
    if not tokens or tokens[-1] in PRONOUNS or singular(tokens[-1]) in WHOLE:
        return ""
    return "" if tokens[-1] in WHOLE else " ".join(tokens)[:MAX_OBJECT].rstrip()


def _known_kind(name: str, kinds: Iterable[str]) -> str:
    """Return the longest kind that `name` ends with, as the map spells it; else `name`."""
    ending = [kind for kind in kinds if f" {_same(name)}".endswith(f" {_same(kind)}")]
    return max(ending, key=len, default=name)


def _same(name: str) -> str:
    return singular(" ".join(name.lower().replace("_", " ").split()))


def _is_exploration(tokens: Sequence[str], room: str) -> bool:
    """Tell whether a sentence without a thing asks to see everything."""
    if not tokens or EXPLORE & set(tokens):
        return True
    whole = any(token in WHOLE or singular(token) in WHOLE for token in tokens)
    return whole and not room and bool(SWEEP & set(tokens))
