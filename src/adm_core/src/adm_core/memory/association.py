"""Which known entity an inexact detection belongs to, for a whole report at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from adm_core.memory.records import Detection, Record
from adm_core.types import Pose2D

_TOO_FAR = 1e6


def associate(
    detections: Sequence[Detection], records: Sequence[Record], sigma_m: float, gate: float
) -> list[int]:
    """Match detections to records one to one at the least total distance.

    A pair is possible if the classes are equal and the Mahalanobis distance, the distance
    over `sigma_m`, lies within the gate. As many pairs as possible are made.

    Parameters
    ----------
    detections : sequence of Detection
        Of one report: no two of them are the same object.
    records : sequence of Record
        Entities that could have been seen.
    sigma_m : float
        Standard deviation of a reported position, metres, > 0.
    gate : float
        Largest distance in standard deviations.

    Returns
    -------
    list of int
        For each detection the index of its record, or -1.

    Notes
    -----
    The assignment problem is solved only where detections compete for records.
    """
    pairs = [_within_gate(item, records, sigma_m, gate) for item in detections]
    if len(pairs) == 1:
        return [min(pairs[0], key=pairs[0].__getitem__, default=-1)]
    wanted = Counter(index for row in pairs for index in row)
    if all(len(row) <= 1 for row in pairs) and all(count == 1 for count in wanted.values()):
        return [next(iter(row), -1) for row in pairs]
    return _assign(pairs, len(records))


def _within_gate(
    item: Detection, records: Sequence[Record], sigma_m: float, gate: float
) -> dict[int, float]:
    """Return the squared distances in standard deviations of the records that may match."""
    found = {}
    for index, record in enumerate(records):
        if record.label == item.label:
            distance = _distance(item.pose, record.pose) / sigma_m
            if distance <= gate:
                found[index] = distance * distance
    return found


def _assign(pairs: Sequence[dict[int, float]], records: int) -> list[int]:
    cost = np.full((len(pairs), records), _TOO_FAR)
    for row, found in enumerate(pairs):
        for col, value in found.items():
            cost[row, col] = value
    matched = [-1] * len(pairs)
    for row, col in zip(*linear_sum_assignment(cost), strict=True):
        if cost[row, col] < _TOO_FAR:
            matched[row] = int(col)
    return matched


def _distance(a: Pose2D, b: Pose2D) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)


class Neighbourhoods:
    """Entities by class and coarse cell: who is near a place, however many there are.

    Parameters
    ----------
    radius_m : float
        Within this distance of a place every entity is found, and some that are farther.
    """

    def __init__(self, radius_m: float) -> None:
        self._edge = max(radius_m, 1e-6)
        self._cells: dict[tuple[str, int, int], dict[str, None]] = {}
        self._cell_of: dict[str, tuple[str, int, int]] = {}

    def put(self, record: Record) -> None:
        """Add an entity, or let it move."""
        cell = (record.label, *self._coarse(record.pose))
        before = self._cell_of.get(record.id)
        if before != cell:
            if before is not None:
                self.remove(record.id)
            self._cell_of[record.id] = cell
            self._cells.setdefault(cell, {})[record.id] = None

    def remove(self, entity_id: str) -> None:
        """Take an entity out, if it is in."""
        cell = self._cell_of.pop(entity_id, None)
        if cell is not None:
            del self._cells[cell][entity_id]
            if not self._cells[cell]:
                del self._cells[cell]

    def around(self, label: str, pose: Pose2D) -> list[str]:
        """Return the entities of a class near a place."""
        row, col = self._coarse(pose)
        cells = self._cells
        found: list[str] = []
        for i in (row - 1, row, row + 1):
            for j in (col - 1, col, col + 1):
                here = cells.get((label, i, j))
                if here:
                    found += here
        return found

    def _coarse(self, pose: Pose2D) -> tuple[int, int]:
        return math.floor(pose.y / self._edge), math.floor(pose.x / self._edge)
