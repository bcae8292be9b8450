"""Room types of the GDC floors, which the files do not give: derived, one table.

Names are ``l<floor>_<number>``, such as ``l3_414a``, or ``l3_elev_east``. The first line that
fits decides:

====================================================  ==========  =================================
rule                                                  type        seen on floor 3
====================================================  ==========  =================================
a word: elev, stair, bath or restroom, kitchen,       lift, ...   elev_east, elev_west, elev_south
lounge, office, lab, hall or corridor
number ends in 00 or 50                               corridor    100 to 800: lobbies and passages
doors to six rooms or more                            corridor    400, 500, 700, 800 (10 to 20)
300..399                                              lab         302 (215 m2, desks), 303 its lobby
400..999                                              office      402..436, 502..520, 702..830
anything else                                         room        none
====================================================  ==========  =================================

Size says no more: offices have 3 to 35 m2, and 436, open and 103 m2, is numbered as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

#: Rooms with doors to so many others are for walking through.
MANY_DOORS = 6
_WORDS = {
    "elev": "lift",
    "lift": "lift",
    "stair": "stairs",
    "bath": "bathroom",
    "restroom": "bathroom",
    "kitchen": "kitchen",
    "lounge": "living room",
    "office": "office",
    "lab": "lab",
    "corridor": "corridor",
    "hall": "corridor",
}
_NUMBER = re.compile(r"(?<!\d)(\d{3})(?!\d)")


def room_type(name: str, neighbours: Mapping[str, Set[str]]) -> str:
    """Return the type of room `name` by the table above.

    Parameters
    ----------
    name : str
    neighbours : mapping of str to set of str
        Rooms that each room has a door to.
    """
    words = re.split(r"[^a-z]+", name.lower())
    for start, kind in _WORDS.items():
        if any(word.startswith(start) for word in words):
            return kind
    found = _NUMBER.findall(name)
    number = int(found[-1]) if found else 0
    if (found and number % 50 == 0) or len(neighbours.get(name, ())) >= MANY_DOORS:
        return "corridor"
    if 300 <= number < 400:
        return "lab"
    return "office" if number >= 400 else "room"
