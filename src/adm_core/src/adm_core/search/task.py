"""What a team is asked to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchTask:
    """Explore everything, or find an object.

    Attributes
    ----------
    text : str
        The sentence as given; only shown and handed to a language model.
    object : str
        Kind of the object that is looked for, empty to explore.
    room_type : str
        Name of the room type where it is expected; empty if unknown.
    """

    text: str = "explore"
    object: str = ""
    room_type: str = ""

    @property
    def is_search(self) -> bool:
        """Whether an object is looked for."""
        return bool(self.object or self.room_type)
