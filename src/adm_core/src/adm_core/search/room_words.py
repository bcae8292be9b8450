"""Names of room types: what means the same, and what leads on to other rooms."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Names that mean the same as the first one of their line.
_GROUPS = (
    ("corridor", "hallway", "hall", "passage", "passageway", "aisle"),
    ("bathroom", "washroom", "restroom", "toilet", "lavatory", "bath", "wc", "loo", "shower room"),
    ("kitchen", "kitchenette", "pantry kitchen"),
    ("living room", "living", "lounge", "sitting room", "family room", "parlour", "parlor"),
    ("dining room", "dining", "dining area"),
    ("bedroom", "bed room", "sleeping room", "guest room", "master bedroom", "childs room"),
    ("office", "study", "workroom", "office room", "cubicle"),
    ("meeting room", "meeting", "conference room", "conference", "boardroom"),
    ("lab", "laboratory", "lab room"),
    ("storage", "storage room", "storeroom", "store room", "store", "closet", "utility room"),
    ("lobby", "foyer", "entrance hall", "entrance", "entry", "entryway", "atrium"),
    ("classroom", "class room", "lecture room", "lecture hall", "seminar room"),
    ("garage", "car port", "carport"),
    ("stairs", "stair", "staircase", "stairway", "stairwell"),
    ("elevator", "lift"),
)
_CANONICAL = {name: group[0] for group in _GROUPS for name in group}
_PASSAGES = {"corridor", "lobby", "unknown"}


def words(text: str) -> str:
    """Return `text` in lower case, words of letters and digits joined by single spaces."""
    return " ".join(re.findall(r"[^\W_]+", text.lower().replace("'", "").replace("’", "")))


def canonical_type(name: str) -> str:
    """Return the one name for all that mean the same room type; empty for none.

    Case, underscores and a final plural do not matter: ``Living_Room`` and ``living rooms``
    are ``living room``, ``washroom`` is ``bathroom``.
    """
    plain = words(name)
    return _CANONICAL.get(plain) or _CANONICAL.get(singular(plain)) or singular(plain)


def is_room_word(name: str) -> bool:
    """Tell whether a name is one of a type of room in general, whatever the map has."""
    return canonical_type(name) in _CANONICAL


def matching_types(wanted: str, names: Iterable[str]) -> set[str]:
    """Return the names that mean the wanted type: those equal to it, or else of one meaning.

    A map may tell ``Toilet`` from ``Bathroom`` though both words mean the same elsewhere. A
    room with several uses, such as ``kitchen/office``, matches each of them.
    """
    known = {name: [name, *name.split("/")] for name in names}
    plain, meaning = singular(words(wanted)), canonical_type(wanted)
    if not plain:
        return set()
    equal = {name for name, uses in known.items() if plain in map(singular, map(words, uses))}
    return equal or {name for name, uses in known.items() if meaning in map(canonical_type, uses)}


def singular(plain: str) -> str:
    """Return a name without the plural of its last word."""
    for ending, other in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("xes", "x")):
        if plain.endswith(ending):
            return plain.removesuffix(ending) + other
    return plain[:-1] if plain.endswith("s") and not plain.endswith(("ss", "us", "is")) else plain


def is_passage(name: str) -> bool:
    """Tell whether rooms that nobody has seen yet are to be expected behind such a room."""
    return any(canonical_type(use) in _PASSAGES for use in name.split("/"))
