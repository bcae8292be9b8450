"""What a log holds as text, read back: damage is an AuditError that says where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from adm_core.errors import AuditError


def stored_value(text: object, kind: type, what: str) -> Any:
    """Return the value of a stored JSON text.

    Parameters
    ----------
    text : object
        What the column holds.
    kind : type
        Type that the value must have; ``object`` for any.
    what : str
        What it is, for the message.

    Raises
    ------
    AuditError
        If the text is no JSON, or its value of another type.
    """
    try:
        value = json.loads(text)  # type: ignore[arg-type]
    except (TypeError, ValueError, RecursionError) as err:
        raise AuditError(f"{what} is damaged: no JSON") from err
    if not isinstance(value, kind):
        raise AuditError(f"{what} is damaged: no {kind.__name__} but a {type(value).__name__}")
    return value


@contextmanager
def sound(what: str) -> Iterator[None]:
    """Turn what goes wrong while stored data is rebuilt into an AuditError about `what`."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as err:
        raise AuditError(f"{what} is damaged: {type(err).__name__}: {err}") from err
