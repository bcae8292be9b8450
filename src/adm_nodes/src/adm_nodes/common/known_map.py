"""Which life of the map a mission belongs to."""

from __future__ import annotations

from adm_core.memory.audit import AuditLog

_FACT = "map_epoch"


class KnownMap:
    """Remembers the last life of the map that was heard of, over restarts if there is a log.

    Parameters
    ----------
    audit : AuditLog or None
        Log of the mission.
    """

    def __init__(self, audit: AuditLog | None) -> None:
        self._audit = audit
        self._map_id = str(audit.facts().get(_FACT, "")) if audit else ""

    def is_another(self, map_id: str) -> bool:
        """Take in which map it is now; tell whether it is another one than before.

        The first that is heard of is the one that the mission was made for.
        """
        known, self._map_id = self._map_id, map_id
        if known == map_id:
            return False
        if self._audit is not None:
            self._audit.run({_FACT: map_id})
        return bool(known)
