"""Evidence of one mission, numbered in the order of its arrival, in mission time. Thread-safe."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from adm_core.memory.footprint import Footprint
from adm_core.memory.records import Detection, EvidenceBatch, Source
from adm_core.memory.static import Mission


class NumberedOutbox:
    """Makes batches and numbers them.

    Parameters
    ----------
    mission : Mission
        Frame and map of every place.
    publish : callable
        Receives every EvidenceBatch.

    Attributes
    ----------
    seq : int
        Number of the last batch; 0 before the first.
    """

    def __init__(self, mission: Mission, publish: Callable[[EvidenceBatch], None]) -> None:
        self._mission, self._publish = mission, publish
        self._lock = threading.Lock()
        self._began: float | None = None
        self.seq = 0

    def begin(self, now: float) -> None:
        """Let mission time begin; evidence from before is not sent."""
        self._began = now

    @property
    def is_open(self) -> bool:
        """Whether mission time has begun."""
        return self._began is not None

    def mission_time(self, now: float) -> float:
        """Return mission time, seconds; 0 before it has begun."""
        return 0.0 if self._began is None else max(0.0, now - self._began)

    def emit(
        self,
        source: Source,
        name: str,
        stamp: float,
        seen: Sequence[Detection],
        footprint: Footprint | None = None,
    ) -> None:
        """Number a batch and publish it; `stamp` in mission time."""
        with self._lock:
            if not self.is_open:
                return
            self.seq += 1
            self._publish(
                EvidenceBatch(
                    self.seq,
                    source,
                    name,
                    stamp,
                    tuple(seen),
                    self._mission.frame_id,
                    self._mission.map_id,
                    footprint,
                )
            )
