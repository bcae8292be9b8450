"""Words of the sentences that :mod:`adm_core.search.task_parser` reads."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


PUNCTUATION = frozenset(".,;:!?")
DETERMINERS = _set(
    "the a an my our your his her its their some any this that these those all every each one "
    "another missing lost"
)
PRONOUNS = _set("it them him her something anything nothing everything this that one me")
#: Lead to a place; those of :data:`INTO` also to one that nobody has heard of.
PREPOSITIONS = _set("in inside into at within near around from by next of through")
INTO = _set("in inside within at")
#: Between a preposition and the room: "in one of the other back bedrooms".
FILLERS = DETERMINERS | _set(
    "of other back front big small large little main upstairs downstairs first second third "
    "next left right same either somewhere to"
)
#: End the name of a thing.
STOPS = PREPOSITIONS | _set(
    "on under behind beside between above below to for with and or but that which who where when "
    "left lying standing hidden placed located sitting kept stored is are was were be been should "
    "must might may could can will would has have had probably maybe perhaps possibly likely "
    "usually somewhere i we you he she they please now quickly again then so because if not "
    "asap today"
)
EXPLORE = _set("explore exploration map mapping survey patrol chart discover reconnoitre")
SWEEP = _set("scan cover search check inspect sweep visit see look")
#: Followed by a room rather than by a thing, if a room follows and no thing behind it.
ROOM_VERBS = EXPLORE | _set("search check scan sweep inspect visit find to enter")
#: The whole place rather than a room of it.
WHOLE = _set(
    "building house home flat apartment floor level storey area place site environment space map "
    "world facility premises rooms room everything everywhere here there"
)
BE = _set("is are was were should must might may could")
NEGATIONS = _set("not isnt arent except without never excluding")
#: Followed by what is looked for; the first ones that occur count before the others.
SEARCH_VERBS = (
    "look around for", "go and find", "keep looking for", "help me find", "search for", "look for",
    "looking for", "searching for", "hunt for", "hunt down", "track down", "where is", "where are",
    "where 's", "whereabouts of", "bring me", "get me", "fetch me", "find out where", "find me",
    "find us", "show me", "pick up", "go get", "go to", "find", "locate", "seek", "spot", "detect",
    "fetch", "bring", "get", "retrieve", "identify", "search", "check for", "see if",
)  # fmt: skip
OTHER_VERBS = (
    "left", "lost", "forgot", "forgotten", "misplaced", "dropped", "put", "need", "want", "miss",
    "missing", "there is", "there are", "there 's", "is there", "are there", "see", "check",
)  # fmt: skip
