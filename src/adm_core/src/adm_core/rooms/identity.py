"""Room ids that stay the same from cycle to cycle while labels are renumbered."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adm_core.rooms.instances import RoomInstances


class RoomRegistry:
    """Gives each room instance an id that it keeps while the map grows and changes.

    An instance inherits the id of the earlier instance with which it shares most cells. Each
    id goes to one instance at most: pairs are taken by falling number of shared cells, ties by
    smaller id, then by smaller label. All others get new ids. An id is never used again.
    """

    def __init__(self) -> None:
        self._rooms: RoomInstances | None = None
        self._ids: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._next = 1

    def update(
        self, rooms: RoomInstances, shift: tuple[int, int] = (0, 0)
    ) -> npt.NDArray[np.int64]:
        """Return the ids of the instances of the next snapshot.

        Parameters
        ----------
        rooms : RoomInstances
            The new snapshot; its grid may have another size than the one before.
        shift : (int, int)
            Cell (row, col) of the new grid was cell (row + shift[0], col + shift[1]) of the
            one before: (0, 0) unless the map has grown at its lower edges.

        Returns
        -------
        int64[n]
            Id of the instance with label i + 1 at position i; ids count from 1.
        """
        ids = np.zeros(len(rooms), np.int64)
        if self._rooms is not None:
            self._inherit(ids, rooms.overlaps(self._rooms, shift))
        new = np.flatnonzero(ids == 0)
        ids[new] = np.arange(self._next, self._next + len(new))
        self._next += len(new)
        self._rooms, self._ids = rooms, ids
        return ids.copy()

    def _inherit(self, ids: npt.NDArray[np.int64], shared: npt.NDArray[np.int64]) -> None:
        heirs, owners, cells = shared[:, 0] - 1, self._ids[shared[:, 1] - 1], shared[:, 2]
        taken = set()
        for k in np.lexsort((heirs, owners, -cells)):
            if ids[heirs[k]] == 0 and owners[k] not in taken:
                ids[heirs[k]] = owners[k]
                taken.add(owners[k])
