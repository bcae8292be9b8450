"""Names of rooms and their types, as files spell them and as people say them."""

from __future__ import annotations

import re

#: Types under other names.
_SAME = {
    "toilet": "bathroom",
    "restroom": "bathroom",
    "washroom": "bathroom",
    "wc": "bathroom",
    "guest room": "bedroom",
    "lounge": "living room",
    "hallway": "corridor",
    "hall": "corridor",
    "laboratory": "lab",
    "elevator": "lift",
    "elev": "lift",
    "stair": "stairs",
    "staircase": "stairs",
}


def type_name(word: str) -> str:
    """Return a room type in lower case with blanks: ``Guest_Room`` is a bedroom."""
    plain = " ".join(re.split(r"[\s_\-]+", word.strip().lower()))
    return _SAME.get(plain, plain)


def without_number(name: str) -> str:
    """Return a name without the number or letter behind it: ``Room 12`` is a room."""
    stem = re.sub(r"[\s_\-]*(\d+[a-z]?|\b[A-Z])$", "", name.strip())
    return type_name(stem)
