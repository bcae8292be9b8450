"""Evidence on its way out of a simulated world: made, numbered when it is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adm_core.memory.footprint import WHOLE_FIELD
from adm_core.memory.records import Detection, EvidenceBatch, Source
from adm_core.memory.static import Mission

_NO_SEQ = 0


class Outbox:
    """Makes evidence batches of one mission and numbers them in the order of their arrival.

    Parameters
    ----------
    mission : Mission
        Frame and map of every place.
    publish : callable
        Receives every batch that is sent.

    Attributes
    ----------
    seq : int
        Number of the last batch that was sent; 0 before the first.
    """

    def __init__(self, mission: Mission, publish: Callable[[EvidenceBatch], None]) -> None:
        self.seq = _NO_SEQ
        self._mission = mission
        self._publish = publish

    def batch(
        self, source: Source, name: str, stamp: int, seen: Sequence[Detection]
    ) -> EvidenceBatch:
        """Return a batch without a number; a remote source has looked at the whole field."""
        return EvidenceBatch(
            _NO_SEQ,
            source,
            name,
            float(stamp),
            tuple(seen),
            self._mission.frame_id,
            self._mission.map_id,
            WHOLE_FIELD if source is Source.REMOTE else None,
        )

    def send(self, batch: EvidenceBatch) -> None:
        """Number a batch at the moment it is sent, so that numbers follow arrival."""
        self.seq += 1
        self._publish(
            EvidenceBatch(  # written out: `replace` costs several times as much
                self.seq,
                batch.source,
                batch.source_id,
                batch.stamp,
                batch.detections,
                batch.frame_id,
                batch.map_id,
                batch.footprint,
            )
        )

    def emit(self, source: Source, name: str, stamp: int, seen: Sequence[Detection]) -> None:
        """Make a batch and send it."""
        self.send(self.batch(source, name, stamp, seen))
