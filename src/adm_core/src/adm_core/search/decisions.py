"""Digest of a team's decisions, by which two runs of a search can be held against each other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from adm_core.search.strategy import Strategy
from adm_core.search.track import Track
from adm_core.types import Cell


class TeamDigest:
    """SHA-256 over every assignment of rooms, and over places and goals after every decision."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def divided(self, step: int, strategy: Strategy) -> None:
        """Add what a coordination came to: lasting room id by robot, if it assigns rooms."""
        assignment = getattr(strategy, "assignment", None)
        rooms = assignment.rooms if assignment is not None else {}
        pairs = ",".join(f"{robot}:{room}" for robot, room in sorted(rooms.items()))
        self._hash.update(f"{step} rooms {pairs}\n".encode())

    def decided(self, step: int, state: str, tracks: Iterable[Track]) -> None:
        """Add where every robot is, where it was told to go next, and what for."""
        text = " ".join(
            f"{_text(track.cell)}>{_text(track.ordered)}>"
            f"{_text(track.goal.cell if track.goal else None)}"
            for track in tracks
        )
        self._hash.update(f"{step} {state} {text}\n".encode())

    def hexdigest(self) -> str:
        """Return the digest of everything added so far."""
        return self._hash.hexdigest()


def _text(cell: Cell | None) -> str:
    return "-" if cell is None else f"{cell[0]},{cell[1]}"
