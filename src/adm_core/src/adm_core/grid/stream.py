"""A whole map once and then its changes, over a link that may lose, repeat and reorder them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

#: Updates that are kept while something before them is missing.
_KEPT = 256


class Numbered(Protocol):
    """What carries the numbers of a stream; messages do.

    Attributes
    ----------
    epoch : int
        Names the map; a later map of the same sender has a larger one.
    seq : int
        Running number of the update within the epoch. That of a whole map is the number of
        the last update that it contains.
    """

    epoch: int
    seq: int


class MapStream:
    """Says what to apply, and when the whole map has to be asked for.

    Parameters
    ----------
    replace : callable
        Gets a whole map that is to be taken over.
    apply : callable
        Gets an update: each once, in order, and only on top of what came before it.

    Attributes
    ----------
    epoch, seq : int
        Of what was applied; -1 before the first map.
    """

    def __init__(self, replace: Callable[[Any], object], apply: Callable[[Any], object]) -> None:
        self.epoch = self.seq = -1
        self._replace, self._apply = replace, apply
        self._early: dict[tuple[int, int], Any] = {}

    @property
    def is_behind(self) -> bool:
        """Whether something is missing that only a whole map can bring."""
        return bool(self._early)

    def whole(self, item: Numbered) -> bool:
        """Take in a whole map; tell whether it was newer than what is known."""
        if (item.epoch, item.seq) <= (self.epoch, self.seq):
            return False
        self._replace(item)
        self.epoch, self.seq = item.epoch, item.seq
        self._catch_up()
        return True

    def update(self, item: Numbered) -> bool:
        """Take in a change; tell whether it was applied, alone or with some that waited for it."""
        place = (item.epoch, item.seq)
        if place <= (self.epoch, self.seq):
            return False
        self._early[place] = item
        if len(self._early) > _KEPT:
            del self._early[min(self._early)]
        before = (self.epoch, self.seq)
        self._catch_up()
        return before != (self.epoch, self.seq)

    def _catch_up(self) -> None:
        """Apply what follows without a gap; forget what is older than the map."""
        while (item := self._early.pop((self.epoch, self.seq + 1), None)) is not None:
            self._apply(item)
            self.seq += 1
        now = (self.epoch, self.seq)
        self._early = {place: item for place, item in self._early.items() if place > now}
