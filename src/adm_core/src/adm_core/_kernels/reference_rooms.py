"""Slow twins of the room kernels, for tests: one binary labelling for each room type."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage


def label_rooms(
    grid: npt.NDArray[np.int8],
    room_type: npt.NDArray[Any],
    *,
    untyped: bool = False,
    free_max: int = 0,
) -> npt.NDArray[np.int32]:
    """Return the label image of ``rooms.label_rooms``."""
    free = (grid >= 0) & (grid <= free_max)
    parts = np.zeros(grid.shape, np.int64)
    count = 0
    for value in np.unique(room_type[free]):
        if value or untyped:
            found, n = ndimage.label(free & (room_type == value))
            parts += np.where(found > 0, found + count, 0)
            count += n
    # Renumber by first cell in row-major order.
    numbers, first = np.unique(parts, return_index=True)
    order = numbers[np.argsort(first)]
    order = order[order > 0]
    rank = np.zeros(count + 1, np.int32)
    rank[order] = np.arange(1, count + 1)
    return rank[parts]


def room_edges(labels: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the sorted pairs of labels that have 4-adjacent cells."""
    pairs = set()
    for a, b in ((labels[:, :-1], labels[:, 1:]), (labels[:-1], labels[1:])):
        touch = (a != b) & (a > 0) & (b > 0)
        pairs |= {(min(p, q), max(p, q)) for p, q in zip(a[touch], b[touch], strict=True)}
    return np.array(sorted(pairs), np.int32).reshape(-1, 2)


def measures(labels: npt.NDArray[np.int32]) -> list[tuple[int, int, tuple[int, int, int, int]]]:
    """Return (cells, first cell, bounding box) of each label."""
    found = []
    for label in range(1, int(labels.max(initial=0)) + 1):
        rows, cols = np.nonzero(labels == label)
        box = (int(rows.min()), int(cols.min()), int(rows.max()) + 1, int(cols.max()) + 1)
        found.append((len(rows), int(rows[0] * labels.shape[1] + cols[0]), box))
    return found
