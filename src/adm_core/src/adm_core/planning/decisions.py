"""Digest of a mission's decisions, by which two runs can be held against each other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from adm_core.planning.plan import Step


class DecisionDigest:
    """SHA-256 over every exposed id list and every committed skill, in order."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def exposed(self, step: int, ids: Sequence[str]) -> None:
        """Add what a planning call saw, best first."""
        self._hash.update(f"{step} exposed {','.join(ids)}\n".encode())

    def committed(self, step: int, action: Step) -> None:
        """Add a committed skill."""
        line = f"{step} {action.skill} {action.target_id or '-'} {action.station_id or '-'}\n"
        self._hash.update(line.encode())

    def hexdigest(self) -> str:
        """Return the digest of everything added so far."""
        return self._hash.hexdigest()
