"""Edits as people write them: ``relabel e003 bottle``, ``move e003 2.5 4.0``."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from adm_core.errors import ConfigError
from adm_core.memory.edits import EditKind, OperatorEdit
from adm_core.memory.records import is_word
from adm_core.types import Pose2D

#: How each kind is written.
EDIT_FORMS = (
    "relabel ID CLASS",
    "move ID X Y",
    "dismiss ID",
    "restore ID",
    "pin ID",
    "unpin ID",
)
_FORMS = {form.split()[0]: form for form in EDIT_FORMS}


def parse_edit(words: Sequence[str], operator: str, map_id: str = "") -> OperatorEdit:
    """Return the edit that the words say.

    Raises
    ------
    ConfigError
        If they say none; names the form that would.
    """
    if not is_word(operator):
        raise ConfigError(f"operator must be a plain word, got {operator!r}")
    if not words or words[0] not in _FORMS:
        close = difflib.get_close_matches(words[0] if words else "", _FORMS, 1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise ConfigError(f"an edit is one of {', '.join(_FORMS)}, got {' '.join(words)!r}{hint}")
    form = _FORMS[words[0]]
    if len(words) != len(form.split()):
        raise ConfigError(f"an edit of this kind is written '{form}', got {' '.join(words)!r}")
    kind, entity, *rest = words
    if not all(map(is_word, (entity, *rest[:1]))) and kind != "move":
        raise ConfigError(f"ids and classes must be plain words, got {' '.join(words)!r}")
    label = rest[0] if kind == "relabel" else ""
    return OperatorEdit(operator, EditKind(kind), entity, label, _pose(kind, rest, form), map_id)


def _pose(kind: str, rest: Sequence[str], form: str) -> Pose2D | None:
    if kind != "move":
        return None
    try:
        x, y = map(float, rest)
    except ValueError:
        raise ConfigError(f"'{form}' takes metres, got {' '.join(rest)!r}") from None
    if not (abs(x) < 1e6 and abs(y) < 1e6):  # also refuses NaN
        raise ConfigError(f"'{form}' takes metres of the map, got {' '.join(rest)!r}")
    return Pose2D(x, y)
