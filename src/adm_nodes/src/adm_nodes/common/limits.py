"""How long lists in messages may be.

The types themselves have no such bounds: DDS reserves the largest possible message for every place
of every queue, which for a few thousand records is gigabytes. Whoever fills or reads a list asks
here instead.
"""

from __future__ import annotations

from collections.abc import Sized

#: Detections of one report.
DETECTIONS = 10_000
#: Records that viewers get at once.
RECORDS = 10_000


def at_most(items: Sized, most: int, what: str) -> None:
    """Raise ValueError if there are more than `most` items."""
    if len(items) > most:
        raise ValueError(f"{what} must be {most:,} at most, got {len(items):,}")
